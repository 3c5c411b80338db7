"""Rated matches that authors ask for: each waits in the chain until a round takes it."""

from pathlib import Path

from msgspec import Struct

from arena.errors import InputError
from arena.league import folder as leagues
from arena.league.folder import add
from arena.league.rules.challenges import Challenges
from arena.league.rules.events import Challenged
from arena.league.submit import find_version
from arena.moments import Moment, now


class AskedChallenge(Struct, frozen=True, kw_only=True):
    """A rated match that was asked for."""

    version: str
    opponent: str
    author: str  # who asked
    at: Moment
    place: int  # of its event among all events
    waiting: int  # rated ones that wait, with this one


def ask(path: Path, version: str, opponent: str, by: str | None = None) -> AskedChallenge:
    """Store a challenge, and return it; ``by`` must be the author of the version, if it is given.

    Raises: InputError, StoreError, SpecError.
    """
    with leagues.open_league(path, write=True) as league, league.store.deciding():
        events = leagues.events_of(league.store)
        field, known = leagues.field(league.store), Challenges(events)
        mine, other = find_version(field, version), find_version(field, opponent)
        if by is not None and mine.author != by:
            raise InputError(f"{mine.id} is of {mine.author}; expected a bot of {by}")
        event = Challenged(at=now(), version=mine.id, opponent=other.id)
        known.check(event, field, league.spec.challenges)
        add(league.store, event)
        known.add(event)
        return AskedChallenge(
            version=mine.id,
            opponent=other.id,
            author=mine.author,
            at=event.at,
            place=len(events) + 1,
            waiting=len(known.waiting),
        )
