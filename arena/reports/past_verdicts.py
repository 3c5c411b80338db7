"""The verdicts on a baseline over time, as text: one line each, with its interval drawn on a common scale."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from arena.reports.verdict import interval
from arena.stats.sequential.outcome import Interval

WIDTH = 41  # characters of a chart; odd, so that there is a middle
BEFORE = 61  # characters before a chart, without the candidate's name and the verdict
LEAST = 0.5  # largest difference of the scale, at least


class PastVerdict(Struct, frozen=True, kw_only=True):
    """A verdict, as it is kept in a file of baselines."""

    date: str  # day and minute, UTC
    arena: str  # version
    question: str  # "head to head", or "against the field"
    baseline: str  # as the user named it
    baseline_digest: str = ""  # SHA-256 of its files; empty: of a time when it was not kept
    candidate: str
    version: str  # of the candidate
    digest: str  # SHA-256 of the candidate's files
    verdict: str  # what was decided, as ``not weaker by 0.5 or more``
    hands: int  # those that were skipped as equal included
    unit: str
    difference: Interval | None  # None: nothing was played


def lines(verdicts: Sequence[PastVerdict]) -> Iterator[str]:
    """Yield the verdicts by baseline and question, each group in the order in which they were found."""
    if not verdicts:
        yield "no verdict has been kept"
    ordered = sorted(verdicts, key=lambda one: (one.baseline, one.question, one.unit))
    for (baseline, question, unit), group in groupby(ordered, lambda one: (one.baseline, one.question, one.unit)):
        yield from _group(f"against {baseline}, {question}: {unit}", list(group))


def _group(title: str, verdicts: Sequence[PastVerdict]) -> Iterator[str]:
    most = max([LEAST, *(max(-one.difference.low, one.difference.high) for one in verdicts if one.difference)])
    names = [f"{one.candidate} {one.version} {one.digest[:8]}" for one in verdicts]
    width, words = max(map(len, names)), max(len(one.verdict) for one in verdicts)
    yield title
    for name, one in zip(names, verdicts, strict=True):
        known = f"{interval(one.difference):<22} {_drawn(one.difference, most)}" if one.difference else "nothing was played"
        yield f"  {one.date:<16}  {name:<{width}}  {one.verdict:<{words}} {one.hands:>7,} hands  {known}"
    yield f"{'':{width + words + BEFORE}}{-most:<+{WIDTH // 2}.2f}0{most:>+{WIDTH // 2}.2f}"


def _drawn(found: Interval, most: float) -> str:
    """Return an interval on a scale from -``most`` to ``most``: ``---o---``, with ``|`` at 0."""
    cells = [" "] * WIDTH
    low, value, high = (_column(number, most) for number in (found.low, found.value, found.high))
    cells[low : high + 1] = "-" * (high + 1 - low)
    cells[WIDTH // 2] = "|"
    cells[value] = "o"
    return "".join(cells).rstrip()


def _column(number: float, most: float) -> int:
    return round((number / most + 1) / 2 * (WIDTH - 1))
