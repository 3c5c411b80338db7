"""Forecasts the cost and resolution of a tournament, from a few hands of it and arithmetic."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from itertools import cycle, islice
from math import ceil

from msgspec import Struct

from arena.errors import WorkerLostError
from arena.records import Fixture, MatchRecord, net
from arena.referee import job
from arena.runs.runner import Runner
from arena.stats.pairs import cap
from arena.stats.resolution import Resolution, Scatter, head_to_head, resolution, scatter
from arena.stats.schedule_time import Pace, Probe, hands_a_match, pace
from arena.tournament.dry_run import DryRun, dry_run, first_pairings
from arena.tournament.formats.base import pair_of_legs
from arena.tournament.order import Schedule
from arena.tournament.plan import Plan

HANDS = (2, 8, 32)  # of a leg in the first sweep, the second, and all later ones; different sizes show what a start costs


class Timed(Struct, frozen=True):
    """A batch that was played, and its time."""

    record: MatchRecord
    seconds: float


def _probe(timed: Timed) -> Probe:
    """Return the time of a fixture."""
    zero, one = timed.record.usage
    return Probe(timed.record.fixture.seats, len(timed.record.hands), timed.seconds, (zero.wall, one.wall))


def _scatter(records: Sequence[MatchRecord]) -> Scatter:
    """Return the scatter of points a hand: of single hands, and of means over both legs of a deal."""
    both: dict[tuple[str, int], list[float]] = {}
    singly: list[tuple[str, float]] = []
    for record in records:
        fixture = record.fixture
        first = fixture.seats.index(min(fixture.seats))  # the seat of the same bot in both legs
        for hand in record.hands:
            points = cap(net(hand, first))
            singly.append((_pairing(fixture.deals), points))
            both.setdefault((fixture.deals, hand.game), []).append(points)
    paired = ((_pairing(deals), sum(nets) / 2) for (deals, _), nets in both.items() if len(nets) == 2)
    return scatter(paired, singly)


def calibrate(plan: Plan, runner: Runner, seconds: float) -> list[Timed]:
    """Play for about ``seconds``, at least one batch; batches that have begun are played to their end. Raises: WorkerLostError."""
    try:
        with runner.open_pool() as pool:
            return list(_play(plan, pool, runner.workers, seconds))
    except BrokenExecutor as error:
        raise WorkerLostError(f"a worker was lost as it played a few hands: {error}") from error


def _play(plan: Plan, pool: Executor, workers: int, seconds: float) -> Iterator[Timed]:
    end = time.monotonic() + seconds
    playing: set[Future[Timed]] = set()
    schedule = Schedule(calibration_fixtures(first_pairings(plan)))
    more = True
    while more or playing:
        while more and len(playing) < workers and (fixture := schedule.start()):
            playing.add(pool.submit(play_timed, plan.job(fixture)))
        done, playing = wait(playing, return_when=FIRST_COMPLETED)
        for future in done:
            played = future.result()
            schedule.done(played.record.fixture)
            yield played
        more = time.monotonic() < end


def play_timed(work: job.Job) -> Timed:
    """Play a fixture in a worker; the time includes the starts of the bots. Raises: WorkerLostError."""
    start = time.monotonic()
    record = job.play(work)
    return Timed(record, time.monotonic() - start)


def calibration_fixtures(pairings: Sequence[tuple[str, str]]) -> Iterator[Fixture]:
    """Yield both legs of small batches, so that every bot plays as early as possible."""
    order = cycle(_spread_out(pairings))  # found as it is played: to order all pairings of a hundred bots takes seconds
    for sweep in range(1000):
        for a, b in islice(order, len(pairings)):
            yield from pair_of_legs(a, b, f"{a}:{b}/{sweep}", HANDS[min(sweep, len(HANDS) - 1)])


def _spread_out(pairings: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the pairings so that all bots come early: next is the one whose busier bot is least busy, then whose other is."""
    remaining, count = list(pairings), dict.fromkeys((name for pairing in pairings for name in pairing), 0)
    while remaining:
        following = min(remaining, key=lambda pairing: sorted((count[pairing[0]], count[pairing[1]]), reverse=True))
        remaining.remove(following)
        for name in following:
            count[name] += 1
        yield following


def _pairing(deals: str) -> str:
    return deals.partition("/")[0]


