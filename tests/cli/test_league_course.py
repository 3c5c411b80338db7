"""``arena league submit --all``: the lines of the outcomes."""

from arena.cli.league_course import _submission_lines
from arena.league.course import BulkOutcome, BulkSubmission


def test_a_mistake_that_many_have_copied_is_said_once() -> None:
    same = "warning: Student.throw (bot.py:3) is never called; did you mean throws?"
    entries = tuple(
        BulkOutcome(entry=name, author=name, state="joined", bot=f"{name}@1", warnings=(same, "slow")[: 2 if name == "cat" else 1])
        for name in ("ann", "ben", "cat")
    )
    lines = list(_submission_lines(BulkSubmission(entries=entries)))
    assert lines[-3:] == [f"ann, ben, cat: {same}", "cat: slow", "3 joined"]
