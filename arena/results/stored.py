"""The spec, field and seeds of a stored run: a tournament, a league, an import or unconfined games."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import DamagedError, StoreError
from arena.league import leagues
from arena.league.leagues import round_states
from arena.league.rules import consequences, events, learning, rounds, side_consequences
from arena.league.rules import spec as league_specs
from arena.league.rules.events import AnyEvent, RoundOpened
from arena.league.rules.field import Version, fold
from arena.league.rules.rounds import Calendar, calendar, round_of
from arena.league.rules.spec import LeagueSpec
from arena.league.rules.table import table
from arena.plugins.manager import naming_missing
from arena.records import Fixture, Result
from arena.remote import record as unconfined
from arena.roster.entrant import Entered
from arena.runs.plans import kinds
from arena.runs.session import COIN, IMPORT, LEGS, PLUGINS, check_method
from arena.stats.standings import Details, Places
from arena.store.folder import MISSING, Folder
from arena.store.rows import MOST_SHOWN
from arena.store.store import Facts, Store, TermsInForce, in_force, later_seeds, revisions
from arena.tournament import spec as specs
from arena.tournament.formats.base import Format, places
from arena.tournament.plan import RoundStates
from arena.tournament.seeds import commitment
from arena.tournament.spec import Entry, Kinds, Spec


def is_import(facts: Mapping[str, str]) -> bool:
    """Tell whether the facts of a run are those of an imported one, whose records hold their decks."""
    return facts.get("kind") == IMPORT


def is_unconfined(facts: Mapping[str, str]) -> bool:
    """Tell whether the facts of a run are those of games of bots that play from elsewhere."""
    return facts.get("kind") == unconfined.KIND


class RecordedFixtures(Format, frozen=True, kw_only=True, tag="imported"):
    """The format of an imported run, which was arranged elsewhere: its fixtures are those on record."""

    grows: ClassVar[bool] = False
    recorded: tuple[Fixture, ...]

    @property
    def counts_lost(self) -> bool:
        """Tell that a lost fixture is a result: it cannot be played again."""
        return True

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[Fixture]:
        """Return the recorded fixtures that are not among those played: none, if ``played`` has all records."""
        del field
        known = {result.fixture.id for result in played}
        return (fixture for fixture in self.recorded if fixture.id not in known)


class UnconfinedGames(RecordedFixtures, frozen=True, kw_only=True, tag="unconfined"):
    """The format of games of bots that play from elsewhere: its fixtures are those on record, and its table is by points a hand."""

    entered: tuple[Entered, ...]

    def details(self, field: Sequence[str], played: Sequence[Result]) -> Details:
        """Return the table of points a hand, luck-adjusted, and who leads it."""
        del field
        return unconfined.details(self.entered, played)


class StoredRun(Struct, frozen=True, kw_only=True):
    """A stored run: what was played, by which bots, and how its deals, states and ranking are found."""

    facts: Facts
    spec: Spec
    field: tuple[Entered, ...]
    shown: tuple[Entered, ...]  # in a report; of more than MOST_SHOWN, a league's active ones, or the first of unconfined games
    # returns the seed of a fixture by its id, None for an imported one; raises StoreError, if it is not revealed yet
    seed_of: Callable[[str], str | None]
    places: Callable[[Callable[[], Sequence[Result]]], Places | None]  # returns the ranking; None: it follows from the results
    states_of: Callable[[str], RoundStates | None] = lambda _: None  # returns what the bots of a fixture had learned; None: nothing
    finished: bool  # whether the run is over; of a league, whether no round is open
    versions: Mapping[str, Version] = {}  # of a league's bots, by the entrant's name
    coin_decides: Callable[[str], bool] = lambda _: False  # receives deals; whether a coin decided which of their legs is first
    keeps_states_of: Callable[[str], bool] = lambda _: True  # whether the states with which a fixture began are kept

    @property
    def names(self) -> tuple[str, ...]:
        """Return the entrants' names."""
        return tuple(entrant.name for entrant in self.field)


