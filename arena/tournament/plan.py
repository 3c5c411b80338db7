"""A plan: a spec with its entrants, which is all that is needed to play; and checks of it before and after."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from random import Random

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from arena.errors import DamagedError, RosterError
from arena.gin.score import HandResult
from arena.players.base import PlayerFaultError
from arena.players.process_player import ProcessPlayer
from arena.players.state import EMPTY_DIGEST, KeptStates
from arena.records import LUCK_VERSION, Assurance, Fixture, Result, SingleHand
from arena.referee.job import Job, JobStates, SeatState
from arena.roster.entrant import Entrant, Launch, Name, StateLimits
from arena.sdk.checks import WARNING
from arena.tournament.spec import Entry, Spec


class PlayedPart(Struct, frozen=True):
    """An earlier run that a run continues."""

    results: str  # its folder
    seed: str
    hands: int


class Earlier(Struct, frozen=True):
    """The runs that a run continues; none, for most runs."""

    results: tuple[Result, ...] = ()
    parts: tuple[PlayedPart, ...] = ()
    link: str = ""  # last link of the last part


class RoundStates(Struct, frozen=True, kw_only=True):
    """The states with which bots begin a round of a league, and those that are kept after it."""

    folder: str  # where states are kept
    limits: StateLimits
    starts: Mapping[str, str]  # by entrant: the digest of the state with which it begins; any other begins with the empty state
    lessons: Mapping[str, str]  # by entrant: the id of the fixture after which its state is kept

    def of(self, fixture: Fixture) -> JobStates:
        """Return the states for the job of a fixture."""
        first, second = (
            SeatState(self.starts.get(name, EMPTY_DIGEST), self.lessons.get(name) == fixture.id) for name in fixture.seats
        )
        return JobStates(files=KeptStates(Path(self.folder), self.limits), seats=(first, second))


class Plan(Struct, frozen=True, dict=True):  # dict: for what is computed once
    """A spec and its entrants."""

    spec: Spec
    field: tuple[Entrant, ...]  # in the order of the spec
    seed: str | None  # as typed, or the run seed once the tournament has begun; None: drawn at the beginning
    earlier: Earlier = Earlier()  # the format receives its results too
    states: RoundStates | None = None  # None: no bot has a state folder
    luck: int = LUCK_VERSION  # version of the value function by which the luck of the draws is measured
    coin: bool = True  # a coin decides which leg of a pair is played first; False: the format

    @property
    def names(self) -> tuple[str, ...]:
        """Return the entrants' names."""
        return tuple(entrant.name for entrant in self.field)

    @property
    def programs(self) -> tuple[Entrant, ...]:
        """Return the entrants that are started as processes: neither people nor bots that play in this process."""
        return tuple(entrant for entrant in self.field if entrant.launch.command)

    @cached_property
    def _launches(self) -> dict[str, Launch]:
        """Return the launches by name; made for each job, they would cost 0.4 ms in a field of 10,000."""
        limits = self.states and self.states.limits
        return {entrant.name: replace(entrant.launch, state=limits) if limits else entrant.launch for entrant in self.field}

    def job(self, fixture: Fixture) -> Job:
        """Return a worker's job for a fixture; ``seed`` must be the run seed, not None."""
        assert self.seed is not None
        zero, one = fixture.seats
        return Job(
            fixture=fixture,
            launches=(self._launches[zero], self._launches[one]),
            rules=self.spec.rules,
            sandbox=self.spec.sandbox,
            time=self.spec.time,
            lines=self.spec.lines,
            faults=self.spec.faults,
            seed=self.seed,
            states=self.states.of(fixture) if self.states else None,
        )


def check_sandbox(plan: Plan) -> Assurance:
    """Return the guarantees of the sandbox. Raises: SandboxError, if it cannot be set up or cannot run one of the bots."""
    assurance = plan.spec.sandbox.assurance()
    for entrant in plan.programs:
        plan.spec.sandbox.wrap(entrant.launch)
    return assurance


