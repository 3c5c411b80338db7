"""Matches beside the rounds: events, as a knockout of the best of a table, and rated matches of people.

An event is an ordinary run in ``events/NAME`` of the league's folder. Who takes part and the commitment to its seed are stored in
the league's chain before its run begins, and the result when all of it was played. So the same command continues an event that was
killed, with the same bots and deals.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.disk import inside, make_folder
from arena.errors import InputError, SpecError, StoreError, naming_errors
from arena.league import leagues
from arena.league.intake import copies
from arena.league.leagues import OpenLeague, add, open_league, write_private
from arena.league.membership import find_version
from arena.league.rules.events import LONGEST_TEXT, PersonClosed, PersonOpened, SpecialClosed, SpecialOpened
from arena.league.rules.field import Version
from arena.league.rules.rounds import calendar, first_rounds
from arena.league.rules.special import METHOD, PersonMatch, SpecialEvent, check, person_matches, special_events, with_rank
from arena.league.rules.table import best_of_table
from arena.moments import now
from arena.records import Result
from arena.referee.referee import FaultCosts
from arena.roster.entrant import NAME, PERSON, Entrant, person_entrant
from arena.runs.confined_reading import confined_reader
from arena.runs.plans import kinds
from arena.runs.play import OpenRun
from arena.runs.session import RunStart
from arena.stats.standings import Places, by_results
from arena.store.folder import Folder
from arena.tournament import spec as specs
from arena.tournament.formats.base import Format, places
from arena.tournament.formats.round_robin import Single
from arena.tournament.plan import Plan
from arena.tournament.seeds import commitment, random_seed
from arena.tournament.spec import Spec

EVENTS = "events"  # folder
SEED_FILE = ".secret"  # ends the name of the file with the seed of a run
LEAST = 2  # entrants
OF_THE_LEAGUE = "an event has that of its league; expected title, format, rating and reports alone"


class EventRequest(Struct, frozen=True):
    """A request for an event."""

    name: str
    text: str  # YAML
    file: str  # of the spec, for messages
    size: int  # number of the best bots that take part


def event_folder(league: Path, name: str) -> Folder:
    """Return the folder of an event's run. Raises: UnsafeFileError."""
    return Folder(inside(league, EVENTS, name))


def read_request(spec: Path, size: int, name: str | None) -> EventRequest:
    """Return the request for an event with the spec in a file. Raises: SpecError, InputError."""
    called = spec.stem if name is None else name
    if not re.match(NAME, called):
        raise InputError(f"the event is called {called!r}; expected at most 50 letters, digits and _.-, as --name another")
    if called.endswith(SEED_FILE):
        raise InputError(f"the event is called {called!r}; expected a name that does not end in {SEED_FILE}, as --name another")
    text = specs.text_of(spec)
    if len(text) > LONGEST_TEXT:
        raise SpecError(f"{len(text):,} characters; expected at most {LONGEST_TEXT:,}", path=str(spec))
    return EventRequest(called, text, str(spec), size)


def plan_event(path: Path, request: EventRequest) -> RunStart:
    """Store who takes part in an event, unless that is stored already, and return its plan and folder.

    Raises: InputError, SpecError; RosterError, StoreError, for a copy that cannot be played.
    """
    with open_league(path, write=True) as league, league.store.deciding():
        known = _find_event(league, request.name)
        if known:
            _check_same(known, request)
        invited = list(known.versions.values()) if known else _best(league, request.size)
        field = leagues.field(league.store)
        named = {version.name: version for version in map(field.version, invited)}
        spec = spec_of(league, sources_of(named), request.text, request.file)  # a mistake in it is named before the copies are read
        bots = entrants_of(league, named)
        folder = event_folder(path, request.name)
        seed = read_seed(seed_file(folder), "the event") if known else random_seed()
        if not known:
            _store(league, request, spec.title, bots, seed)
        return RunStart(plan=Plan(spec, bots, seed), folder=folder)