def stored_run(folder: Folder, store: Store, known: Kinds) -> StoredRun:
    """Return the stored spec and terms of a run. Raises: StoreError, if it has not begun; DamagedError, SpecError."""
    facts = store.begun_facts()
    known = naming_missing(known, facts.get(PLUGINS, ""))
    if leagues.is_league(facts):
        return _league_run(folder, store, facts, known)
    if is_import(facts):
        return _imported_run(folder, store, facts, known)
    if is_unconfined(facts):
        return _unconfined_run(folder, store, facts, known)
    terms = in_force(store, facts)
    check_method(folder, terms.plan)
    return _tournament_run(specs.parse(terms.spec, known, str(folder.spec)), store, terms)


@contextmanager
def open_stored(folder: Folder) -> Iterator[tuple[Store, StoredRun]]:
    """Yield the database and the stored run of a folder. Raises: as ``stored_run``."""
    with Store(folder.database) as store:
        yield store, stored_run(folder, store, kinds())


def differences(store: Store, facts: Facts) -> list[str]:
    """Return the contradictions in the facts and events of a run. Raises: DamagedError."""
    if is_import(facts):
        return []
    if is_unconfined(facts):
        return [] if commitment(facts["seed"]) == facts["commitment"] else ["seed: it is not the one that was committed to"]
    if not leagues.is_league(facts):
        return list(_seed_differences(in_force(store, facts)))
    event_log = tuple(map(events.decode, store.events()))
    calendar(event_log)
    submitted = {(version.id, version.digest) for version in fold(event_log).versions}
    entered = {(entrant.name, entrant.digest) for entrant in store.entrants()}
    return [f"{name}: an entrant without a submission, or a submission without an entrant" for name, _ in submitted ^ entered]


def spec_differences(folder: Folder, store: Store, facts: Facts) -> Iterator[str]:
    """Yield a copy of the spec in the folder of a run that differs from all specs of the run. Raises: DamagedError.

    The copy may be missing, or older than the one in force: a run that was killed as it grew writes the new one when it resumes.
    """
    if not leagues.is_league(facts):
        found = folder.differs(folder.spec.name, facts["spec"], *(one.spec for one in revisions(store, facts)))
        if found not in ("", MISSING):
            yield f"{folder.spec.name}: {found}; expected the spec of the run, as the database has it: restore it, or remove it"


def round_differences(folder: Folder, store: Store, facts: Facts, known: Kinds) -> Iterator[str]:
    """Yield contradictions in a league: in its events, its pairings, and the results kept beside the database.

    Raises: DamagedError, StoreError, SpecError.
    """
    if leagues.is_league(facts):
        yield from leagues.cache_differences(folder, store)
        spec = league_specs.parse(facts["spec"], known, str(folder.path / leagues.SPEC))
        league_history = leagues.history(folder, store)
        yield from consequences.differences(league_history, spec)
        yield from side_consequences.side_differences(league_history, spec.rating_terms, spec.people)
        yield from learning.differences(league_history.events, store.left_states(), learns=spec.learning is not None)


def game_differences(store: Store, run: StoredRun, known: unconfined.Chronicle) -> Iterator[str]:
    """Yield contradictions in unconfined games: of answers, signatures, pairings, deals, ends. Raises: DamagedError, InputError."""
    yield from unconfined.differences(store, known, run.spec.rules, run.facts["seed"])
    if run.finished:
        yield from (f"{game}: has no end, and the games are closed" for game in unconfined.open_games(store, known))


def _seed_differences(terms: TermsInForce) -> Iterator[str]:
    """Yield each seed of a tournament that is not the one that was committed to."""
    later = [(revision.seed, revision.commitment) for revision in terms.revisions if revision.seed]
    for seed, committed in [(terms.facts["seed"], terms.facts["commitment"]), *later]:
        if committed != (found := commitment(seed)):
            yield f"seed: its SHA-256 is {found}; committed was {committed}"


def tournament_run(spec: Spec, store: Store) -> StoredRun:
    """Return the stored run of a tournament whose spec the caller has read already. Raises: DamagedError."""
    return _tournament_run(spec, store, in_force(store, store.begun_facts()))


def _tournament_run(spec: Spec, store: Store, terms: TermsInForce) -> StoredRun:
    later, seed = later_seeds(store, terms.facts), terms.facts["seed"]
    field = terms.field
    names = [entrant.name for entrant in field]
    coin = terms.facts.get(LEGS) == COIN
    return StoredRun(
        facts=terms.facts,
        spec=spec,
        field=field,
        shown=field,
        seed_of=lambda fixture: later.get(fixture, seed),
        places=lambda results: places(spec.format, names, results),
        coin_decides=lambda _: coin,
        finished="finished" in terms.facts,
    )