class EntryError(RosterError):
    """A bot of a spec cannot be entered; ``place`` is its place among ``bots``, from 0."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


def make(spec: Spec, seed: str | None, find: Callable[[str, str | None], Entrant]) -> Plan:
    """Return the plan of a spec. ``find`` returns the entrant for a ``bot`` and a ``name`` of the spec.

    Raises: EntryError, for a bot that is not found, a duplicate name or an invalid one; SpecError, for a format that does not
    accept this number of bots.
    """
    field = tuple(_entrant(entry, place, find) for place, entry in enumerate(spec.bots))
    names = [entrant.name for entrant in field]
    if duplicates := sorted(name for name, number in Counter(names).items() if number > 1):
        name = duplicates[0]
        first, second, *_ = [place for place, found in enumerate(names) if found == name]
        one, other = spec.bots[first].bot, spec.bots[second].bot
        raise EntryError(
            f"two entrants are called {name!r}: {one} and {other}; give one another name, as {{bot: {other}, name: another}}",
            second,
        )
    # a format that does not accept this number of bots raises here, before there is a run
    next(iter(spec.format.fixtures(names, ())), None)
    return Plan(spec, field, seed)


def _entrant(entry: Entry, place: int, find: Callable[[str, str | None], Entrant]) -> Entrant:
    """Return the entrant of a spec's entry. Raises: EntryError."""
    try:
        found = find(entry.bot, entry.name)
        convert(found.name, Name)
    except RosterError as error:
        raise EntryError(str(error), place) from error
    except ValidationError:
        expected = "expected at most 50 letters, digits and _.-, as {bot: ..., name: another}"
        raise EntryError(f"an entrant is called {found.name!r}; {expected}", place) from None
    return found


# A dry run, which counts the fixtures of a format and plays nothing.
#
# The fixtures may depend on results, as those of a duel do. So the format gets simulated results of equal bots: hands drawn at
# random from a few that were played for a forecast, each won by a random seat. The dry run thus covers the rounds of a duel as well
# as a round robin.

MAX_RESULTS = 20_000  # simulated results; a format that has asked for more fixtures is not asked again
MAX_DEALS = 1000
Kind = tuple[tuple[str, str], int | None]  # seats in the order of their names, hands


class DryRun(Struct, frozen=True):
    """The number of fixtures of each kind."""

    kinds: Counter[Kind]
    rounds: int  # how often the format asked; from the second on its fixtures depend on the results
    deals: int  # number of different keys of deals, at most MAX_DEALS; fixtures with the same key are not in play at once

    @property
    def by_results(self) -> bool:
        """Tell whether the fixtures depend on the results."""
        return self.rounds > 1

    @property
    def fixtures(self) -> int:
        """Return the number of fixtures."""
        return self.kinds.total()


def dry_run(plan: Plan, hands: Sequence[HandResult], hands_a_match: float) -> DryRun:
    """Return the fixtures that would be played if all bots were equal and their hands were like ``hands``."""
    kinds: Counter[Kind] = Counter()
    deals: set[str] = set()
    played: list[Result] = []
    rounds, chance = 0, Random(0)  # noqa: S311 - simulated results need no secret
    while kinds.total() <= MAX_RESULTS:
        asked = list(_count(plan.spec.format.fixtures(plan.names, played), kinds, deals))
        if not asked:
            break
        rounds += 1
        played += [_simulate(fixture, hands, hands_a_match, plan, chance) for fixture in asked]
    return DryRun(kinds, rounds=rounds, deals=len(deals))


def first_pairings(plan: Plan) -> list[tuple[str, str]]:
    """Return the pairings of the first fixtures, at most MAX_RESULTS of them, without a bot against itself."""
    seen: dict[tuple[str, str], None] = {}
    for _, fixture in zip(range(MAX_RESULTS), plan.spec.format.fixtures(plan.names, []), strict=False):
        seen.setdefault(_by_name(fixture), None)
    return [pairing for pairing in seen if pairing[0] != pairing[1]]


def _count(fixtures: Iterable[Fixture], kinds: Counter[Kind], deals: set[str]) -> Iterator[Fixture]:
    """Count fixtures and deals, and yield a fixture while ``kinds`` has at most MAX_RESULTS."""
    for total, fixture in enumerate(fixtures, kinds.total() + 1):
        kinds[_by_name(fixture), fixture.hands] += 1
        if len(deals) < MAX_DEALS:
            deals.add(fixture.deals)
        if total <= MAX_RESULTS:
            yield fixture


