"""What changed between two versions of a bot: computed once, by the real command, within limits."""

import shlex
from pathlib import Path
from threading import Event

import pytest
from clubs import BOT, entered
from commands import arena, document
from leagues import versions
from msgspec.structs import replace

from arena.league import folder as leagues
from arena.league import jobs
from arena.league.jobs import COMPARISONS, IN_ARENA, MOST_WAITING, EndedCommand, VersionChange, VersionChanges
from arena.league.rules.events import NO_REASON, Reason
from arena.league.submit import submit
from arena.league.uploads import TooManyRequestsError

KNOCKS = BOT.replace(b"    pass", b"    def discard(self, view):\n        return Discard(max(each(view.may_discard)))").replace(
    b"import Bot", b"import Bot, Discard, each"
)


def asked(of: VersionChanges) -> VersionChange:
    found = of.get(*versions(2))
    assert found
    return found


@pytest.mark.process
def test_the_comparison_of_two_versions_is_made_by_the_command_and_kept_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "COMPARED_HANDS", 2)
    path = entered(tmp_path)
    (tmp_path / "bot.py").write_bytes(KNOCKS)
    submit(path, str(tmp_path / "bot.py"), "ann", "ann-bot", lambda _: None)
    with leagues.open_league(path) as league:
        old, new = leagues.field(league.store).of("ann-bot")
    made = VersionChanges(path, lambda: NO_REASON)
    assert made.get(old, new) is None
    made.ask("ann", old, new)
    made.look()
    found = made.get(old, new)
    assert found
    assert (found.state, found.reason) == ("done", "")
    assert found.difference
    assert found.difference.decisions > found.difference.differ > 0
    assert "discard" in {one.kind for one in found.difference.positions}
    assert VersionChanges(path, lambda: NO_REASON).get(old, new) == found
    assert [one.stat().st_mode & 0o077 for one in (path / COMPARISONS, *(path / COMPARISONS).iterdir())] == [0, 0]


def test_only_a_few_comparisons_of_an_author_wait_and_the_same_is_not_made_twice(tmp_path: Path) -> None:
    made, known = VersionChanges(tmp_path, lambda: NO_REASON), versions(8)
    for number in range(MOST_WAITING):
        made.ask("ann", known[number], known[7])
        made.ask("ann", known[number], known[7])
    with pytest.raises(TooManyRequestsError, match="2 comparisons of ann are not over"):
        made.ask("ann", known[5], known[7])
    made.ask("ben", known[5], known[7])


def test_an_author_may_ask_only_a_few_times_within_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_AN_HOUR", 2)
    monkeypatch.setattr(VersionChanges, "run_command", lambda *_, **__: EndedCommand(2, b"", "arena: x\n", late=False))
    made, known = VersionChanges(tmp_path, lambda: NO_REASON), versions(8)
    for number in range(2):
        made.ask("ann", known[number], known[7])
        made.look()
    with pytest.raises(TooManyRequestsError, match="within an hour"):
        made.ask("ann", known[5], known[7])


def test_what_the_machine_failed_in_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> VersionChange:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jobs, "MOST_AN_HOUR", 2)
    monkeypatch.setattr(VersionChanges, "_answer", full)
    made, known = VersionChanges(tmp_path, lambda: NO_REASON), versions(8)
    for number in range(5):
        made.ask("ann", known[number], known[7])
        made.look()


@pytest.mark.parametrize(
    ("code", "output", "said", "late", "reason"),
    [
        (2, b"", ["bots/1: changed"], False, "bots/1: changed"),
        (-9, b"", [], False, "it ended without a result"),
        (0, b"{", [], False, "it ended without a result"),
        (-15, b"", [], True, "it took more than 300 seconds"),
    ],
)
def test_a_comparison_that_fails_says_why_and_can_be_asked_for_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    output: bytes,
    said: list[str],
    late: bool,  # noqa: FBT001 - a value of the table above
    reason: str,
) -> None:
    ended = EndedCommand(code, output, "\n".join(said), late)
    monkeypatch.setattr(VersionChanges, "run_command", lambda *_, **__: ended)
    made = VersionChanges(tmp_path, lambda: NO_REASON)
    made.ask("ann", *versions(2))
    made.look()
    assert (asked(made).state, asked(made).reason) == ("failed", reason)
    made.ask("ann", *versions(2))
    assert asked(made).state == "waiting"


