"""Matches beside the rounds: decided in the league's chain, played as runs of their own, and closed with their result.

The run of each is a folder below that of its kind, as ``events/cup`` or ``people/3``, with the seed of its deals beside it, as
``events/cup.secret``. Who takes part and the commitment to the seed are in the chain before the first card. So what was stopped
continues with the same bots and deals, and no deal is ever played again.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.disk import inside, make_folder
from arena.errors import InputError, SpecError, StoreError, naming_errors
from arena.league import leagues
from arena.league.intake import copies
from arena.league.leagues import OpenLeague, add, open_league, write_private
from arena.league.membership import find_version
from arena.league.rules.events import LONGEST_TEXT, SideClosed, SideOpened
from arena.league.rules.field import Version
from arena.league.rules.rounds import calendar, first_rounds
from arena.league.rules.side_matches import METHOD, SideMatch, check, open_person, side_matches, with_rank
from arena.league.rules.table_making import best_of_table
from arena.limits import FaultCosts
from arena.moments import now
from arena.plugins.manager import installed_kinds
from arena.records import Result
from arena.roster.entrant import NAME_PATTERN, PERSON, Entrant, person_entrant
from arena.runs.confined_reading import confined_reader
from arena.runs.open_run import OpenRun
from arena.runs.starts import RunStart
from arena.stats.standings import by_results
from arena.store.folder import Folder
from arena.tournament.formats.base import Format, places
from arena.tournament.plan import Plan
from arena.tournament.seeds import commitment, random_seed
from arena.tournament.spec import Spec, complete_spec, spec_text

SEED_FILE = ".secret"  # ends the name of the file with the seed of a run
LEAST = 2  # entrants
OF_THE_LEAGUE = "a cup has that of its league; expected title, format, rating and reports alone"


class CupRequest(Struct, frozen=True):
    """A request for a cup."""

    name: str
    text: str  # YAML
    file: str  # of the spec, for messages
    size: int  # number of the best bots that take part

    @property
    def run(self) -> str:
        """Return the folder of its run, in that of the league."""
        return f"events/{self.name}"


def read_request(spec: Path, size: int, name: str | None) -> CupRequest:
    """Return the request for a cup with the spec in a file. Raises: SpecError, InputError."""
    called = spec.stem if name is None else name
    if not re.match(NAME_PATTERN, called):
        raise InputError(f"the cup is called {called!r}; expected at most 50 letters, digits and _.-, as --name another")
    if called.endswith(SEED_FILE):
        raise InputError(f"the cup is called {called!r}; expected a name that does not end in {SEED_FILE}, as --name another")
    text = spec_text(spec)
    if len(text) > LONGEST_TEXT:
        raise SpecError(f"{len(text):,} characters; expected at most {LONGEST_TEXT:,}", path=str(spec))
    return CupRequest(called, text, str(spec), size)


def plan_cup(path: Path, request: CupRequest) -> RunStart:
    """Store who takes part in a cup, unless that is stored already, and return its plan and folder.

    Raises: InputError, SpecError; RosterError, StoreError, for a copy that cannot be played.
    """
    with open_league(path, write=True) as league, league.store.deciding():
        if known := side_matches(leagues.events_of(league.store)).get(request.run):
            _check_same(known, request)
            return _start(league, known.opened, _read_seed(league, known.opened), request.file)
        seed = random_seed()
        opened = _opened(league, request, commitment(seed))
        start = _start(league, opened, seed, request.file)
        _store(league, replace(opened, title=start.plan.spec.title), seed)
        return start


def _check_same(known: SideMatch, request: CupRequest) -> None:
    """Raise InputError, if a request differs from the cup of the same name."""
    size = len(known.opened.entrants)
    if (known.opened.spec, size) != (request.text, request.size):
        found = "another spec" if known.opened.spec != request.text else f"the best {size}"
        raise InputError(f"the cup {request.name} was decided with {found}, {known.opened.at}; expected --name for another cup")


def _opened(league: OpenLeague, request: CupRequest, committed: str) -> SideOpened:
    """Return the entry that opens a cup of the best by the table now, without its title. Raises: InputError."""
    history, size = leagues.history(league.folder, league.store), request.size
    best, field = best_of_table(history, league.spec.rating_terms), history.field()
    if not LEAST <= size <= len(best):
        expected = f"expected {LEAST} to {len(best)}" if len(best) >= LEAST else f"expected at least {LEAST} of them"
        raise InputError(f"--from-table {size}: {len(best)} bots that play have a rank by the closed rounds; {expected}")
    return SideOpened(
        at=now(),
        kind="events",
        name=request.name,
        title="",
        spec=request.text,
        rounds=len(calendar(history.events).closed),
        entrants=tuple((version, field.version(version).digest) for version in best[:size]),
        commitment=committed,
        method=METHOD,
    )


def open_match(path: Path, person: str, bot: str) -> SideMatch:
    """Store that a person begins a match against a version, and return it. Raises: InputError, StoreError, SpecError."""
    with open_league(path, write=True) as league, league.store.deciding():
        terms, history = league.spec.people, leagues.history(league.folder, league.store)
        if terms is None:
            raise InputError("the spec of this league has `people: null`; expected a league in which people play")
        field, before, seed = history.field(), side_matches(history.events, "people").values(), random_seed()
        version, closed = find_version(field, bot), len(calendar(history.events).closed)
        opened = open_person(person, version, len(before) + 1, closed, terms, now(), commitment(seed))
        check(opened, before, field, with_rank(field, first_rounds(history.played), closed), terms)
        _store(league, opened, seed)
        return SideMatch(opened)


def matches_of_people(path: Path) -> list[SideMatch]:
    """Return all matches of people, the first one first. Raises: StoreError, SpecError."""
    with open_league(path) as league:
        return list(side_matches(leagues.events_of(league.store), "people").values())


def plan_match(path: Path, run: str) -> RunStart:
    """Return the plan and the folder of a match that was opened. Raises: StoreError, SpecError, RosterError."""
    with open_league(path) as league:
        opened = _find(league, run).opened
        return _start(league, opened, _read_seed(league, opened))


def close(path: Path, run: str, played: OpenRun) -> None:
    """Store the result of a run that is over, unless one is stored already. Raises: StoreError, SpecError."""
    plan, store = played.plan, played.store

    def result(match: SideMatch) -> SideClosed:
        found = result_of(match, plan.spec.format, plan.names, store.results())
        return replace(found, seed=plan.seed, link=store.last_link())

    _close(path, run, result)


def void_match(path: Path, run: str, why: str) -> None:
    """Store that the server cannot play a match, unless it is over. Raises: StoreError, SpecError."""
    _close(path, run, lambda match: SideClosed(at=now(), kind=match.opened.kind, name=match.opened.name, void=why))


def _close(path: Path, run: str, closed: Callable[[SideMatch], SideClosed]) -> None:
    with open_league(path, write=True) as league, league.store.deciding():
        match = _find(league, run)
        if match.closed is None:
            add(league.store, closed(match))


def _find(league: OpenLeague, run: str) -> SideMatch:
    found = side_matches(leagues.events_of(league.store)).get(run)
    if found is None:
        raise StoreError(f"{league.folder.path}: {run} is not in the chain")
    return found


def result_of(match: SideMatch, chosen: Format, names: Sequence[str], results: Sequence[Result]) -> SideClosed:
    """Return the entry with a result but without seed and link: the places are by the format, otherwise by wins."""
    ranked = places(chosen, names, lambda: results) or by_results(names, results)
    hands = [hand for one in results for hand in one.singles] if match.opened.person else []
    return SideClosed(
        at=now(),
        kind=match.opened.kind,
        name=match.opened.name,
        places=tuple(tuple(match.entrants.get(bot, bot) for bot in place) for place in ranked),
        points=sum(hand.points for hand in hands),
        adjusted=tuple(round(hand.points - (hand.luck or 0.0), 3) for hand in hands),
    )


def _start(league: OpenLeague, opened: SideOpened, seed: str, file: str = "") -> RunStart:
    """Return the plan, under the rules and limits of the league, and the folder; ``file`` is that of the spec, for messages."""
    field, person = leagues.field(league.store), opened.person
    named = {name: field.version(entrant) for name, entrant in SideMatch(opened).entrants.items() if entrant != person}
    people = (person_entrant(person),) if person else ()
    if person:  # one who leaves must not gain: at least the default points, more than most hands cost
        costs = league.spec.faults
        league = league._replace(spec=replace(league.spec, faults=replace(costs, points=max(costs.points, FaultCosts().points))))
    sources = {one.name: PERSON for one in people} | sources_of(named)
    spec = spec_of(league, sources, opened.spec, file or opened.run)  # its mistakes are named before copies are read
    return RunStart(plan=Plan(spec, (*people, *entrants_of(league, named)), seed), folder=run_folder(league.folder.path, opened))


def entrants_of(league: OpenLeague, named: Mapping[str, Version]) -> tuple[Entrant, ...]:
    """Return the entrants of some versions by the names under which they play. Raises: RosterError, StoreError."""
    with confined_reader(league.spec.sandbox) as reader:
        found = {name: copies.entrant(version, league.folder.path, reader) for name, version in named.items()}
    sources = sources_of(named)
    return tuple(replace(bot, name=name, version=str(named[name].number), source=sources[name]) for name, bot in found.items())


def sources_of(named: Mapping[str, Version]) -> dict[str, str]:
    """Return the paths of some versions from the folder of a run beside the rounds, by the same names."""
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
    spec = complete_spec(text, installed_kinds(), file, given, OF_THE_LEAGUE)
    try:  # a format may not accept this number of bots
        next(iter(spec.format.fixtures(list(sources), ())), None)
    except SpecError as error:
        raise SpecError(error.message, path=file) from None
    return spec


def _store(league: OpenLeague, opened: SideOpened, seed: str) -> None:
    """Store the seed of a run, and in the league's chain who takes part in it. Raises: StoreError."""
    secret = seed_file(league.folder.path, opened)
    with naming_errors(secret.parent, "cannot be written"):
        make_folder(league.folder.path, opened.kind, mode=0o700 if opened.person else 0o777)
    write_private(secret, f"{seed}\n")
    add(league.store, opened)


def run_folder(league: Path, opened: SideOpened) -> Folder:
    """Return the folder of a run. Raises: UnsafeFileError."""
    return Folder(inside(league, opened.kind, opened.name))


def seed_file(league: Path, opened: SideOpened) -> Path:
    """Return the file with the seed of a run, beside its folder."""
    run = run_folder(league, opened).path
    return run.with_name(f"{run.name}{SEED_FILE}")


def _read_seed(league: OpenLeague, opened: SideOpened) -> str:
    path = seed_file(league.folder.path, opened)
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: cannot be read: {error}; it holds the seed of {SideMatch(opened).label}") from None
