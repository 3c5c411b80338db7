"""What a tournament will cost and tell, from a few hands of it and arithmetic."""

import time
from collections import Counter
from math import ceil

from msgspec import Struct

from arena.runs.calibrate import Calibration, calibrate
from arena.runs.runner import Runner
from arena.stats.pace import Pace, hands_a_match, pace
from arena.stats.resolution import Resolution, Scatter, head_to_head, resolution, times
from arena.tournament.dry_run import DryRun, dry_run
from arena.tournament.plan import Plan


class Target(Struct, frozen=True):
    """What it would cost to resolve a given difference."""

    points: float  # a hand
    times: float  # as much as the spec plays
    fixtures: int
    hands: int
    seconds: float
    head_to_head: int  # hands, if two bots played each other alone


class Played(Struct, frozen=True):
    """What the forecast rests on."""

    hands: int
    seconds: float
    faults: int
    pace: Pace
    scatter: Scatter


class Forecast(Struct, frozen=True, kw_only=True):
    """What a spec plays, how long it takes, and what it tells."""

    title: str
    bots: tuple[str, ...]
    format: str
    explanation: tuple[str, ...]  # sentences of the format on what is played and what that can tell
    matches: bool  # batches of hands, if not
    fixtures: int
    by_results: bool  # the format asks by results: so much it would be between equals
    hands: int
    workers: int
    seconds: float
    resolves: Resolution
    wanted: Target | None  # None: nobody has asked
    calibration: Played


def forecast(plan: Plan, runner: Runner, seconds: float, wanted: float | None) -> Forecast:
    """Play a few hands and tell the rest. Raises: WorkerLost."""
    start = time.monotonic()
    calibration = calibrate(plan, runner, seconds)
    spent = time.monotonic() - start
    results = calibration.hands()
    length = hands_a_match(results, plan.spec.rules)
    planned, speed, scatter = dry_run(plan, results, length), pace(calibration.probes()), calibration.scatter()
    hands = sum(count * (kind[1] or length) for kind, count in planned.kinds.items())
    busy = max(1, min(runner.workers, planned.deals))
    work = sum(count * speed.fixture(kind[0], kind[1] or length) for kind, count in planned.kinds.items()) / busy
    matches = any(kind[1] is None for kind in planned.kinds)
    resolved = _resolution(planned, length, scatter.of(matches=matches))
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
        seconds=work,
        resolves=resolved,
        wanted=_wanted(wanted, resolved, planned, hands, work, scatter.of(matches=matches)),
        calibration=Played(len(results), spent, _faults(calibration), speed, scatter),
    )


def _resolution(planned: DryRun, length: float, variance: float) -> Resolution:
    """Return what a schedule resolves: each leg is half of its pairs of hands, and a batch half a match."""
    pairs: Counter[tuple[str, str]] = Counter()
    matches: Counter[tuple[str, str]] = Counter()
    for (pairing, hands), count in planned.kinds.items():
        if pairing[0] != pairing[1]:
            pairs[pairing] += count * (hands or length) / 2  # type: ignore[assignment] # a Counter counts halves too
            matches[pairing] += count * (1.0 if hands is None else 0.5)  # type: ignore[assignment]
    return resolution(pairs, matches, variance)


def _wanted(
    points: float | None, resolved: Resolution, planned: DryRun, hands: float, seconds: float, variance: float
) -> Target | None:
    if points is None or resolved.points is None:
        return None
    more = times(resolved.points, points)
    return Target(points, more, ceil(planned.fixtures * more), ceil(hands * more), seconds * more, head_to_head(points, variance))


def _faults(calibration: Calibration) -> int:
    return sum(len(one.record.faults) for one in calibration.timed)
