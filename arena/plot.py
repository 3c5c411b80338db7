"""The charts of a report as matplotlib axes, for a notebook or a paper: ``arena.plot.ratings(run)`` and the others.

Each function draws into ``axes``, or into new ones, and returns them, so that titles, sizes and files are the caller's. matplotlib
and not Altair: a paper needs PDF and SVG without a browser, and most notebooks have it.
"""

from collections.abc import Sequence
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.api import Comparison, Run
from arena.errors import InputError
from arena.reports.comparison_report import ComparisonReport
from arena.reports.numbers import rating_unit
from arena.stats.statements import RATING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["difference", "evidence", "points", "ratings"]


def ratings(run: Run, axes: "Axes | None" = None) -> "Axes":
    """Draw each entrant's rating with its 95 % interval, the best at the top. Raises: InputError, StoreError."""
    rows = [(row.entrant, row.rating) for row in run.standings if row.rating]
    drawn = axes or _new_axes()
    for place, (_, rating) in enumerate(reversed(rows)):
        if rating.one_sided:  # an arrow at its only end
            drawn.plot([max(rating.low, min(rating.high, rating.value))], [place], "<" if isinf(rating.low) else ">", color="C0")
            continue
        drawn.plot([rating.low, rating.high], [place, place], color="C0", linewidth=1.5)
        drawn.plot([rating.value], [place], "o", color="C0")
    drawn.set_yticks(range(len(rows)), [name for name, _ in reversed(rows)])
    drawn.set_xlabel(f"rating ({rating_unit(run.report.rated_by)}), {RATING}")
    drawn.grid(axis="x", alpha=0.3)
    return drawn


def points(run: Run, bots: Sequence[str] = (), axes: "Axes | None" = None) -> "Axes":
    """Draw the points a hand of some bots, by default of all, over the hands of each. Raises: InputError, StoreError."""
    lines = run.report.history
    if unknown := [name for name in bots if name not in lines]:
        raise InputError(f"found no bot {unknown[0]!r}; expected one of {', '.join(lines)}")
    drawn = axes or _new_axes()
    for name in bots or lines:
        drawn.plot([point.hands for point in lines[name]], [point.points_a_hand for point in lines[name]], label=name)
    drawn.set_xlabel("hands of the bot")
    drawn.set_ylabel("points a hand")
    drawn.axhline(0, color="grey", linewidth=0.8)
    drawn.legend()
    return drawn


def difference(found: Comparison | Run, axes: "Axes | None" = None) -> "Axes":
    """Draw the difference of a comparison over the hands, with its bounds as they are at each, and those of the question.

    Raises: InputError, if nothing was compared; StoreError.
    """
    report, drawn = _report(found), axes or _new_axes()
    known = [
        (one.hands, one.value, one.low, one.high)
        for one in report.history
        if one.value is not None and one.low is not None and one.high is not None
    ]
    hands, value, low, high = np.array(known, dtype=float).reshape(-1, 4).T
    drawn.fill_between(hands, low, high, alpha=0.25, linewidth=0)
    drawn.plot(hands, value)
    for bound in report.outcome.bounds:
        drawn.axhline(bound, color="grey", linestyle="--", linewidth=0.8)
    drawn.set_xlabel("hands")
    drawn.set_ylabel(f"{report.first} less {report.second}, {report.outcome.unit}")
    return drawn


def evidence(found: Comparison | Run, axes: "Axes | None" = None) -> "Axes":
    """Draw the evidence for both answers of a comparison over the hands, and the threshold of each. Raises: as ``difference``."""
    report, drawn = _report(found), axes or _new_axes()
    hands = [one.hands for one in report.history]
    low, high = report.outcome.bounds
    drawn.plot(hands, [one.better for one in report.history], label=f"more than {low:g}")
    drawn.plot(hands, [one.worse for one in report.history], label=f"less than {high:g}")
    for level in dict.fromkeys(report.outcome.proof):
        drawn.axhline(level, color="grey", linestyle="--", linewidth=0.8)
    drawn.set_yscale("log")
    drawn.set_xlabel("hands")
    drawn.set_ylabel("evidence")
    drawn.legend()
    return drawn


def _report(found: Comparison | Run) -> ComparisonReport:
    run = found.run if isinstance(found, Comparison) else found
    if run is None or run.report.comparison is None:
        raise InputError("found nothing that was compared; expected a duel or a test for regression that was played")
    return run.report.comparison


def _new_axes() -> Any:  # noqa: ANN401 - matplotlib is an extra
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415 - only where something is drawn
    except ImportError:
        raise InputError("matplotlib is not installed: pip install 'ginrummy-arena[plot]'") from None
    return plt.subplots()[1]
