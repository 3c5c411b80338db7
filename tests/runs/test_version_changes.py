"""What changed between two versions of a bot: computed once, by the real command, within limits."""

from pathlib import Path

import pytest
from clubs import BOT, entered
from commands import document
from leagues import versions

from arena.runs.leagues import folder as leagues
from arena.runs.leagues import version_changes
from arena.runs.leagues.submit import submit
from arena.runs.leagues.version_changes import FOLDER, WAITING, TooManyComparisonsError, VersionChange, VersionChanges

KNOCKS = BOT.replace(b"    pass", b"    def discard(self, view):\n        return Discard(max(each(view.may_discard)))").replace(
    b"import Bot", b"import Bot, Discard, each"
)


def asked(of: VersionChanges) -> VersionChange:
    found = of.get(*versions(2))
    assert found
    return found


def test_the_comparison_of_two_versions_is_made_by_the_command_and_kept_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(version_changes, "HANDS", 2)
    path = entered(tmp_path)
    (tmp_path / "bot.py").write_bytes(KNOCKS)
    submit(path, str(tmp_path / "bot.py"), "ann", "ann-bot", lambda _: None)
    with leagues.opened(path) as league:
        old, new = leagues.field(league.store).of("ann-bot")
    made = VersionChanges(path, lambda: "")
    assert made.get(old, new) is None
    made.ask("ann", old, new)
    made.look()
    found = made.get(old, new)
    assert found
    assert (found.state, found.reason) == ("done", "")
    assert found.difference
    assert found.difference.decisions > found.difference.differ > 0
    assert "discard" in {one.kind for one in found.difference.positions}
    assert VersionChanges(path, lambda: "").get(old, new) == found
    assert [one.stat().st_mode & 0o077 for one in (path / FOLDER, *(path / FOLDER).iterdir())] == [0, 0]


def test_only_a_few_comparisons_of_an_author_wait_and_the_same_is_not_made_twice(tmp_path: Path) -> None:
    made, known = VersionChanges(tmp_path, lambda: ""), versions(8)
    for number in range(WAITING):
        made.ask("ann", known[number], known[7])
        made.ask("ann", known[number], known[7])
    with pytest.raises(TooManyComparisonsError, match="2 comparisons of ann are not over"):
        made.ask("ann", known[5], known[7])
    made.ask("ben", known[5], known[7])


def test_an_author_may_ask_only_a_few_times_within_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version_changes, "AN_HOUR", 2)
    monkeypatch.setattr(VersionChanges, "_made", lambda _, one: version_changes._with(one, 2, b"", ["arena: x"], late=False))  # noqa: SLF001 - as after a process
    made, known = VersionChanges(tmp_path, lambda: ""), versions(8)
    for number in range(2):
        made.ask("ann", known[number], known[7])
        made.look()
    with pytest.raises(TooManyComparisonsError, match="within an hour"):
        made.ask("ann", known[5], known[7])


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
    monkeypatch.setattr(VersionChanges, "_made", lambda _, one: version_changes._with(one, code, output, said, late=late))  # noqa: SLF001 - as after a process
    made = VersionChanges(tmp_path, lambda: "")
    made.ask("ann", *versions(2))
    made.look()
    assert (asked(made).state, asked(made).reason) == ("failed", reason)
    made.ask("ann", *versions(2))
    assert asked(made).state == "waiting"


def test_nothing_is_compared_while_the_machine_has_a_problem(tmp_path: Path) -> None:
    made = VersionChanges(tmp_path, lambda: "the disk is full")
    made.ask("ann", *versions(2))
    made.look()
    assert asked(made).state == "waiting"


def test_two_versions_are_compared_on_the_command_line(tmp_path: Path) -> None:
    found = document("league", "diff", entered(tmp_path), "ann-bot", "ann-bot@1", "--hands", 1, "--workers", 1, "--json")
    assert (found["differ"], found["positions"]) == (0, [])
