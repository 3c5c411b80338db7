"""A few hands of a tournament, really played, to know what it will cost: where it will be played, by as many workers."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from functools import partial

from msgspec import Struct

from arena.errors import WorkerLostError
from arena.gin.score import HandResult
from arena.records import Fixture, MatchRecord, net
from arena.referee import job
from arena.runs.logs.setup import log_nowhere
from arena.runs.runner import Runner
from arena.runs.worker import prepare
from arena.stats.pace import Probe
from arena.stats.pairs import capped
from arena.stats.resolution import Scatter, scatter
from arena.tournament.dry_run import first
from arena.tournament.plan import Plan
from arena.tournament.schedule import Schedule

HANDS = (2, 8, 32)  # of a leg, sweep after sweep; two sizes tell what starting costs


class Timed(Struct, frozen=True):
    """A batch that was played, and how long it took."""

    record: MatchRecord
    seconds: float


class Calibration(Struct, frozen=True):
    """What was played."""

    timed: tuple[Timed, ...]

    def probes(self) -> list[Probe]:
        """Return how long everything took."""
        return [
            Probe(
                one.record.fixture.seats, len(one.record.hands), one.seconds, (one.record.usage[0].wall, one.record.usage[1].wall)
            )
            for one in self.timed
        ]

    def hands(self) -> list[HandResult]:
        """Return how the hands ended."""
        return [HandResult(hand.ending, hand.winner, hand.points, hand.deadwood) for one in self.timed for hand in one.record.hands]

    def scatter(self) -> Scatter:
        """Return how much points a hand vary."""
        both: dict[tuple[str, int], list[float]] = {}
        singly: list[tuple[str, float]] = []
        for one in self.timed:
            fixture = one.record.fixture
            first = fixture.seats.index(min(fixture.seats))
            for hand in one.record.hands:
                points = capped(net(hand, first))
                singly.append((_pairing(fixture.deals), points))
                both.setdefault((fixture.deals, hand.game), []).append(points)
        paired = ((_pairing(deals), sum(nets) / 2) for (deals, _), nets in both.items() if len(nets) == 2)
        return scatter(paired, singly)


def calibrate(plan: Plan, runner: Runner, seconds: float) -> Calibration:
    """Play for about ``seconds``, at least one hand; fixtures that have begun are played to their end. Raises: WorkerLostError."""
    try:
        with runner.opened(partial(prepare, log_nowhere)) as pool:
            return Calibration(tuple(_played(plan, pool, runner.workers, seconds)))
    except BrokenExecutor as error:
        raise WorkerLostError(f"a worker was lost as it played a few hands: {error}") from error


def _played(plan: Plan, pool: Executor, workers: int, seconds: float) -> Iterator[Timed]:
    end = time.monotonic() + seconds
    playing: set[Future[Timed]] = set()
    schedule = Schedule(_fixtures(first(plan)))
    more = True
    while more or playing:
        while more and len(playing) < workers and (fixture := schedule.start()):
            playing.add(pool.submit(timed, plan.job(fixture)))
        done, playing = wait(playing, return_when=FIRST_COMPLETED)
        for future in done:
            played = future.result()
            schedule.done(played.record.fixture)
            yield played
        more = time.monotonic() < end


def timed(work: job.Job) -> Timed:
    """Play a fixture, in a worker, and tell how long it took. Raises: WorkerLostError."""
    start = time.monotonic()
    record = job.play(work)
    return Timed(record, time.monotonic() - start)


def _fixtures(pairings: Sequence[tuple[str, str]]) -> Iterator[Fixture]:
    """Yield both legs of small batches, every bot as early as can be."""
    order = list(_in_turn(pairings))
    for sweep in range(1000):
        for a, b in order:
            deals = f"{a}:{b}/{sweep}"
            for leg, seats in enumerate([(a, b), (b, a)]):
                yield Fixture(f"{deals}/{leg}", seats, deals, HANDS[min(sweep, len(HANDS) - 1)])


def _in_turn(pairings: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the pairings, next that whose bots have come up least."""
    left, count = list(pairings), dict.fromkeys((name for pairing in pairings for name in pairing), 0)
    while left:
        following = min(left, key=lambda pairing: sorted((count[pairing[0]], count[pairing[1]]), reverse=True))
        left.remove(following)
        for name in following:
            count[name] += 1
        yield following


def _pairing(deals: str) -> str:
    return deals.partition("/")[0]
