"""Plays a recorded fixture again, and says what that proves against the bot whose action differs.

A bot does not say whether it is deterministic. So a fixture in which an action differs is played up to ``TRIES`` more times: only a
bot that gives the same other answer each time contradicts its record.
"""

from msgspec import Struct

from arena.records import MatchRecord
from arena.referee import job
from arena.referee.divergence import Divergence, first_divergence
from arena.referee.job import Job

TRIES = 2


class Repetition(Struct, frozen=True):
    """What came of a fixture that was played again."""

    fixture: str
    differing: str | None = None  # the bot that acted first otherwise than on record; None: all actions are the same
    odd: frozenset[str] = frozenset()  # bots that did not play the same in two of the new plays
    difference: str = ""  # what contradicts the record; empty: nothing does, or it is not known


def repeat(fixture: Job, record: MatchRecord, odd: frozenset[str]) -> Repetition:
    """Play a recorded fixture again. ``odd`` are bots that are known not to play the same twice. Raises: WorkerLostError."""
    again = job.play(fixture)
    found = _divergence(fixture, record, again)
    if found is None:
        return Repetition(record.fixture.id)
    differing = record.fixture.seats[found.seat]
    if differing in odd:
        return Repetition(record.fixture.id, differing)
    return _examined(fixture, again, found)


def _examined(fixture: Job, again: MatchRecord, found: Divergence) -> Repetition:
    """Return whether a bot that acted otherwise than on record does so each time."""
    name, seats, odd = fixture.fixture.id, fixture.fixture.seats, frozenset[str]()
    differing = seats[found.seat]
    for _ in range(TRIES):
        between = _divergence(fixture, again, job.play(fixture))
        if between is None:
            continue
        odd |= {seats[between.seat]}
        # If it differed before the action that was found, its opponent led it elsewhere: nothing is known of that action.
        if differing in odd or between.place < found.place:
            return Repetition(name, differing, odd)
    return Repetition(name, differing, odd, f"{name} {found}")


def _divergence(fixture: Job, one: MatchRecord, other: MatchRecord) -> Divergence | None:
    return first_divergence(one, other, fixture.rules, fixture.seed)