def _imported_run(folder: Folder, store: Store, facts: Facts, known: Kinds) -> StoredRun:
    spec, field = specs.parse(facts["spec"], known, str(folder.spec)), store.field()
    entries = tuple(Entry(entrant.source, entrant.name) for entrant in field)
    return StoredRun(
        facts=facts,
        spec=replace(spec, bots=entries, format=RecordedFixtures(recorded=tuple(store.fixtures()))),
        field=field,
        shown=field,
        seed_of=lambda _: None,
        places=lambda _: None,
        finished="finished" in facts,
    )


def _unconfined_run(folder: Folder, store: Store, facts: Facts, known: Kinds) -> StoredRun:
    spec, entered = specs.parse(facts["spec"], known, str(folder.spec)), store.entrants()
    games = UnconfinedGames(recorded=tuple(store.fixtures()), entered=entered)
    return StoredRun(
        facts=facts,
        spec=replace(spec, bots=tuple(Entry(entrant.source, entrant.name) for entrant in entered), format=games),
        field=entered,
        shown=entered[:MOST_SHOWN],
        seed_of=lambda _: facts["seed"],
        places=lambda played: [[score.bot] for score in unconfined.scores(played())],
        finished="finished" in facts,
    )


def _league_run(folder: Folder, store: Store, facts: Facts, known: Kinds) -> StoredRun:
    league = league_specs.parse(facts["spec"], known, str(folder.path / leagues.SPEC))
    event_log, field = tuple(map(events.decode, store.events())), store.entrants()
    dates, bots = calendar(event_log), fold(event_log)
    active = {version.id for version in bots.active}
    shown = field if len(field) <= MOST_SHOWN else tuple(entrant for entrant in field if entrant.name in active)
    names = {entrant.name for entrant in shown}
    coin_rounds = {one.round for one in dates.opened if one.coin}

    def league_places(_: Callable[[], Sequence[Result]]) -> Places:
        return [[row.id] for row in table(leagues.history(folder, store), league.rating_terms).rows if row.id in names]

    return StoredRun(
        facts=facts,
        spec=leagues.as_tournament(league, field, dates.opened, folder.path),
        field=field,
        shown=shown,
        seed_of=_seeds(dates, folder),
        places=league_places,
        states_of=_states(folder, league, event_log),
        coin_decides=lambda deals: round_of(deals) in coin_rounds,
        finished=dates.current is None,
        versions=bots.by_id,
        keeps_states_of=lambda fixture: _keeps_states(league, dates, round_of(fixture)),
    )


def _states(folder: Folder, league: LeagueSpec, event_log: Sequence[AnyEvent]) -> Callable[[str], RoundStates | None]:
    """Return a function that finds the states with which a fixture's bots began, and none to keep: a replay keeps none."""
    opened = {event.round: (index, event) for index, event in enumerate(event_log) if isinstance(event, RoundOpened)}

    def states_of(fixture: str) -> RoundStates | None:
        index, event = opened[round_of(fixture)]
        found = round_states(folder.path, league.learning, event_log[:index], event)
        return found and replace(found, lessons={})

    return states_of


def _keeps_states(league: LeagueSpec, dates: Calendar, number: int) -> bool:
    return league.learning is None or learning.is_replayable(number, len(dates.closed), league.learning.rounds)


def _seeds(dates: Calendar, folder: Folder) -> Callable[[str], str]:
    """Return a function that finds the seed of a fixture; in an open round only if the folder holds the season's secret.

    The function raises StoreError, if it is not revealed yet; DamagedError, for a round that was never opened.
    """
    seeds = {closed.round: closed.seed for closed in dates.closed}
    if dates.current and dates.season and (secret := leagues.secret(folder, dates.season.season)):
        seeds[dates.current.round] = rounds.seed(secret, dates.season.rounds, dates.in_season)

    def seed_of(fixture: str) -> str:
        number = round_of(fixture)
        if not 0 < number < dates.number:
            raise DamagedError(f"{fixture}: round {number} was never opened")
        if number not in seeds:
            raise StoreError(f"{fixture}: the seed of round {number} is revealed when the round is closed")
        return seeds[number]

    return seed_of