def close_event(path: Path, name: str, run: OpenRun) -> SpecialEvent:
    """Store the result of an event whose run is over, unless it is stored; return the event. Raises: StoreError, SpecError."""
    with open_league(path, write=True) as league, league.store.deciding():
        event = _find_event(league, name)
        if event is None:
            raise StoreError(f"{path}: the event {name} is not in the chain any more")
        if event.closed:
            return event
        results, versions = run.store.results(), event.versions
        ranked = ranking(run.plan.spec.format, run.plan.names, results)
        closed = SpecialClosed(
            at=now(),
            name=name,
            seed=run.plan.seed or "",
            matches=len(results),
            places=tuple(tuple(versions[bot] for bot in place) for place in ranked),
            link=run.store.last_link(),
        )
        add(league.store, closed)
        return SpecialEvent(event.opened, closed)


def ranking(chosen: Format, names: Sequence[str], results: Sequence[Result]) -> Places:
    """Return the places of a tournament: by its format, otherwise by wins."""
    return places(chosen, names, lambda: results) or by_results(names, results)


def _find_event(league: OpenLeague, name: str) -> SpecialEvent | None:
    return next((one for one in special_events(leagues.events_of(league.store)) if one.name == name), None)


def _check_same(known: SpecialEvent, request: EventRequest) -> None:
    """Raise InputError, if a request differs from the event of the same name."""
    size = len(known.opened.entrants)
    if (known.opened.spec, size) != (request.text, request.size):
        found = "another spec" if known.opened.spec != request.text else f"the best {size}"
        raise InputError(f"the event {known.name} was decided with {found}, {known.opened.at}; expected --name for another event")


def _best(league: OpenLeague, size: int) -> list[str]:
    """Return the versions that take part, by the table now. Raises: InputError."""
    best = best_of_table(leagues.history(league.folder, league.store), league.spec.rating_terms)
    if not LEAST <= size <= len(best):
        expected = f"expected {LEAST} to {len(best)}" if len(best) >= LEAST else f"expected at least {LEAST} of them"
        raise InputError(f"--from-table {size}: {len(best)} bots that play have a rank by the closed rounds; {expected}")
    return best[:size]


def entrants_of(league: OpenLeague, named: Mapping[str, Version]) -> tuple[Entrant, ...]:
    """Return the entrants of some versions by the names under which they play. Raises: RosterError, StoreError."""
    with confined_reader(league.spec.sandbox) as reader:
        found = {name: copies.entrant(version, league.folder.path, reader) for name, version in named.items()}
    sources = sources_of(named)
    return tuple(replace(bot, name=name, version=str(named[name].number), source=sources[name]) for name, bot in found.items())


def sources_of(named: Mapping[str, Version]) -> dict[str, str]:
    """Return the paths of some versions from the folder of a run of an event or of a match of people, by the same names."""
    return {name: f"../../{copies.BOTS}/{version.digest}/{version.entry}" for name, version in named.items()}


def spec_of(league: OpenLeague, sources: Mapping[str, str], text: str, file: str) -> Spec:
    """Return the spec in a text with the entrants of these ``sources`` and the league's terms; ``file`` is for messages.

    Raises: SpecError.
    """
    terms = league.spec
    given = {
        "bots": [{"bot": source, "name": name} for name, source in sources.items()],
        "rules": terms.rules,
        "time": terms.time,
        "lines": terms.lines,
        "faults": terms.faults,
        "sandbox": terms.sandbox,
        "seed": None,
    }
    spec = specs.complete(text, kinds(), file, given, OF_THE_LEAGUE)
    try:  # a format may not accept this number of bots
        next(iter(spec.format.fixtures(list(sources), ())), None)
    except SpecError as error:
        raise SpecError(error.message, path=file) from None
    return spec


def _store(league: OpenLeague, request: EventRequest, title: str, bots: Sequence[Entrant], seed: str) -> None:
    """Store the seed of an event, and in the league's chain who takes part in it. Raises: StoreError."""
    opened = SpecialOpened(
        at=now(),
        name=request.name,
        title=title,
        spec=request.text,
        rounds=len(calendar(leagues.events_of(league.store)).closed),
        entrants=tuple((f"{bot.name}@{bot.version}", bot.digest) for bot in bots),
        commitment=commitment(seed),
        method=METHOD,
    )
    path = seed_file(event_folder(league.folder.path, request.name))
    make_folder(path.parents[1], EVENTS)
    write_private(path, f"{seed}\n")
    add(league.store, opened)


