"""Has a pool of workers play fixtures, as many at a time as they can use.

Two rules hold for every pool. Of two fixtures with the same ``deals`` (``Schedule``) the second is submitted when the caller
has stored the value of the first, so the order of their records is the order of play. A lost fixture is played again with nothing
else in play, so that no other fixture can cause its next loss. After TRIES losses it is *void*: on record as lost, with the reason,
and not played. Where the format counts lost fixtures as results, it has one try.

A pool reports that the worker of one job was lost by raising WorkerLostError from its future. A pool that raises BrokenExecutor, as
the standard library's process pool does, loses all that is in play and cannot say which job was the cause; then a failed try is
counted only for a fixture that was in play alone.
"""

import logging
import queue
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from concurrent.futures import Executor as Pool
from contextlib import suppress
from functools import partial
from hashlib import sha256
from itertools import chain
from math import inf
from types import TracebackType
from typing import Generic, Self, TypeVar

from msgspec.structs import replace

from arena.errors import WorkerLostError
from arena.records import Fixture, MatchRecord, Result, lost_record
from arena.referee import job
from arena.referee.job import Job
from arena.roster.entrant import Launch, failing_launch
from arena.tournament.executors import tell_nobody
from arena.tournament.plan import Plan

# The order in which fixtures start: never two at once on the same deals, and the legs of a pair in the order that a coin decides.
#
# Two fixtures with the same ``deals`` key deal the same cards. If both were in play, a bot that plays in both could send itself the
# opponent's cards through any channel between its two processes that the sandbox leaves open. So a key is *in play* from the moment
# one of its fixtures starts until that fixture is done, and its other fixtures wait. A waiting fixture does not delay the fixtures
# behind it.
#
# A channel may also last, so that a bot leaves the cards of one leg for the other. No sandbox is known to be free of such channels,
# but their use shows: a coin decides which leg of a pair is played first, and without a channel a bot plays no better in the legs
# that it plays second (:mod:`arena.stats.pairs`). The coin is a hash of the run seed, the key of the pair and the two names. So no
# bot can know it beforehand, it does not depend on the cards, and ``arena verify`` can check it.

LOOK_AHEAD = 10_000  # fixtures that may wait, or are read ahead to find the other leg of a pair (about 2 MB)


def goes_first(fixture: Fixture, seed: str) -> bool:
    """Tell whether a leg is played before the other leg of its pair; True for an entrant's match against itself."""
    one, other = sorted(fixture.seats)
    coin = sha256(f"arena-legs-1|{seed}|{fixture.pair}|{one}|{other}".encode()).digest()[0] & 1
    return one == other or fixture.seats[coin] == one


def by_coin(fixtures: Iterable[Fixture], seed: str) -> Iterator[Fixture]:
    """Yield fixtures in their order, but two legs of a pair change places if the coin says so.

    A leg whose other leg is not among the next ``LOOK_AHEAD`` fixtures keeps its place: the other was played, does not exist, or
    is further away.
    """
    upcoming = _LookAhead(fixtures)
    moved: dict[str, Fixture] = {}  # by the id of a leg that was put first: the leg that takes its place
    while fixture := upcoming.take():
        if fixture.id in moved:
            fixture = moved.pop(fixture.id)
        elif not goes_first(fixture, seed) and (other := upcoming.other_leg(fixture)):
            moved[other.id], fixture = fixture, other
        yield fixture


def out_of_order(played: Iterable[Fixture], is_first: Callable[[Fixture], bool]) -> Iterator[tuple[Fixture, Fixture]]:
    """Yield the pairs that were played in the wrong order by ``is_first``: both legs, as they were played."""
    waiting = dict[object, Fixture]()  # legs without the other one, by pair and seats
    for leg in played:
        first = waiting.pop((leg.pair, leg.seats[::-1]), None)
        if first is None:
            waiting[leg.pair, leg.seats] = leg
        elif not is_first(first):
            yield first, leg


