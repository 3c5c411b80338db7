"""``arena verify --replay``: every fixture is played again by its bots in a sandbox, and every action compared."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor as Pool
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from msgspec.json import encode
from msgspec.structs import replace

from arena.errors import DamagedError, StoreError
from arena.records import Fixture
from arena.referee.repetition import Repetition, repeat
from arena.roster.entrant import Entered, Entrant
from arena.roster.finder import find
from arena.roster.reading import Reader
from arena.runs.audits import Progress
from arena.runs.leagues import intake
from arena.runs.leagues.copies import stand_in
from arena.runs.logs.setup import log_nowhere
from arena.runs.parts import sandbox
from arena.runs.runner import Runner
from arena.runs.session import sandbox_warnings
from arena.runs.stored import StoredRun
from arena.runs.submissions.confined_reader import confined_reader
from arena.runs.worker import prepare
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import plan as plans
from arena.tournament.in_play import InPlay
from arena.tournament.plan import Plan
from arena.tournament.spec import Entry


class Replays:
    """Plays fixtures again, and learns on the way which bots do not play the same twice.

    Fixtures end in any order. Their results count in the order of the records, so that the outcome does not depend on the number of
    workers. A worker is given the bots that are known not to play the same twice, because it need not examine them; that changes no
    outcome, since they are known from fixtures that come before in that order.
    """

    def __init__(self, folder: Folder, store: Store, run: StoredRun, runner: Runner, sandbox_name: str | None = None) -> None:
        """Find the bots, and choose the sandbox of this machine or of the user: the stored spec may come from a stranger.

        Raises: RosterError, SandboxError, InputError; StoreError, for a bot that has changed since.
        """
        self._store = store
        self._runner = runner
        self._seed_of, self._states_of, self._keeps_states_of, self._lost = (
            run.seed_of,
            run.states_of,
            run.keeps_states_of,
            run.lost,
        )
        self._then = run.spec.sandbox
        self._withdrawn = {version.id for version in run.versions.values() if version.state == "withdrawn"}
        with confined_reader(sandbox(sandbox_name, [])) as reader:
            field = tuple(_found(entry, entered, run, folder, reader) for entry, entered in _entries(run))
        confined = sandbox(sandbox_name, [bot.launch for bot in field]).with_limits_of(run.spec.sandbox)
        self._plan = Plan(replace(run.spec, sandbox=confined), field, None)
        self._assurance = plans.check_sandbox(self._plan)
        self.warnings = tuple(sandbox_warnings(self._assurance))
        self.odd: set[str] = set()  # bots that do not play the same twice
        self.alike = 0  # fixtures that were played again, action for action
        self.skipped = 0  # fixtures that cannot be played again: a bot, or the state with which it began, is not kept
        self._order: deque[str] = deque()  # fixtures whose result is not counted yet, in the order of the records

    def first_difference(self, progress: Progress) -> str:
        """Return the first fixture in which a bot that plays the same each time does not play what is on record; empty: none.

        Raises: WorkerLostError.
        """
        total = self._store.count()
        pool = partial(self._runner.open, partial(prepare, log_nowhere))
        with InPlay(pool, 2 * self._runner.workers, self._submit) as in_play:
            for number, repetition in enumerate(self._in_order(in_play.play(self._fixtures())), 1):
                progress(number + self.skipped, total)
                if difference := self._counted(repetition):
                    return difference
        return ""

    def message(self) -> tuple[str, ...]:
        """Return what came of it, in two lines."""
        odd = f"; not deterministic, and not compared: {', '.join(sorted(self.odd))}" if self.odd else ""
        skipped = f"; {self.skipped} not, because a bot, or what it had learned before, is no longer kept" if self.skipped else ""
        return f"{self.alike} matches played again, action for action{odd}{skipped}", self._sandbox_line()

    def _sandbox_line(self) -> str:
        """Return what kept the bots in, and what else the run says that it had."""
        confined, then = encode(self._plan.spec.sandbox).decode(), encode(self._then).decode()
        other = "" if confined == then else f"; the run names {then}"
        return f"played again in sandbox {confined}, profile {self._assurance.profile}{other}"

    def _fixtures(self) -> Iterator[Fixture]:
        """Yield every fixture on record that can be played again, and remember its place."""
        for record in self._store.records():
            if record.lost is not None:
                continue
            if self._can_begin(record.fixture):
                self._order.append(record.fixture.id)
                yield record.fixture
            else:
                self.skipped += 1

    def _can_begin(self, fixture: Fixture) -> bool:
        """Return whether the bots of a fixture are kept, and the states with which they began."""
        if not (self._withdrawn.isdisjoint(fixture.seats) and self._keeps_states_of(fixture.id)):
            return False
        states = self._states_of(fixture.id) if self._lost else None
        return states is None or self._lost.isdisjoint((name, states.starts.get(name, "")) for name in fixture.seats)

    def _submit(self, pool: Pool, fixture: Fixture) -> Future[Repetition]:
        return pool.submit(
            repeat,
            replace(self._plan, seed=self._seed_of(fixture.id), states=self._states_of(fixture.id)).job(fixture),
            self._store.record(fixture.id),
            frozenset(self.odd),
        )

    def _in_order(self, ended: Iterator[Repetition]) -> Iterator[Repetition]:
        """Yield repetitions in the order of the records."""
        early: dict[str, Repetition] = {}
        for one in ended:
            early[one.fixture] = one
            while self._order and self._order[0] in early:
                yield early.pop(self._order.popleft())

    def _counted(self, found: Repetition) -> str:
        """Count a fixture, and return what contradicts its record; empty: nothing."""
        if found.differing is None:
            self.alike += 1
        elif found.differing not in self.odd:
            self.odd |= found.odd
            return found.difference
        return ""


def _entries(run: StoredRun) -> Iterator[tuple[Entry, Entered]]:
    """Yield each bot of the spec with its entrant. Raises: DamagedError."""
    if len(run.field) != len(run.spec.bots):
        raise DamagedError(f"{len(run.field)} entrants are on file; the spec names {len(run.spec.bots)}")
    return zip(run.spec.bots, run.field, strict=True)


def _found(entry: Entry, then: Entered, run: StoredRun, folder: Folder, reader: Reader) -> Entrant:
    """Return a bot from where it was found then. Raises: RosterError; StoreError, for one that has changed since."""
    version = run.versions.get(then.name)
    if version and version.state == "withdrawn":
        return stand_in(version, folder.path, "it was withdrawn")
    if version:
        return intake.entrant(version, folder.path, reader)
    bot = replace(_where(entry.bot, then, folder), name=then.name)
    if bot.digest != then.digest:
        raise StoreError(f"bot {then.name!r} has changed since this run: {then.digest[:12]} then, {bot.digest[:12]} now")
    return bot


def _where(bot: str, then: Entered, folder: Folder) -> Entrant:
    """Find a bot: a file at the place where it stood, for the spec may name it from a folder of its own."""
    stands_in_a_file = ".py:" in bot or Path(bot).suffix in (".yaml", ".yml")
    return find(then.source if stands_in_a_file else bot, folder=folder.path)
