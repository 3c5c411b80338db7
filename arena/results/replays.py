"""``arena verify --replay``: every fixture is played again by its bots in a sandbox, and every action compared."""

from collections import deque
from collections.abc import Iterator
from concurrent import futures
from concurrent.futures import Future
from functools import partial

from msgspec.json import encode
from msgspec.structs import replace

from arena.errors import DamagedError, StoreError
from arena.records import Fixture
from arena.referee.repetition import Repetition, repeat
from arena.results.judging import Progress
from arena.roster.entrant import Entrant
from arena.roster.reader import Reader
from arena.runs.confined_reading import confined_reader
from arena.runs.named_parts import sandbox
from arena.runs.runner import Runner, prepare_silently
from arena.runs.starts import sandbox_warnings
from arena.runs.stored import StoredRun
from arena.store.store import Store
from arena.tournament.in_play import InPlay
from arena.tournament.plan import Plan, check_sandbox


class Replays:
    """Plays fixtures again, and finds the bots that are not deterministic.

    Fixtures end in any order. Their results count in the order of the records, so that the outcome does not depend on the number of
    workers. A worker is given the bots that are known not to be deterministic, because it need not examine them; that changes no
    outcome, since they are known from fixtures that come before in that order.
    """

    def __init__(self, store: Store, run: StoredRun, runner: Runner, sandbox_text: str | None = None) -> None:
        """Find the bots, and choose the sandbox of this machine or of the user: the stored spec may come from a stranger.

        Raises: RosterError, SandboxError, InputError, DamagedError; StoreError, for a bot that has changed since.
        """
        self._store = store
        self._runner = runner
        self._run = run
        with confined_reader(sandbox(sandbox_text, [])) as reader:
            if len(run.field) != len(run.spec.bots):
                raise DamagedError(f"{len(run.field)} entrants are on file; the spec names {len(run.spec.bots)}")
            field = tuple(_find_bot(run, number, reader) for number in range(len(run.field)))
        chosen = sandbox(sandbox_text, [bot.launch for bot in field], run.spec.sandbox)
        self._plan = Plan(replace(run.spec, sandbox=chosen), field, seed=None)
        self._assurance = check_sandbox(self._plan)
        self.warnings = tuple(sandbox_warnings(self._assurance))
        self.nondeterministic: set[str] = set()  # bots that are not deterministic
        self.alike = 0  # fixtures whose new play does not diverge from the record (``divergence.first_divergence``)
        self.skipped = 0  # fixtures that cannot be played again: a bot, or the state with which it began, is not kept
        self._order: deque[str] = deque()  # fixtures whose result is not counted yet, in the order of the records

    def first_difference(self, progress: Progress) -> str:
        """Return the first difference of a deterministic bot from its record; empty: there is none.

        Raises: WorkerLostError.
        """
        total = self._store.count()
        pool = partial(self._runner.open, prepare_silently)
        with InPlay(pool, 2 * self._runner.workers, self._submit) as in_play:
            for number, repetition in enumerate(self._in_order(in_play.play(self._fixtures())), 1):
                progress(number + self.skipped, total)
                if difference := self._count(repetition):
                    return difference
        return ""

    def message(self) -> tuple[str, ...]:
        """Return the result, and a line about the sandboxes of the new play and, if it is another, of the run."""
        names = ", ".join(sorted(self.nondeterministic))
        excluded = f"; not deterministic, and not compared: {names}" if names else ""
        skipped = f"; {self.skipped} not, because a bot, or what it had learned before, is no longer kept" if self.skipped else ""
        chosen, recorded = (encode(spec.sandbox).decode() for spec in (self._plan.spec, self._run.spec))
        other = "" if chosen == recorded else f"; the run names {recorded}"
        return (
            f"{self.alike} matches played again, action for action{excluded}{skipped}",
            f"played again in sandbox {chosen}, profile {self._assurance.profile}{other}",
        )

    def _fixtures(self) -> Iterator[Fixture]:
        """Yield every fixture on record that can be played again, and append it to the order; count the others as skipped."""
        for record in self._store.records():
            if record.lost is not None:
                continue
            if self._run.can_replay(record.fixture):
                self._order.append(record.fixture.id)
                yield record.fixture
            else:
                self.skipped += 1

    def _submit(self, pool: futures.Executor, fixture: Fixture) -> Future[Repetition]:
        return pool.submit(
            repeat,
            replace(self._plan, seed=self._run.seed_of(fixture.id), states=self._run.states_of(fixture.id)).job(fixture),
            self._store.record(fixture.id),
            frozenset(self.nondeterministic),
        )

    def _in_order(self, ended: Iterator[Repetition]) -> Iterator[Repetition]:
        """Yield repetitions in the order of the records."""
        early: dict[str, Repetition] = {}
        for one in ended:
            early[one.fixture] = one
            while self._order and self._order[0] in early:
                yield early.pop(self._order.popleft())

    def _count(self, found: Repetition) -> str:
        """Count a fixture, and return its difference from the record; empty: there is none, or none that counts."""
        if found.differing is None:
            self.alike += 1
        elif found.differing not in self.nondeterministic:
            self.nondeterministic |= found.nondeterministic
            return found.difference
        return ""


def _find_bot(run: StoredRun, number: int, reader: Reader) -> Entrant:
    """Return an entrant from the place where the run found it. Raises: RosterError; StoreError, for one that has changed."""
    then = run.field[number]
    bot = replace(run.bot_of_replay(number, reader), name=then.name)
    if bot.digest != then.digest:
        raise StoreError(f"bot {then.name!r} has changed since this run: {then.digest[:12]} then, {bot.digest[:12]} now")
    return bot
