"""A spec with every bot found: all that is needed to play."""

from collections.abc import Callable

from msgspec import Struct, ValidationError, convert

from arena.errors import RosterError
from arena.records import Assurance, Fixture
from arena.referee.job import Job
from arena.roster.entrant import Entrant, Name
from arena.tournament.spec import Spec


class Plan(Struct, frozen=True):
    """What is to be played, and by whom."""

    spec: Spec
    field: tuple[Entrant, ...]  # in the order of the spec
    seed: str | None  # None: to be drawn when the tournament begins

    @property
    def names(self) -> tuple[str, ...]:
        """Return the entrants' names."""
        return tuple(entrant.name for entrant in self.field)

    def job(self, fixture: Fixture) -> Job:
        """Return all that a worker needs to play a fixture. The seed must have been drawn."""
        assert self.seed is not None
        launches = {entrant.name: entrant.launch for entrant in self.field}
        zero, one = fixture.seats
        return Job(
            fixture=fixture,
            launches=(launches[zero], launches[one]),
            rules=self.spec.rules,
            sandbox=self.spec.sandbox,
            time=self.spec.time,
            lines=self.spec.lines,
            faults=self.spec.faults,
            seed=self.seed,
        )


def walled_in(plan: Plan) -> Assurance:
    """Return what keeps the bots in; every one of them can be started behind it. Raises: SandboxError."""
    assurance = plan.spec.sandbox.assurance()
    for entrant in plan.field:
        plan.spec.sandbox.wrap(entrant.launch)
    return assurance


def make(spec: Spec, seed: str | None, find: Callable[[str, str | None], Entrant]) -> Plan:
    """Return the plan of a spec. ``find`` looks a bot up, by what the spec calls it and the folder to seek paths from.

    Raises: RosterError, for a bot that is not found, for two of one name, and for a name that no entrant may have; SpecError,
    for a format that cannot be played by so many.
    """
    field = tuple(find(entry.bot, entry.name) for entry in spec.bots)
    for entrant in field:
        _check_name(entrant.name)
    names = [entrant.name for entrant in field]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise RosterError(f"two entrants are called {twice[0]!r}; give one another name, as {{bot: {twice[0]}, name: another}}")
    next(iter(spec.format.fixtures(names, ())), None)  # a format that cannot be played by so many says so now
    return Plan(spec, field, seed)


def _check_name(name: str) -> None:
    try:
        convert(name, Name)
    except ValidationError:
        raise RosterError(
            f"an entrant is called {name!r}; expected at most 50 letters, digits and _.-, as {{bot: ..., name: another}}"
        ) from None