class _LookAhead:
    """Reads fixtures ahead, and finds the other leg of a pair among those that were read."""

    def __init__(self, fixtures: Iterable[Fixture]) -> None:
        self._left = iter(fixtures)
        self._ahead: deque[Fixture] = deque()
        self._legs: dict[object, Fixture] = {}  # of those ahead, by pair and seats

    def take(self) -> Fixture | None:
        """Remove and return the next fixture; None: there is none."""
        if not self._ahead and not self._read():
            return None
        fixture = self._ahead.popleft()
        self._legs.pop((fixture.pair, fixture.seats), None)
        return fixture

    def other_leg(self, fixture: Fixture) -> Fixture | None:
        """Return the other leg of a fixture's pair, which stays in its place; None: it is not among the next LOOK_AHEAD."""
        other = (fixture.pair, fixture.seats[::-1])
        while other not in self._legs and len(self._ahead) < LOOK_AHEAD and self._read():
            pass
        return self._legs.pop(other, None)

    def _read(self) -> bool:
        """Read one more fixture; return whether there was one."""
        for fixture in self._left:
            self._ahead.append(fixture)
            self._legs[fixture.pair, fixture.seats] = fixture
            return True
        return False


class Schedule:
    """Orders the fixtures of an iterator so that no two with the same key are in play, and reads no more of it than needed."""

    def __init__(self, fixtures: Iterator[Fixture]) -> None:
        self._fixtures = fixtures
        self._ready: deque[Fixture] = deque()  # can start now; their keys are reserved
        self._waiting: dict[str, deque[Fixture]] = {}  # fixtures that wait for each key that is in play or reserved
        self._count = 0  # fixtures in ``_waiting``

    def start(self) -> Fixture | None:
        """Return the next fixture that may start, and reserve its key; None: none can until another is done, or none is left."""
        if self._ready:
            return self._ready.popleft()
        while self._count < LOOK_AHEAD and (fixture := next(self._fixtures, None)):
            if fixture.deals not in self._waiting:
                self._waiting[fixture.deals] = deque()
                return fixture
            self._waiting[fixture.deals].append(fixture)
            self._count += 1
        return None

    def done(self, fixture: Fixture) -> None:
        """Release the key of a played fixture, or pass it to the next fixture that waits for it."""
        if waiting := self._waiting[fixture.deals]:
            self._ready.append(waiting.popleft())
            self._count -= 1
        else:
            del self._waiting[fixture.deals]

    def again(self, fixture: Fixture) -> None:
        """Put a started fixture that was lost back, at the front of the queue; it keeps its key."""
        self._ready.appendleft(fixture)


log = logging.getLogger(__name__)

TRIES = 3  # for a fixture whose worker is lost
MOST_LOST = 10  # void fixtures in a row
MOST_VOID = 2  # void fixtures of an entrant that is not suspended
TOGETHER = 100  # values that are yielded together at most; as records they are one transaction of one to ten megabytes

Task = TypeVar("Task")
Value = TypeVar("Value")


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