def _by_name(fixture: Fixture) -> tuple[str, str]:
    one, other = sorted(fixture.seats)
    return one, other


def _simulate(fixture: Fixture, hands: Sequence[HandResult], hands_a_match: float, plan: Plan, chance: Random) -> Result:
    count = fixture.hands or round(hands_a_match)
    nets = [_net(chance.choice(hands), chance) for _ in range(count)]
    points = (sum(net for net in nets if net > 0), -sum(net for net in nets if net < 0))
    winner = None if fixture.hands else int(points[1] > points[0])
    games = (0, 0) if winner is None else (plan.spec.rules.games_to_win, 0) if winner == 0 else (0, plan.spec.rules.games_to_win)
    singles = tuple(SingleHand(net, None, (0, 0)) for net in nets) if fixture.hands else ()
    return Result(fixture=fixture, winner=winner, games=games, points=points, hands=count, singles=singles)


def _net(hand: HandResult, chance: Random) -> int:
    return 0 if hand.winner is None else hand.points * chance.choice((-1, 1))


# Checks that the records of a run are the ones that its format asks for.
#
# The format is called as in play: for a round, and for the next one if all of that is on record. It receives only results of
# fixtures that it asked for, so a record that does not belong to the run cannot change what is expected.

MAX_MISSING = 1_000_000  # missing fixtures that are counted; a spec can ask for any number

Content = tuple[tuple[str, str], str, int | None, bool]


class Completeness(Struct, frozen=True, kw_only=True):
    """The records of a run compared with its fixtures."""

    played: int  # fixtures that the format asks for and that are on record
    missing: int  # fixtures that the format asks for now and that are not on record; at most MAX_MISSING
    first_missing: str | None  # id; None: none is missing
    wrong: tuple[str, ...]  # a line for each record that the format does not ask for

    @property
    def summary(self) -> str:
        """Return the counts as text."""
        more = "at least " if self.missing == MAX_MISSING else ""
        return f"{self.played} of {more}{self.played + self.missing} matches are on record"


def compare(spec: Spec, field: Sequence[str], results: Sequence[Result], earlier: Sequence[Result] = ()) -> Completeness:
    """Return the comparison of ``results`` with the fixtures of the format, which receives those of ``earlier`` runs too.

    Raises: DamagedError, for another number of entrants than in the spec.
    """
    if len(field) != len(spec.bots):
        raise DamagedError(f"{len(field)} entrants on record; expected the {len(spec.bots)} of the spec")
    comparison = _Comparison(results, earlier)
    while comparison.ask(spec, field):
        pass
    return comparison.result()


def first_on_known_deals(plan: Plan, results: Sequence[Result], before: Collection[str]) -> Fixture | None:
    """Return the first fixture, of those that are next, in which a bot that was added plays deals on record; None: none.

    ``before``: the bots of the run before it grew. An added one could know the cards.
    """
    dealt = {result.fixture.deals for result in results}
    asked = plan.spec.format.fixtures(plan.names, results)
    return next((one for one in asked if one.deals in dealt and not set(one.seats) <= set(before)), None)


