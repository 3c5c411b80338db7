"""A league as a stored run: its rounds are played, verified and shown like a tournament."""

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import ClassVar, Self

from msgspec.structs import replace

from arena.errors import DamagedError, StoreError
from arena.league import inspection, leagues, pair_cache
from arena.league.intake import copies
from arena.league.leagues import round_states
from arena.league.playable import stand_in
from arena.league.rules import consequences, events, learning, round_seeds, side_consequences
from arena.league.rules.events import AnyEvent, RoundOpened, SideClosed
from arena.league.rules.field import LeagueField, fold
from arena.league.rules.rounds import Calendar, calendar, round_of
from arena.league.rules.side_matches import SideMatch, side_matches
from arena.league.rules.spec import LeagueSpec, parse_league
from arena.league.rules.table_making import make_table
from arena.league.side_matches import result_of, run_folder
from arena.records import Fixture, Result
from arena.roster.entrant import Entrant
from arena.roster.reader import Reader
from arena.runs.stored import RunBeside, StoredRun
from arena.stats.standings import Places
from arena.store.folder import Folder
from arena.store.rows import MOST_SHOWN
from arena.store.store import Facts, Store
from arena.tournament.completeness import Completeness
from arena.tournament.plan import RoundStates
from arena.tournament.spec import Kinds