class InPlay(Generic[Value]):
    """The fixtures in play, and the pool that plays them. Use it as a context manager, which shuts down the pool."""

    def __init__(
        self,
        open_pool: Callable[[], Pool],
        ahead: int,
        submit: Callable[[Pool, Fixture], Future[Value]],
        void: Callable[[Fixture, str], Value] | None = None,
        tries: int = TRIES,
        warn: Callable[[str], None] = tell_nobody,
        streak: VoidStreak | None = None,
    ) -> None:
        """Play at most ``ahead`` fixtures at a time, each up to ``tries`` times.

        ``open_pool`` opens a pool, and another one if its workers are lost; ``submit`` gives it the job of a fixture; ``void``
        makes the value of a void fixture from it and the reason; without ``void`` it ends the play. ``warn`` receives a line about
        each try that was lost; ``streak`` continues one of fixtures that were in play before.
        """
        self._open_pool = open_pool
        self._ahead = ahead
        self._submit_job = submit
        self._value_of_void = void
        self._tries = tries
        self._warn = warn
        self._streak = streak or VoidStreak()
        self._pool: Pool | None = None
        self._inline = False  # the pool plays a fixture before ``submit`` returns
        self._playing: dict[Future[Value], tuple[Fixture, Pool]] = {}
        # a queue, because futures.wait() takes a millisecond for a thousand futures
        self._done: queue.SimpleQueue[Future[Value]] = queue.SimpleQueue()
        self._lost: dict[str, int] = {}  # failed tries of each fixture that must be played again, alone

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._close(cancel=kind is not None)

    def play(self, fixtures: Iterator[Fixture]) -> Iterator[Value]:
        """Yield the value of each fixture when it is done. Raises: as ``groups``."""
        return chain.from_iterable(self.groups(fixtures))

    def groups(self, fixtures: Iterator[Fixture]) -> Iterator[tuple[Value, ...]]:
        """Yield the values of the fixtures that are done, in groups: all that were done while the caller was busy.

        A fixture that waits for the deals of one of them is submitted when the caller, having stored this group, asks for the next.

        Raises: WorkerLostError, if more than ``MOST_LOST`` fixtures in a row are void, or one is and there is no ``void``; any
        other error of a fixture. The values before it are yielded first.
        """
        schedule = Schedule(fixtures)
        while True:
            self._fill(schedule)
            if not self._playing:
                return
            ended, error = self._take_done(schedule)
            # submit before yielding, so that no worker is idle while the caller stores the values
            if not (self._inline or error):
                self._fill(schedule)
            if ended:
                yield tuple(value for _, value in ended)
            if error:
                raise error
            for fixture, _ in ended:
                schedule.done(fixture)

    def _close(self, *, cancel: bool) -> None:
        """Shut down the pool. ``cancel``: what has not begun is cancelled, and arena's pools abort what is in play."""
        if self._pool:
            self._pool.shutdown(cancel_futures=cancel)
            self._pool = None

    def _fill(self, schedule: Schedule) -> None:
        while len(self._playing) < (1 if self._lost else self._ahead) and (fixture := schedule.start()):
            self._submit(fixture)
            if self._inline:
                return

    def _submit(self, fixture: Fixture) -> None:
        if self._pool is None:
            self._pool = self._open_pool()
        try:
            future = self._submit_job(self._pool, fixture)
        except BrokenExecutor as error:
            future = Future()
            future.set_exception(error)
        self._inline = future.done()
        self._playing[future] = (fixture, self._pool)
        future.add_done_callback(self._done.put)

    def _take_done(self, schedule: Schedule) -> tuple[list[tuple[Fixture, Value]], Exception | None]:
        """Return the fixtures that are done with their values, up to the first one that ends the run, and its error."""
        ended: list[tuple[Fixture, Value]] = []
        for future in self._next():
            fixture, pool = self._playing.pop(future)
            try:
                value = self._settle(future, fixture, pool)
            except Exception as error:  # noqa: BLE001 - raised again when the values are stored
                return ended, error
            if value is None:
                schedule.again(fixture)
            else:
                ended.append((fixture, value))
        return ended, None

    def _next(self) -> Iterator[Future[Value]]:
        """Wait until a fixture is done; yield it and others that are done."""
        yield self._done.get()
        with suppress(queue.Empty):
            for _ in range(TOGETHER - 1):
                yield self._done.get_nowait()

    def _settle(self, future: Future[Value], fixture: Fixture, pool: Pool) -> Value | None:
        """Return the value of a future that is done; None if its fixture must be played again. Raises: WorkerLostError."""
        try:
            value = future.result()
        except WorkerLostError as error:
            return self._charge(fixture, error)
        except (BrokenExecutor, CancelledError) as error:
            if pool is self._pool:
                self._close(cancel=True)
            # A fixture that was lost before is in play alone. A cancelled one has not begun, so it must not lose its only try.
            if isinstance(error, BrokenExecutor) if self._tries == 1 else fixture.id in self._lost:
                return self._charge(fixture, error)
            self._report(f"{fixture.id}: lost with its pool, and played again: {error}")
            self._lost[fixture.id] = 0
        else:
            self._lost.pop(fixture.id, None)
            self._streak.end()
            return value
        return None

    def _charge(self, fixture: Fixture, error: Exception) -> Value | None:
        """Count a failed try; return the value of a fixture that is void now. Raises: WorkerLostError, as ``groups``."""
        lost = self._lost[fixture.id] = self._lost.get(fixture.id, 0) + 1
        self._report(f"{fixture.id}: lost in try {lost} of {self._tries}: {error}")
        if lost < self._tries:
            return None
        if self._value_of_void is None:
            raise WorkerLostError(f"fixture {fixture.id} could not be played in {self._tries} tries: {error}") from error
        del self._lost[fixture.id]
        self._streak.add(error)
        return self._value_of_void(fixture, str(error))

    def _report(self, line: str) -> None:
        log.warning("%s", line)
        self._warn(line)


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