class _Comparison:
    """The fixtures that the format asked for so far, and the records found for them."""

    def __init__(self, results: Sequence[Result], earlier: Sequence[Result]) -> None:
        self._results = results
        self._earlier = earlier
        self._stored = {result.fixture.id: result.fixture for result in results}
        self._contents = {_content(result.fixture): result.fixture.id for result in results}
        self._found: dict[str, Fixture] = {}  # fixtures asked for and on record, by id
        self._missing = 0
        self._first: str | None = None
        self._displaced: dict[Content | str, Fixture] = {}  # missing fixtures whose content or id another record has

    def ask(self, spec: Spec, field: Sequence[str]) -> bool:
        """Compare one more round; True: it has fixtures and all are on record, so that another round may follow."""
        played = [*self._earlier, *(result for result in self._results if result.fixture.id in self._found)]
        before = len(self._found)
        new = (fixture for fixture in spec.format.fixtures(field, played) if fixture.id not in self._found)
        for fixture in islice(new, len(self._results) + MAX_MISSING):
            if self._stored.get(fixture.id) == fixture:
                self._found[fixture.id] = fixture
            else:
                self._miss(fixture)
        return not self._missing and len(self._found) > before

    def _miss(self, fixture: Fixture) -> None:
        self._missing = min(self._missing + 1, MAX_MISSING)
        self._first = self._first or fixture.id
        if _content(fixture) in self._contents:
            self._displaced[_content(fixture)] = fixture
        if fixture.id in self._stored:
            self._displaced[fixture.id] = fixture

    def result(self) -> Completeness:
        """Return the result of the comparison."""
        found = {_content(fixture): fixture.id for fixture in self._found.values()}
        wrong = (result.fixture for result in self._results if result.fixture.id not in self._found)
        return Completeness(
            played=len(self._found),
            missing=self._missing,
            first_missing=self._first,
            wrong=tuple(self._reason(fixture, found) for fixture in wrong),
        )

    def _reason(self, fixture: Fixture, found: dict[Content, str]) -> str:
        """Return a line on why a record does not belong to the run."""
        if expected := self._displaced.get(fixture.id):
            return f"{fixture.id}: on record with {_fixture_words(fixture)}; expected {_fixture_words(expected)}"
        if renamed := self._displaced.get(_content(fixture)):
            return f"{fixture.id}: on record under this id instead of {renamed.id}"
        if original := found.get(_content(fixture)):
            return f"{fixture.id}: a second record of {original}"
        return f"{fixture.id}: on record, but the format does not ask for it"


def _content(fixture: Fixture) -> Content:
    """Return all of a fixture except its id."""
    return fixture.seats, fixture.deals, fixture.hands, fixture.scored


def _fixture_words(fixture: Fixture) -> str:
    hands = "" if fixture.hands is None else f", {fixture.hands} hands{' at different scores' * fixture.scored}"
    return f"{fixture.seats[0]} and {fixture.seats[1]} on deals {fixture.deals}{hands}"


# The preflight check: every entrant is started once before a tournament, so that a mistake in one bot does not cost a league.
#
# A bot is only started here; ``arena.tournament.audition`` tests its play.

PARALLEL = 8  # bots started in parallel
MOST_WARNINGS = 10  # of a bot


def check_starts(plan: Plan) -> list[str]:
    """Start every entrant once, and return the SDK's warnings, as of a method with a misspelt name.

    Raises: RosterError, with a reason for each that fails; WorkerLostError, SandboxError.
    """
    warned: list[str] = []
    failures = list(_failures(plan, warned.append))
    if failures:
        count = "a bot" if len(failures) == 1 else f"{len(failures)} bots"
        raise RosterError(f"{count} cannot be started: {'; '.join(failures)}; `arena bots check` shows where")
    return warned


def warnings(player: ProcessPlayer) -> list[str]:
    """Return the first lines in which the SDK warns of a mistake in the bot's class, before the bot has played."""
    return [line for line in player.log().splitlines() if line.startswith(WARNING)][:MOST_WARNINGS]


def _failures(plan: Plan, warn: Callable[[str], None]) -> Iterator[str]:
    """Yield a line for every bot that is not ready in time; ``warn`` receives the warnings on the others."""
    seeded = replace(plan, seed="preflight")
    fixtures = (Fixture("preflight", (entrant.name, entrant.name), entrant.name) for entrant in plan.programs)
    players = [(fixture.seats[0], seeded.job(fixture).player(0)) for fixture in fixtures]
    for start in range(0, len(players), PARALLEL):
        batch = players[start : start + PARALLEL]
        try:
            not_started = {name: line for name, player in batch if (line := _why_failed(player.start))}
            for name, player in batch:
                if line := not_started.get(name) or _why_failed(partial(player.begin, seat=0, hands=None)):
                    yield f"{name!r}: {line}"
                else:
                    for text in warnings(player):
                        warn(f"bot {name!r}: {text}")
        finally:
            for _, player in batch:
                player.close()


def _why_failed(step: Callable[[], None]) -> str | None:
    """Return the fault in a step of a bot's start, with the last line that the bot wrote to stderr; None: there is none."""
    try:
        step()
    except PlayerFaultError as fault:
        last = fault.stderr.strip().rpartition("\n")[2].strip()
        return f"{fault.detail}: {last}" if last else fault.detail
    return None