class LeagueRun(StoredRun, frozen=True, kw_only=True):
    """A league. Its report shows the active versions alone, if there are many."""

    own_pages: ClassVar[str] = "arena serve {folder}"
    has_end: ClassVar[bool] = False
    faults_are_public: ClassVar[bool] = False

    league: LeagueSpec
    events: tuple[AnyEvent, ...]
    dates: Calendar
    seeds: tuple[str, ...]  # of the rounds, as far as they are known here
    bots: LeagueField

    @classmethod
    def read(cls, folder: Folder, store: Store, facts: Facts, kinds: Kinds) -> Self:
        """Return the league with these facts. Raises: StoreError, DamagedError, SpecError."""
        league = parse_league(facts["spec"], kinds, str(folder.path / leagues.SPEC))
        event_log, field = tuple(map(events.decode, store.events())), store.entrants()
        dates, bots = calendar(event_log), fold(event_log)
        active = {version.id for version in bots.active}
        seeds = tuple(closed.seed for closed in dates.closed)
        if dates.current and dates.season and (secret := leagues.secret(folder, dates.season.season)):
            seeds += (round_seeds.seed(secret, dates.season.rounds, dates.in_season),)
        return cls(
            folder=folder,
            store=store,
            facts=facts,
            spec=leagues.as_tournament(league, field, dates.opened, folder.path),
            field=field,
            shown=field if len(field) <= MOST_SHOWN else tuple(entrant for entrant in field if entrant.name in active),
            league=league,
            events=event_log,
            dates=dates,
            seeds=seeds,
            bots=bots,
        )

    @property
    def finished(self) -> bool:
        """Tell whether no round is open."""
        return self.dates.current is None

    def seed_of(self, fixture: str) -> str:
        """Return the seed of a fixture; of an open round only if the folder holds the season's secret.

        Raises: StoreError, if it is not revealed yet; DamagedError, for a round that was never opened.
        """
        number = round_of(fixture)
        if not 0 < number < self.dates.number:
            raise DamagedError(f"{fixture}: round {number} was never opened")
        if number > len(self.seeds):
            raise StoreError(f"{fixture}: the seed of round {number} is revealed when the round is closed")
        return self.seeds[number - 1]

    def coin_decides(self, deals: str) -> bool:
        """Tell whether a coin decided, which may differ from round to round."""
        number = round_of(deals)
        return 0 < number < self.dates.number and self.dates.opened[number - 1].coin

    def places(self, results: Callable[[], Sequence[Result]]) -> Places:
        """Return the ranking of the league's table."""
        del results
        names = {entrant.name for entrant in self.shown}
        history = leagues.history(self.folder, self.store)
        return [[row.id] for row in make_table(history, self.league.rating_terms).rows if row.id in names]

    def why_hidden(self, fixture: str) -> str:
        """Return why the hands of an open round are hidden."""
        is_open = round_of(fixture) > len(self.dates.closed)
        return f"{fixture}: its hands are shown when its round is closed: a bot might read its deals before" if is_open else ""

    def term_differences(self) -> Iterator[str]:
        """Yield entrants that were not submitted, and submissions that are no entrants."""
        submitted = {(version.id, version.digest) for version in self.bots.versions}
        entered = {(entrant.name, entrant.digest) for entrant in self.field}
        for name, _ in submitted ^ entered:
            yield f"{name}: an entrant without a submission, or a submission without an entrant"

    def differences(self, complete: Completeness) -> Generator[str, None, Sequence[str]]:
        """Yield also those in the events, the pairings, and the results kept beside the database.

        Raises: DamagedError, StoreError.
        """
        yield from pair_cache.cache_differences(self.folder, self.store)
        league_history, terms = leagues.history(self.folder, self.store), self.league
        yield from consequences.differences(league_history, terms)
        yield from side_consequences.side_differences(league_history, terms.rating_terms, terms.people)
        yield from learning.differences(league_history.events, self.store.left_states(), learns=terms.learning is not None)
        return (yield from super().differences(complete))

    def copy_differences(self) -> Iterator[str]:
        """Yield nothing: a ``spec.yaml`` in the folder of a league is no copy, but the organiser's own."""
        return iter(())

    def folder_differences(self) -> Iterator[str]:
        """Yield copies, libraries, states and secrets that are not as the chain says; none in an export."""
        if inspection.holds_all(self.folder.path):
            for one in inspection.differences(leagues.as_opened(self.folder, self.store)):
                yield f"{one.name}: {one.found}; {one.consequence}; a backup restores it"

    def runs_beside(self) -> Iterator[RunBeside]:
        """Yield the runs of the cups and people's matches that are over."""
        league, needed = self.folder.path, inspection.holds_all(self.folder.path)
        for match in side_matches(self.events).values():
            if match.closed and match.closed.link:  # without one it is void, or not as ``side_consequences`` expects
                yield RunBeside(
                    name=match.label,
                    folder=run_folder(league, match.opened),
                    link=match.closed.link,
                    needed=needed,
                    compare=partial(result_difference, match, match.closed),
                )

    def find_bot(self, number: int, reader: Reader) -> Entrant:
        """Return the copy of a version. Raises: RosterError, StoreError."""
        return copies.entrant(self.bots.version(self.field[number].name), self.folder.path, reader)

    def bot_of_replay(self, number: int, reader: Reader) -> Entrant:
        """Return the copy of a version; of a withdrawn one a stand-in: nothing of it is played again. Raises: as ``find_bot``."""
        version = self.bots.version(self.field[number].name)
        if version.state == "withdrawn":
            return stand_in(version, self.folder.path, "it was withdrawn")
        return self.find_bot(number, reader)

    def states_of(self, fixture: str) -> RoundStates | None:
        """Return the states with which a fixture's bots began, and none to keep: a replay keeps none."""
        number = round_of(fixture)
        opened = ((index, event) for index, event in enumerate(self.events) if isinstance(event, RoundOpened))
        index, event = next(found for found in opened if found[1].round == number)
        states = round_states(self.folder.path, self.league.learning, self.events[:index], event)
        return states and replace(states, lessons={})

    def can_replay(self, fixture: Fixture) -> bool:
        """Tell whether no version was withdrawn, and the states of the round are kept."""
        if any(self.bots.by_id[name].state == "withdrawn" for name in fixture.seats):
            return False
        limits, number = self.league.learning, round_of(fixture.id)
        return limits is None or learning.is_replayable(number, len(self.dates.closed), limits.rounds)


def result_difference(match: SideMatch, closed: SideClosed, run: StoredRun, results: Sequence[Result]) -> str:
    """Return the first difference between a run beside the rounds and the chain of its league; empty: there is none."""
    entrants = match.entrants
    if {(entrants.get(one.name, one.name), one.digest) for one in run.field} != set(match.opened.entrants):
        return "others have played than the chain of the league names"
    if run.facts["seed"] != closed.seed:
        return "its seed is not the one in the chain of the league"
    found = result_of(match, run.spec.format, run.names, results)
    for name in ("places", "points", "adjusted"):
        ended, said = getattr(found, name), getattr(closed, name)
        if ended != said:
            return f"ends with {name} {ended}; the chain of the league says {said}"
    return ""