# The main loop of a tournament: asks the format for fixtures, submits them to the pool, and yields the records.
#
# A format is a pure function of the results, and the director keeps no list of finished fixtures: it passes the stored results to
# the format. Resuming a run is therefore just asking the format again.


def conduct(
    plan: Plan,
    played: Callable[[], Sequence[Result]],
    open_pool: Callable[[], Pool],
    ahead: int,
    work: Callable[[Job], MatchRecord] = job.play,
    prepare_job: Callable[[Fixture], Job] | None = None,
    warn: Callable[[str], None] = tell_nobody,
    streak: VoidStreak | None = None,
) -> Generator[tuple[MatchRecord, ...], None, None]:
    """Yield the records of all fixtures that the format still asks for, in groups, as ``InPlay.groups`` does.

    ``played`` returns the stored results; ``open_pool`` opens a pool, and another one if its workers are lost; ``ahead`` is the
    number of fixtures submitted at a time; ``work`` plays one of them, in a worker, as the job that ``prepare_job`` returns for
    it, by default the plan's; ``warn`` receives who is suspended, and each try that was lost, with the reason; ``streak`` continues
    that of an earlier call. The caller must store records before it takes the next. Raises: WorkerLostError, if more than ten
    fixtures in a row are void.
    """
    prepared, void = prepare_job or plan.job, VoidFixtures(warn)
    counts_lost = plan.spec.format.counts_lost  # then a bot gains nothing by a lost fixture

    def submit(pool: Pool, fixture: Fixture) -> Future[MatchRecord]:
        task = prepared(fixture)
        return pool.submit(work, task if counts_lost else void.without_suspects(task))

    with InPlay(open_pool, ahead, submit, lost_record, 1 if counts_lost else TRIES, warn, streak) as in_play:
        more = True
        while more:
            more = False
            results = played()
            void.count(one.fixture for one in results if one.lost)
            for records in in_play.groups(_fixtures(plan, results)):
                more = True
                void.count(one.fixture for one in records if one.lost is not None)
                yield records


def _fixtures(plan: Plan, played: Sequence[Result]) -> Iterator[Fixture]:
    """Yield the fixtures that the format asks for, in the order of play."""
    asked = plan.spec.format.fixtures(plan.names, played)
    if not plan.coin:
        return iter(asked)
    assert plan.seed is not None
    return by_coin(asked, plan.seed)


# Jobs that have no fixture. If a worker is lost, only its own job is repeated.


def result_of(future: Future[Value], again: Callable[[], Future[Value]]) -> Value:
    """Return the result of a job; one that is lost is submitted by ``again``. Raises: WorkerLostError, after three tries."""
    for _ in range(TRIES - 1):
        try:
            return future.result()
        except WorkerLostError:
            future = again()
    return future.result()


def in_order(pool: Pool, work: Callable[[Task], Value], tasks: Iterable[Task], ahead: float = inf) -> Iterator[Value]:
    """Yield the results of tasks in their order; at most ``ahead`` of them are submitted before the first result is awaited.

    Raises: WorkerLostError, for a task that is lost three times.
    """
    waiting: deque[tuple[Future[Value], Callable[[], Future[Value]]]] = deque()
    for task in tasks:
        waiting.append((pool.submit(work, task), partial(pool.submit, work, task)))
        if len(waiting) >= ahead:
            yield result_of(*waiting.popleft())
    while waiting:
        yield result_of(*waiting.popleft())
