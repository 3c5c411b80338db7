"""A plan: a spec with its bots found, which is all that is needed to play."""

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from arena.errors import RosterError
from arena.players.state import EMPTY_DIGEST, KeptStates
from arena.records import LUCK_VERSION, Assurance, Fixture, Result
from arena.referee.job import Job, JobStates, SeatState
from arena.roster.entrant import Entrant, Launch, Name, StateLimits
from arena.tournament.spec import Spec


class PlayedPart(Struct, frozen=True):
    """An earlier run that a run continues."""

    results: str  # its folder
    seed: str
    hands: int


class Earlier(Struct, frozen=True):
    """What was played before a run that continues others; nothing, for most runs."""

    results: tuple[Result, ...] = ()
    parts: tuple[PlayedPart, ...] = ()
    link: str = ""  # last link of the last part


class RoundStates(Struct, frozen=True, kw_only=True):
    """What becomes of the bots' state folders in a round of a league."""

    folder: str  # of the states that are kept
    limits: StateLimits
    starts: Mapping[str, str]  # digests of the states with which entrants begin; of others it is empty
    lessons: Mapping[str, str]  # the fixture whose state is kept, by entrant

    def of(self, fixture: Fixture) -> JobStates:
        """Return the states for the job of a fixture."""
        zero, one = (SeatState(self.starts.get(name, EMPTY_DIGEST), self.lessons.get(name) == fixture.id) for name in fixture.seats)
        return JobStates(files=KeptStates(Path(self.folder), self.limits), seats=(zero, one))


class Plan(Struct, frozen=True, dict=True):  # dict: for what is computed once
    """A spec and its entrants."""

    spec: Spec
    field: tuple[Entrant, ...]  # in the order of the spec
    seed: str | None  # as typed, or the run seed once the tournament has begun; None: drawn at the beginning
    earlier: Earlier = Earlier()  # the format receives its results too
    states: RoundStates | None = None  # None: no bot has a state folder
    luck: int = LUCK_VERSION  # version of V, by which the luck of the draws is measured
    coin: bool = True  # whether a coin decides which leg of a pair is played first, and not the format, as in older runs

    @property
    def names(self) -> tuple[str, ...]:
        """Return the entrants' names."""
        return tuple(entrant.name for entrant in self.field)

    @property
    def programs(self) -> tuple[Entrant, ...]:
        """Return the entrants that are started as processes: all but a person."""
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


def make(spec: Spec, seed: str | None, find: Callable[[str, str | None], Entrant]) -> Plan:
    """Return the plan of a spec. ``find`` returns the entrant for a ``bot`` and a ``name`` of the spec.

    Raises: RosterError, for a bot that is not found, a duplicate name or an invalid one; SpecError, for a format that does not
    accept this number of bots.
    """
    field = tuple(find(entry.bot, entry.name) for entry in spec.bots)
    for entrant in field:
        _check_name(entrant.name)
    names = [entrant.name for entrant in field]
    if duplicates := sorted({name for name in names if names.count(name) > 1}):
        name = duplicates[0]
        first, second, *_ = [entry.bot for entry, found in zip(spec.bots, names, strict=True) if found == name]
        raise RosterError(
            f"two entrants are called {name!r}: {first} and {second}; give one another name, as {{bot: {second}, name: another}}"
        )
    # a format that does not accept this number of bots raises here, before there is a run
    next(iter(spec.format.fixtures(names, ())), None)
    return Plan(spec, field, seed)


def _check_name(name: str) -> None:
    try:
        convert(name, Name)
    except ValidationError:
        raise RosterError(
            f"an entrant is called {name!r}; expected at most 50 letters, digits and _.-, as {{bot: ..., name: another}}"
        ) from None
