"""A spec with every bot found: all that is needed to play."""

from collections.abc import Callable

from msgspec import Struct

from arena.errors import RosterError
from arena.records import Fixture
from arena.referee.job import Job
from arena.roster.entrant import Entrant
from arena.tournament.spec import Spec


class Plan(Struct, frozen=True):
    """What is to be played, and by whom."""

    spec: Spec
    field: tuple[Entrant, ...]  # in the order of the spec
    seed: str

    @property
    def names(self) -> tuple[str, ...]:
        """Return the entrants' names."""
        return tuple(entrant.name for entrant in self.field)

    def job(self, fixture: Fixture) -> Job:
        """Return all that a worker needs to play a fixture."""
        launches = {entrant.name: entrant.launch for entrant in self.field}
        zero, one = fixture.seats
        return Job(
            fixture=fixture,
            launches=(launches[zero], launches[one]),
            rules=self.spec.rules,
            sandbox=self.spec.sandbox,
            time=self.spec.time,
            faults=self.spec.faults,
            seed=self.seed,
        )


def make(spec: Spec, seed: str, find: Callable[[str, str | None], Entrant]) -> Plan:
    """Return the plan of a spec. ``find`` looks a bot up, by what the spec calls it and the folder to seek paths from.

    Raises: RosterError, for a bot that is not found and for two of one name.
    """
    field = tuple(find(entry.bot, entry.name) for entry in spec.bots)
    names = [entrant.name for entrant in field]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise RosterError(f"two entrants are called {twice[0]!r}; give one another name, as {{bot: {twice[0]}, name: another}}")
    return Plan(spec, field, seed)
