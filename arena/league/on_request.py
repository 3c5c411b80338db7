"""Matches that authors request: practice matches, which the league does not record, and challenges, which are rated."""

from pathlib import Path

from msgspec import Struct

from arena.errors import InputError
from arena.league import leagues
from arena.league.leagues import add, open_league
from arena.league.membership import find_version
from arena.league.rules.challenges import Challenges
from arena.league.rules.events import Challenged
from arena.league.rules.side_matches import names_in_run
from arena.league.side_matches import entrants_of, sources_of, spec_of
from arena.moments import Moment, now
from arena.tournament.plan import Plan

PRACTICE_SPEC = "{title: Practice, format: {name: round-robin, pairs: 1}, reports: []}"


def practice_plan(path: Path, bot: str, against: str) -> Plan:
    """Return the plan of a practice match of two versions. Raises: InputError, StoreError, SpecError, RosterError."""
    with open_league(path) as league:
        field = leagues.field(league.store)
        mine, other = find_version(field, bot), find_version(field, against)
        if mine is other:
            raise InputError(f"found {mine.id} twice; expected two versions")
        named = dict(zip(names_in_run([mine.id, other.id]), (mine, other), strict=True))
        return Plan(spec_of(league, sources_of(named), PRACTICE_SPEC, "practice"), entrants_of(league, named), seed=None)


class AskedChallenge(Struct, frozen=True, kw_only=True):
    """A challenge that was stored."""

    version: str
    opponent: str
    author: str  # who asked
    at: Moment
    place: int  # of its event among all events
    waiting: int  # challenges that wait, including this one


def challenge(path: Path, version: str, opponent: str, by: str | None = None) -> AskedChallenge:
    """Store a challenge, which waits in the chain until a round takes it; ``by`` must be the author of the version, if it is given.

    Raises: InputError, StoreError, SpecError.
    """
    with open_league(path, write=True) as league, league.store.deciding():
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
