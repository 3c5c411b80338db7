"""What changed between two versions of a bot: computed once, by the real command, within limits."""

import shlex
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from msgspec.structs import replace
from support.commands.calls import arena, document
from support.leagues.events import versions
from support.leagues.sites import BOT, entered, jobs_of

from arena.league import leagues, requests
from arena.league.jobs import GIVEN_UP, JobQueue, JobRunner, TooManyRequestsError
from arena.league.requests import COMPARISONS, VersionChange, ask_comparison, find_comparison
from arena.league.rules.events import NO_REASON, Reason
from arena.league.submit import submit_bot
from arena.runs import background
from arena.runs.background import IN_ARENA, EndedCommand

KNOCKS = BOT.replace(b"    pass", b"    def discard(self, view):\n        return Discard(max(each(view.may_discard)))").replace(
    b"import Bot", b"import Bot, Discard, each"
)


@pytest.fixture
def jobs() -> JobQueue:
    return JobQueue({VersionChange: COMPARISONS})


def runner(jobs: JobQueue, why_not_now: Callable[[], Reason] = lambda: NO_REASON) -> JobRunner:
    return JobRunner("requests", jobs, (VersionChange,), why_not_now)


def asked(jobs: JobQueue) -> VersionChange:
    found = find_comparison(jobs, *versions(2))
    assert found
    return found


@pytest.mark.process
def test_the_comparison_of_two_versions_is_made_by_the_command_and_kept_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "COMPARED_HANDS", 2)
    path = entered(tmp_path)
    (tmp_path / "bot.py").write_bytes(KNOCKS)
    submit_bot(path, str(tmp_path / "bot.py"), "ann", "ann-bot", lambda _: None)
    with leagues.open_league(path) as league:
        old, new = leagues.field(league.store).of("ann-bot")
    with jobs_of(path) as made:
        assert find_comparison(made, old, new) is None
        ask_comparison(made, "ann", old, new)
        runner(made).poll()
        found = find_comparison(made, old, new)
    assert found
    assert (found.state, found.reason) == ("done", "")
    assert found.difference
    assert found.difference.decisions > found.difference.differ > 0
    assert "discard" in {one.kind for one in found.difference.positions}
    with jobs_of(path) as made:
        assert find_comparison(made, old, new) == found


def test_only_a_few_comparisons_of_an_author_wait_and_the_same_is_not_made_twice(jobs: JobQueue) -> None:
    known = versions(8)
    for number in range(2):
        assert ask_comparison(jobs, "ann", known[number], known[7]) == ask_comparison(jobs, "ann", known[number], known[7])
    with pytest.raises(TooManyRequestsError, match="2 comparisons of ann are not over"):
        ask_comparison(jobs, "ann", known[5], known[7])
    ask_comparison(jobs, "ben", known[5], known[7])


def test_an_author_may_ask_only_a_few_times_within_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JobRunner, "run_command", lambda *_, **__: EndedCommand(2, b"", "arena: x\n", late=False))
    jobs, known = JobQueue({VersionChange: replace(COMPARISONS, recent=2)}), versions(8)
    for number in range(2):
        ask_comparison(jobs, "ann", known[number], known[7])
        runner(jobs).poll()
    with pytest.raises(TooManyRequestsError, match="2 comparisons of ann were asked for within an hour"):
        ask_comparison(jobs, "ann", known[5], known[7])


def test_what_the_machine_failed_in_is_tried_again_after_the_others(jobs: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    full, known = [OSError(28, "No space left on device")], versions(3)

    def run_command(*_: object, **__: object) -> EndedCommand:
        if full:
            raise full.pop()
        return EndedCommand(2, b"", "no", late=False)

    monkeypatch.setattr(JobRunner, "run_command", run_command)
    first, second = (ask_comparison(jobs, "ann", known[0], new) for new in known[1:])
    working = runner(jobs)
    assert working.poll() > 0
    assert "No space left" in working.problem.detail
    assert [(one.state, one.lost) for one in jobs.all(VersionChange)] == [("waiting", 0)] * 2
    for over in (second, first):
        working.poll()
        assert over.id not in {one.id for one in jobs.waiting(VersionChange)}


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
    jobs: JobQueue,
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    output: bytes,
    said: list[str],
    late: bool,  # noqa: FBT001 - a value of the table above
    reason: str,
) -> None:
    ended = EndedCommand(code, output, "\n".join(said), late)
    monkeypatch.setattr(JobRunner, "run_command", lambda *_, **__: ended)
    ask_comparison(jobs, "ann", *versions(2))
    runner(jobs).poll()
    assert (asked(jobs).state, asked(jobs).reason) == ("failed", reason)
    ask_comparison(jobs, "ann", *versions(2))
    assert asked(jobs).state == "waiting"


def test_an_error_in_arena_fails_one_comparison_after_three_attempts_with_a_line_each_and_the_next_is_made(
    jobs: JobQueue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    known, second = versions(3), Event()

    def compared(one: VersionChange, _: EndedCommand) -> VersionChange:
        if one.new == known[1].id:
            raise KeyError("a bug\nof ours")
        second.set()
        return one.failing("late")

    monkeypatch.setattr(JobRunner, "run_command", lambda *_, **__: EndedCommand(0, b"", "", late=False))
    monkeypatch.setattr(VersionChange, "after_command", compared)
    monkeypatch.setattr(background, "PAUSE_AFTER_ERROR", 0.0)
    for new in known[1:]:
        ask_comparison(jobs, "ann", known[0], new)
    working = runner(jobs)
    working.start()
    assert second.wait(30)
    working.stop()
    assert (asked(jobs).state, asked(jobs).reason) == ("failed", GIVEN_UP)
    lines = [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]
    assert [(line.count("\n"), "KeyError at" in line, "of ours" in line) for line in lines] == [(0, True, True)] * 3


def test_a_thread_says_that_it_failed_until_it_works_again(jobs: JobQueue) -> None:
    broken = [OSError("no disk")]

    def why_not_now() -> Reason:
        if broken:
            raise broken.pop()
        return NO_REASON

    made = runner(jobs, why_not_now)
    assert made.poll_once() > 0
    assert made.error == f"requests: {IN_ARENA}"
    made.poll_once()
    assert made.error == ""


def test_nothing_is_compared_while_the_machine_has_a_problem(jobs: JobQueue) -> None:
    ask_comparison(jobs, "ann", *versions(2))
    runner(jobs, lambda: Reason("the disk is full")).poll()
    assert asked(jobs).state == "waiting"


@pytest.mark.process
def test_two_versions_are_compared_on_the_command_line_and_a_hand_that_differs_is_shown_again_word_for_word(tmp_path: Path) -> None:
    path = entered(tmp_path)
    found = document("league", "diff", path, "ann-bot", "ann-bot@1", "--hands", 1, "--workers", 1, "--json")
    assert (found["differ"], found["positions"]) == (0, [])
    (tmp_path / "bot.py").write_bytes(KNOCKS)
    submit_bot(path, str(tmp_path / "bot.py"), "ann", "ann-bot", lambda _: None)
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