class Target(Struct, frozen=True):
    """The cost to resolve a given difference."""

    points: float  # a hand
    times: float  # this multiple of what the spec plays
    fixtures: int
    hands: int
    seconds: float
    head_to_head: int  # hands, if two bots played each other alone


class Played(Struct, frozen=True):
    """The calibration in numbers."""

    hands: int
    seconds: float
    faults: int
    pace: Pace
    scatter: Scatter


class Forecast(Struct, frozen=True, kw_only=True):
    """The amount, time and resolution of what a spec plays."""

    title: str
    bots: tuple[str, ...]
    format: str
    explanation: tuple[str, ...]  # sentences of the format on what is played and what that can tell
    matches: bool  # False: batches of single hands
    fixtures: int
    by_results: bool  # whether the number of fixtures depends on the results; if so, ``fixtures`` is that of equal bots
    hands: int
    workers: int
    seconds: float  # of all matches on these workers, with the start of the workers
    resolves: Resolution
    wanted: Target | None  # None: not asked for, or the spec resolves nothing
    calibration: Played


def forecast(plan: Plan, runner: Runner, seconds: float, wanted: float | None) -> Forecast:
    """Play for about ``seconds``, and compute the rest; ``wanted``: points a hand to resolve, or None. Raises: WorkerLostError."""
    start = time.monotonic()
    timed = calibrate(plan, runner, seconds)
    spent = time.monotonic() - start
    records = [one.record for one in timed]
    results = [hand.result for record in records for hand in record.hands]
    length = hands_a_match(results, plan.spec.rules)
    planned, speed, scattered = dry_run(plan, results, length), pace(list(map(_probe, timed))), _scatter(records)
    hands = sum(count * (batch or length) for (_, batch), count in planned.kinds.items())
    work = play_time(planned, speed, length, runner.workers)
    starting = max(spent - sum(one.seconds for one in timed) / runner.workers, 0.0)  # of the workers, as in the calibration
    matches = any(batch is None for _, batch in planned.kinds)
    variance = scattered.of(matches=matches)
    resolved = _resolution(planned, length, variance)
    return Forecast(
        title=plan.spec.title,
        bots=plan.names,
        format=str(plan.spec.format.__struct_config__.tag),
        explanation=tuple(plan.spec.format.explain(len(plan.names))),
        matches=matches,
        fixtures=planned.fixtures,
        by_results=planned.by_results and planned.fixtures != plan.spec.format.least(len(plan.names)),
        hands=round(hands),
        workers=runner.workers,
        seconds=starting + work,
        resolves=resolved,
        wanted=_target(wanted, resolved, planned, hands, work, variance),
        calibration=Played(len(results), spent, sum(len(record.faults) for record in records), speed, scattered),
    )


def play_time(planned: DryRun, speed: Pace, hands_a_match: float, workers: int) -> float:
    """Return the seconds that a schedule takes on some workers; fixtures with the same deals are not in play at once.

    At the end of a round the workers wait for the last fixture: on average for half of its time.
    """
    busy = max(1, min(workers, planned.deals))
    each = {kind: speed.fixture(kind[0], kind[1] or hands_a_match) for kind in planned.kinds}
    waits = planned.rounds * max(each.values(), default=0.0) * (1 - 1 / busy) / 2
    return sum(count * each[kind] for kind, count in planned.kinds.items()) / busy + waits


def _resolution(planned: DryRun, length: float, variance: float) -> Resolution:
    """Return the resolution of a schedule: a leg counts as half a pair for each of its hands, and a batch as half a match."""
    pairs: Counter[tuple[str, str]] = Counter()
    matches: Counter[tuple[str, str]] = Counter()
    for (pairing, batch), count in planned.kinds.items():
        if pairing[0] != pairing[1]:
            pairs[pairing] += count * (batch or length) / 2  # type: ignore[assignment] # a Counter counts halves too
            matches[pairing] += count * (1.0 if batch is None else 0.5)  # type: ignore[assignment]
    return resolution(pairs, matches, variance)


def _target(
    points: float | None, resolved: Resolution, planned: DryRun, hands: float, seconds: float, variance: float
) -> Target | None:
    if points is None or resolved.points is None:
        return None
    more = (resolved.points / points) ** 2  # half the difference needs four times the hands
    return Target(points, more, ceil(planned.fixtures * more), ceil(hands * more), seconds * more, head_to_head(points, variance))