def seed_file(run: Folder) -> Path:
    """Return the file with the seed of a run, beside its folder."""
    return run.path.with_name(f"{run.path.name}{SEED_FILE}")


def read_seed(path: Path, owner: str) -> str:
    """Return the seed in a file; ``owner``, as "the event", is for the message. Raises: StoreError."""
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: cannot be read: {error}; it holds the seed of {owner}") from None


# Rated matches of people: opened in the league's chain, played as runs of their own, and closed with their results.
#
# A match is an ordinary run in ``people/NUMBER`` of the league's folder, beside the seed of its deals, ``people/NUMBER.secret``.
# The commitment to the seed is in the chain before the first card. No deal of it is ever played again.

PEOPLE = "people"  # folder


def match_folder(league: Path, number: int) -> Folder:
    """Return the folder of a match's run. Raises: UnsafeFileError."""
    return Folder(inside(league, PEOPLE, str(number)))


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
        secret = seed_file(match_folder(path, opened.match))
        with naming_errors(secret.parent, "cannot be written"):
            make_folder(path, PEOPLE, mode=0o700)
        write_private(secret, f"{seed}\n")
        add(league.store, opened)
        return PersonMatch(opened)


def matches_of(path: Path) -> list[PersonMatch]:
    """Return all matches, the first one first. Raises: StoreError, SpecError."""
    with open_league(path) as league:
        return list(person_matches(leagues.events_of(league.store)).values())


def plan_match(path: Path, number: int) -> RunStart:
    """Return the plan of a match, in which the person has seat 0, and its folder. Raises: StoreError, SpecError, RosterError."""
    with open_league(path) as league:
        opened = _find_match(league, number).opened
        version = leagues.field(league.store).version(opened.version)
        return RunStart(plan=_plan(league, opened, version), folder=match_folder(path, number))


def close_match(path: Path, number: int, run: OpenRun) -> None:
    """Store the result of a match whose run is over, unless it is stored already. Raises: StoreError, SpecError."""
    results, link = run.store.results(), run.store.last_link()
    points, adjusted = sum(one.points for one in results[0].singles), adjusted_points(results)
    _close(path, PersonClosed(at=now(), match=number, seed=run.plan.seed, points=points, adjusted=adjusted, link=link))


def void_match(path: Path, number: int, why: str) -> None:
    """Store that the server cannot play a match, unless it is over. Raises: StoreError, SpecError."""
    _close(path, PersonClosed(at=now(), match=number, void=why))


def adjusted_points(results: Sequence[Result]) -> tuple[float, ...]:
    """Return the person's net points of each hand, less the luck of its draws."""
    return tuple(round(hand.points - (hand.luck or 0.0), 3) for one in results for hand in one.singles)


def _close(path: Path, closed: PersonClosed) -> None:
    with open_league(path, write=True) as league, league.store.deciding():
        if _find_match(league, closed.match).closed is None:
            add(league.store, closed)


def _find_match(league: OpenLeague, number: int) -> PersonMatch:
    found = person_matches(leagues.events_of(league.store)).get(number)
    if found is None:
        raise StoreError(f"{league.folder.path}: match {number} of people is not in the chain")
    return found


def _plan(league: OpenLeague, opened: PersonOpened, version: Version) -> Plan:
    """Return the plan of a match under the rules and limits of the league. The bot has no state folder."""
    costs = league.spec.faults  # a person who leaves must not gain: at least the default points, more than most hands cost
    league = league._replace(spec=replace(league.spec, faults=replace(costs, points=max(costs.points, FaultCosts().points))))
    (bot,) = entrants_of(league, {bot_of(version.id, opened.person): version})
    text = f"{{title: Rated match {opened.match}, format: {{name: single, hands: {opened.hands}}}, reports: []}}"
    person = person_entrant(opened.person)
    spec = spec_of(league, {person.name: PERSON, bot.name: bot.source}, text, PEOPLE)
    seed = read_seed(seed_file(match_folder(league.folder.path, opened.match)), "a match")
    return Plan(spec, (person, bot), seed)
