"""Rated matches of people: opened in the league's chain, played as runs of their own, and closed with their results.

A match is an ordinary run in ``people/NUMBER`` of the league's folder, beside the seed of its deals, ``people/NUMBER.secret``. The
commitment to the seed is in the chain before the first card. No deal of it is ever played again.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import InputError, StoreError
from arena.league import folder as leagues
from arena.league.folder import OpenLeague, add, open_league, write_private
from arena.league.rules.events import PersonClosed, PersonOpened
from arena.league.rules.field import Version
from arena.league.rules.history import calendar
from arena.league.rules.people import PersonMatch, check, first_rounds, person_matches, with_rank
from arena.league.special import EventRequest, entrants_of, read_seed, spec_with
from arena.league.submit import find_version
from arena.moments import now
from arena.records import Result
from arena.referee.referee import FaultCosts
from arena.roster.entrant import PERSON, person_entrant
from arena.runs.play import OpenRun
from arena.store.folder import Folder
from arena.tournament.formats.round_robin import Single
from arena.tournament.plan import Plan
from arena.tournament.seeds import commitment, random_seed

FOLDER = "people"


class PlannedPersonMatch(Struct, frozen=True):
    """A rated match that is open, and how it is played: the person in seat 0."""

    match: PersonMatch
    plan: Plan
    folder: Folder


def match_folder(league: Path, number: int) -> Folder:
    """Return the folder of a match's run."""
    return Folder(league / FOLDER / str(number))


def bot_of(version: str, person: str) -> str:
    """Return the name under which a version plays against a person."""
    name, _, number = version.rpartition("@")
    return name if name != person else f"{name[:40]}-{number}"


def fixture_of(opened: PersonOpened) -> str:
    """Return the id of a match in its run."""
    (fixture,) = Single().fixtures((opened.person, bot_of(opened.version, opened.person)), ())
    return fixture.id


def open_match(path: Path, person: str, bot: str) -> PersonMatch:
    """Store that a person begins a match against a version, and return it. Raises: InputError, StoreError, SpecError."""
    with open_league(path, write=True) as league, league.store.deciding():
        terms, history = league.spec.people, leagues.history(league.folder, league.store)
        if terms is None:
            raise InputError("the spec of this league has `people: null`; expected a league in which people play")
        field, before = history.field(), person_matches(history.events)
        seed = random_seed()
        opened = PersonOpened(
            at=now(),
            match=len(before) + 1,
            person=person,
            version=find_version(field, bot).id,
            hands=terms.hands,
            commitment=commitment(seed),
        )
        ranked = with_rank(field, first_rounds(history.played), len(calendar(history.events).closed))
        check(opened, list(before.values()), field, ranked, terms)
        secret = _seed_file(path, opened.match)
        secret.parent.mkdir(mode=0o700, exist_ok=True)
        write_private(secret, f"{seed}\n")
        add(league.store, opened)
        return PersonMatch(opened)


def matches_of(path: Path) -> list[PersonMatch]:
    """Return all matches, the first one first. Raises: StoreError, SpecError."""
    with open_league(path) as league:
        return list(person_matches(leagues.events_of(league.store)).values())


def plan_match(path: Path, number: int) -> PlannedPersonMatch:
    """Return an open match and its plan. Raises: StoreError, SpecError, RosterError."""
    with open_league(path) as league:
        match = _find(league, number)
        opened = match.opened
        version = leagues.field(league.store).version(opened.version)
        return PlannedPersonMatch(match, _plan(league, opened, version), match_folder(path, number))


def close_match(path: Path, number: int, run: OpenRun) -> None:
    """Store the result of a match whose run is over, unless it is stored already. Raises: StoreError, SpecError."""
    results = run.store.results()
    closed = PersonClosed(
        at=now(),
        match=number,
        seed=run.plan.seed,
        points=sum(one.points for one in results[0].singles),
        adjusted=adjusted_points(results),
        link=run.store.last_link(),
    )
    _close(path, closed)


def end_void(path: Path, number: int, why: str) -> None:
    """Store that the server cannot play a match, unless it is over. Raises: StoreError, SpecError."""
    _close(path, PersonClosed(at=now(), match=number, void=why))


def adjusted_points(results: Sequence[Result]) -> tuple[float, ...]:
    """Return the person's net points of each hand, less the luck of its draws."""
    return tuple(round(hand.points - (hand.luck or 0.0), 3) for one in results for hand in one.singles)


def _close(path: Path, closed: PersonClosed) -> None:
    with open_league(path, write=True) as league, league.store.deciding():
        if _find(league, closed.match).closed is None:
            add(league.store, closed)


def _find(league: OpenLeague, number: int) -> PersonMatch:
    found = person_matches(leagues.events_of(league.store)).get(number)
    if found is None:
        raise StoreError(f"{league.folder.path}: match {number} of people is not in the chain")
    return found


def _plan(league: OpenLeague, opened: PersonOpened, version: Version) -> Plan:
    """Return the plan of a match under the rules and limits of the league. The bot has no state folder."""
    costs = league.spec.faults  # of which a person who leaves must not gain: a lost hand is worth more than most others
    league = league._replace(spec=replace(league.spec, faults=replace(costs, points=max(costs.points, FaultCosts().points))))
    (bot,) = entrants_of(league, {bot_of(version.id, opened.person): version})
    text = f"{{title: Rated match {opened.match}, format: {{name: single, hands: {opened.hands}}}, reports: []}}"
    spec = spec_with(league, {opened.person: PERSON, bot.name: bot.source}, EventRequest(FOLDER, text, FOLDER, 2))
    return Plan(spec, (person_entrant(opened.person), bot), read_seed(_seed_file(league.folder.path, opened.match), "a match"))


def _seed_file(league: Path, number: int) -> Path:
    return league / FOLDER / f"{number}.secret"
