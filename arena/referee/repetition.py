"""Plays a recorded fixture again, and judges whether a differing action contradicts the record.

A bot does not say whether it is deterministic. So a fixture in which an action differs is played up to ``TRIES`` more times:
only a bot that gives the same other answer each time contradicts its record.
"""

from msgspec import Struct

from arena.records import MatchRecord
from arena.referee import job
from arena.referee.divergence import Divergence, first_divergence
from arena.referee.job import Job

TRIES = 2


class Repetition(Struct, frozen=True):
    """The result of a fixture that was played again."""

    fixture: str
    differing: str | None = None  # the bot whose action is the first to differ from the record; None: none differs
    nondeterministic: frozenset[str] = frozenset()  # bots that did not play the same in two of the new plays
    difference: str = ""  # what contradicts the record; empty: nothing does, or it is not known


def repeat(task: Job, record: MatchRecord, nondeterministic: frozenset[str]) -> Repetition:
    """Play a recorded fixture again. ``nondeterministic``: bots known not to play the same twice. Raises: WorkerLostError."""
    again = job.play(task)
    found = _divergence(task, record, again)
    if found is None:
        return Repetition(record.fixture.id)
    differing = record.fixture.seats[found.seat]
    if differing in nondeterministic:
        return Repetition(record.fixture.id, differing)
    return _examine(task, record, again, found)


def _examine(task: Job, record: MatchRecord, again: MatchRecord, found: Divergence) -> Repetition:
    """Play a fixture that diverged from its record up to TRIES more times; report a difference if each play diverges alike."""
    name, seats, nondeterministic = task.fixture.id, task.fixture.seats, frozenset[str]()
    differing = seats[found.seat]
    for _ in range(TRIES):
        new = job.play(task)
        if between := _divergence(task, again, new):
            nondeterministic |= {seats[between.seat]}
        # If the opponent played otherwise before the action found, or a fault of the machine ended the hand before it, the bot did
        # not meet that decision again: nothing is proved.
        if differing in nondeterministic or _divergence(task, record, new) != found:
            return Repetition(name, differing, nondeterministic)
    return Repetition(name, differing, nondeterministic, f"{name} {found}")


def _divergence(task: Job, one: MatchRecord, other: MatchRecord) -> Divergence | None:
    return first_divergence(one, other, task.rules, task.seed)
