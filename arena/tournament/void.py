"""Void fixtures: lost in every try, on record with the reason, and not played."""

from collections import Counter
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from arena.errors import WorkerLostError
from arena.records import Fixture
from arena.referee.job import Job
from arena.roster.entrant import Launch, failing_launch

MOST_LOST = 10  # void fixtures in a row
MOST_VOID = 2  # void fixtures of an entrant that is not suspended


class VoidStreak:
    """The void fixtures in a row. More than MOST_LOST cannot be the doing of one bot, so the play stops."""

    def __init__(self) -> None:
        self._length = 0

    def add(self, error: Exception) -> None:
        """Count a void fixture. Raises: WorkerLostError, if there are too many."""
        self._length += 1
        if self._length > MOST_LOST:
            raise WorkerLostError(f"more than {MOST_LOST} legs in a row were lost, the last: {error}") from error

    def end(self) -> None:
        """Begin anew, because a fixture was played."""
        self._length = 0


class VoidFixtures:
    """The void fixtures of each entrant, and which entrants they make suspect.

    A sandboxed bot cannot end the worker that plays it, as far as is known; without a sandbox it can. Nothing shows which of the
    two bots of a void fixture it was, or whether it was the machine. So an entrant is suspect if it has void fixtures against
    several opponents, more than MOST_VOID, and more than each of these opponents.
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        """``warn`` receives each entrant that becomes suspect, with the reason."""
        self._warn = warn
        self._fixtures: set[str] = set()
        self._opponents: dict[str, Counter[str]] = {}
        self._suspects: dict[str, str] = {}  # with the reason

    def count(self, fixtures: Iterable[Fixture]) -> None:
        """Count void fixtures, each once."""
        for fixture in fixtures:
            if fixture.id not in self._fixtures:
                self._fixtures.add(fixture.id)
                for name, other in (fixture.seats, fixture.seats[::-1]):
                    self._opponents.setdefault(name, Counter())[other] += 1
                for name in fixture.seats:
                    self._suspect(name)

    def _suspect(self, name: str) -> None:
        opponents = self._opponents[name]
        void = opponents.total()
        most = max(self._opponents[other].total() for other in opponents)
        if void > max(MOST_VOID, most) and len(opponents) > 1 and name not in self._suspects:
            self._suspects[name] = f"the process that played it was lost in {void} matches, against {len(opponents)} opponents"
            self._warn(f"{name} is suspended: {self._suspects[name]}")

    def without_suspects(self, task: Job) -> Job:
        """Return a job in which a program takes the place of each suspect that ends at once and says why: it loses by faults."""
        zero, one = map(self._launch, task.fixture.seats, task.launches)
        return replace(task, launches=(zero, one))

    def _launch(self, name: str, launch: Launch) -> Launch:
        if name not in self._suspects or not launch.command:  # a person, or a bot of this process
            return launch
        return failing_launch(launch.folder, f"suspended: {self._suspects[name]}")