def test_an_error_in_arena_fails_one_comparison_with_a_line_in_the_log_and_the_next_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    known, second = versions(3), Event()

    def compared(_: VersionChanges, one: VersionChange) -> VersionChange:
        if one.new == known[1].id:
            raise KeyError("a bug\nof ours")
        second.set()
        return replace(one, state="failed", reason="late")

    monkeypatch.setattr(VersionChanges, "_answer", compared)
    monkeypatch.setattr(jobs, "PAUSE_AFTER_ERROR", 0.0)
    made = VersionChanges(tmp_path, lambda: NO_REASON)
    for new in known[1:]:
        made.ask("ann", known[0], new)
    made.start()
    assert second.wait(30)
    made.stop()
    failed = made.get(*known[:2])
    assert failed
    assert (failed.state, failed.reason) == ("failed", IN_ARENA)
    lines = [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]
    assert [(line.count("\n"), "KeyError at" in line, "of ours" in line) for line in lines] == [(0, True, True)]


def test_a_thread_says_that_it_failed_until_it_works_again(tmp_path: Path) -> None:
    broken = [OSError("no disk")]

    def hindrance() -> Reason:
        if broken:
            raise broken.pop()
        return NO_REASON

    made = VersionChanges(tmp_path, hindrance)
    assert made.look_once() > 0
    assert made.error == f"comparisons: {IN_ARENA}"
    made.look_once()
    assert made.error == ""


def test_nothing_is_compared_while_the_machine_has_a_problem(tmp_path: Path) -> None:
    made = VersionChanges(tmp_path, lambda: Reason("the disk is full"))
    made.ask("ann", *versions(2))
    made.look()
    assert asked(made).state == "waiting"


@pytest.mark.process
def test_two_versions_are_compared_on_the_command_line_and_a_hand_that_differs_is_shown_again_word_for_word(tmp_path: Path) -> None:
    path = entered(tmp_path)
    found = document("league", "diff", path, "ann-bot", "ann-bot@1", "--hands", 1, "--workers", 1, "--json")
    assert (found["differ"], found["positions"]) == (0, [])
    (tmp_path / "bot.py").write_bytes(KNOCKS)
    submit(path, str(tmp_path / "bot.py"), "ann", "ann-bot", lambda _: None)
    ended = arena("league", "diff", path.name, "ann-bot@1", "ann-bot@2", "--hands", 1, "--workers", 1, folder=path.parent)
    assert ended.returncode == 1
    assert max(map(len, ended.stdout.splitlines())) <= 80
    command = ended.stdout.replace("\\\n", "").partition("see this hand: arena ")[2].splitlines()[0]
    assert shlex.split(command)[:6] == ["league", "debug", "friday", "ann-bot@1", "--hand", "0"]
    shown = arena(*shlex.split(command), folder=path.parent)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert ended.stdout.splitlines()[1] in shown.stdout.splitlines()


@pytest.mark.process
def test_a_hand_of_two_bots_of_a_league_is_shown(tmp_path: Path) -> None:
    path = entered(tmp_path)
    shown = arena("league", "debug", path, "ann-bot", "--against", "ben-bot@1", "--hand", 1)
    assert shown.returncode == 0, shown.stderr
    assert "hand 1.0 under tournament: ann-bot@1 dealt" in shown.stdout
    assert "ben-bot@1 " in shown.stdout
    assert arena("league", "debug", path, "nobody").stderr.startswith("arena: no bot 'nobody' in this league")
