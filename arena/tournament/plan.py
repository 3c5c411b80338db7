"""A plan: a spec with its entrants, which is all that is needed to play."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from arena.errors import RosterError
from arena.players.kept_states import EMPTY_DIGEST, KeptStates
from arena.records import LUCK_VERSION, Assurance, Fixture, Result
from arena.referee.job import Job, JobStates, SeatState
from arena.roster.entrant import Entrant, Launch, Name, StateLimits
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
