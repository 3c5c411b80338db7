"""Numbers as text, in formats that all renderers share, so that they show the same digits.

Tables for terminals, Markdown and CSV have the hyphen as minus sign, so that they can be pasted into programs; pages have the true
minus sign, by ``typeset()``. The scripts of pages write numbers with ``page/numbers.js``.

An interval stands behind its number: as ``± half`` where both ends are equally far by the digits shown, else as ``(low to high)``.
"""

import re
from calendar import month_name
from collections.abc import Sequence
from math import ceil, floor, inf, isinf, log10

from arena.stats.estimate import Estimate
from arena.stats.pairs import CAP
from arena.stats.scales import Interval
from arena.stats.statements import ABOVE, BELOW
from arena.stats.strengths import rank_interval
from arena.stats.tally import Counts

LARGE_FIELD = 30  # bots; a page of more shows a part of its rows, lines and hands, and its matrices by colour alone
NAMED = 4  # bots in a sentence; of more, only the number is shown
MISSING = "–"  # in place of a number that does not exist
MINUS = re.compile(r"(?<![^\s(\[:;])-(?=\d)")  # before a number; not within a name, a date or a word of a command
MOMENT = re.compile(r"\b(\d{4})-(0[1-9]|1[0-2])-(\d\d)[T ](\d\d:\d\d:\d\d)(?:Z| UTC)\b")
NARROW, WIDE = 10, 60  # intervals of ratings; those of Elo points are mostly wider
RATING_UNITS = {"bradley-terry": "Elo points, mean 0", "points": "points a hand, mean 0"}


def typeset(text: str) -> str:
    """Return text as a page shows it: with true minus signs and moments in words; no line breaks at ± or before a per cent sign."""
    kept = text.replace(" %", "\N{NO-BREAK SPACE}%").replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}")
    return MINUS.sub("\N{MINUS SIGN}", MOMENT.sub(_moment_words, kept))


def _moment_words(found: re.Match[str]) -> str:
    return f"{day_words(found)}, {found[4]} UTC"


def day_words(found: re.Match[str]) -> str:
    """Return the day of a moment that MOMENT has found: ``29 November 2026``."""
    year, month, day, _ = found.groups()
    return f"{int(day)} {month_name[int(month)]} {year}"


def matches(counts: Counts) -> str:
    """Return matches ``won–lost``, or ``won–drawn–lost`` if any was drawn."""
    drawn = f"–{counts.matches_drawn}" if counts.matches_drawn else ""
    return f"{counts.matches_won}{drawn}–{counts.matches_lost}"


def won_and_lost(counts: Counts) -> str:
    """Return what was won and lost, in words: matches, and where none was played, as in batches, pairs."""
    if counts.matches_won + counts.matches_lost + counts.matches_drawn:
        kind, won, drawn, lost = "matches", counts.matches_won, counts.matches_drawn, counts.matches_lost
    else:
        kind, won, drawn, lost = "pairs", counts.pairs_won, counts.pairs_drawn, counts.pairs_lost
    return f"won {won:,} and lost {lost:,} {kind}{f' ({drawn:,} drawn)' if drawn else ''}"


def count(how_many: int, one: str, several: str = "") -> str:
    """Return a number of things: ``1 match``, ``1,540 hands``; ``several`` is the plural, if it is not ``one`` with an s."""
    return f"{how_many:,} {one if how_many == 1 else several or f'{one}s'}"


def round_up(number: float) -> int:
    """Return a number rounded up to two significant digits, or to a whole number below 100."""
    unit = int(10 ** max(ceil(log10(max(number, 1.0))) - 2, 0))
    return ceil(number / unit) * unit


def hand_words(name: str, *, alone: bool) -> str:
    """Return the words for a hand that commands call ``0.2``: ``game 1, hand 3``; ``alone``, a game of one hand: ``hand 1``."""
    game, hand = map(int, name.split("."))
    return f"hand {game + 1:,}" if alone else f"game {game + 1:,}, hand {hand + 1:,}"


def number(value: float | None, spec: str) -> str:
    """Return a number in the format ``spec``; a dash if there is none."""
    return MISSING if value is None else format(value, spec)


def within(half: float | None, digits: int = 2) -> str:
    """Return half an interval to be written after a number, `` ± 1.20``; nothing, where it is not known."""
    return "" if half is None else f" ± {half:,.{digits}f}"


def error(se: float | None, digits: int = 2) -> str:
    """Return two standard errors to be written after a number, `` ± 1.20``; nothing, where they are not known."""
    return within(None if se is None else 2 * se, digits)


def signed(value: float, half: float | None = None, digits: int = 2) -> str:
    """Return a number with its sign and half its interval: ``+1.23 ± 0.45``; alone, where that is not known."""
    return f"{value:+z,.{digits}f}{within(half, digits)}"


def with_ends(value: str, low: str, high: str) -> str:
    """Return a number with the ends of its interval: ``+1.20 (+0.80 to +1.70)``."""
    return f"{value} ({low} to {high})"


def interval(value: Interval) -> str:
    """Return a number and its interval: ``+1.20 (+0.80 to +1.60)``; alone, where that has no two ends or no width."""
    if not 0 < value.high - value.low < inf:
        return signed(value.value)
    return with_ends(signed(value.value), signed(value.low), signed(value.high))


def duration(seconds: float) -> str:
    """Return a duration, given in seconds, in a unit that suits it: ``40 s``, ``12 min``, ``3.5 h``, ``4 days``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86400:.0f} days"


def rating_unit(rated_by: str) -> str:
    """Return the unit of a rating: ``Elo points, mean 0``; for a plugin's rating its name."""
    return RATING_UNITS.get(rated_by, rated_by)


def first(estimate: Estimate | None) -> str:
    """Return the range of the chance of rank 1 as text: ``25–59 %``, or ``100 %``; a dash if it was not computed."""
    if estimate is None or not estimate.ranks:
        return MISSING
    low, high = (f"{100 * end:.0f}" for end in _range_of_first(estimate))
    return f"{low} %" if low == high else f"{low}–{high} %"


def places(estimate: Estimate | None) -> str:
    """Return the 95 % interval of the rank as text: ``1–3``, or ``2``; a dash if it was not computed."""
    likely = rank_interval(estimate.ranks) if estimate else None
    if likely is None:
        return MISSING
    return f"{likely[0]}" if likely[0] == likely[1] else f"{likely[0]}–{likely[1]}"


def rating(estimate: Estimate | None, *, short: bool = True) -> str:
    """Return a rating with its interval, ``+284 ± 232``, ``+284 (+51 to +600)`` or ``below -28``; a dash if it is not rated.

    ``short``: with ±, where both ends are as far away, and fewer decimals.
    """
    if estimate is None:
        return MISSING
    width = estimate.high - estimate.low
    spec = "+z,.2f" if width <= NARROW else "+z,.0f" if short or width > WIDE else "+z,.1f"
    if estimate.one_sided:
        return BELOW(end=f"{estimate.high:{spec}}") if isinf(estimate.low) else ABOVE(end=f"{estimate.low:{spec}}")
    up, down = estimate.high - estimate.value, estimate.value - estimate.low
    value = format(estimate.value, "+z,.1f" if abs(estimate.value) < 0.5 and estimate.value and spec == "+z,.0f" else spec)
    if short and format(up, spec) == format(down, spec):
        return f"{value} ± {format(up, spec).lstrip('+')}"
    return with_ends(value, f"{estimate.low:{spec}}", f"{estimate.high:{spec}}")


def rating_number(value: float | None) -> str:
    """Return a rating with two decimals, from 100 on with none; a dash: there is none."""
    if value is None:
        return MISSING
    return f"{value:+z,.2f}" if abs(value) < 100 else f"{value:+z,.0f}"


def ends(low: float | None, high: float | None) -> str:
    """Return the ends of a rating's interval as text: ``+0.20 to +1.40``, or ``below +0.50`` if one is None; a dash: both are."""
    if low is None or high is None:
        return BELOW(end=rating_number(high)) if high is not None else ABOVE(end=rating_number(low)) if low is not None else MISSING
    return f"{rating_number(low)} to {rating_number(high)}"


def rating_axis(rated_by: str) -> str:
    """Return the label of an axis of ratings."""
    return {"bradley-terry": "Elo", "points": f"rating, points a hand held to ±{CAP}"}.get(rated_by, rated_by)


def rating_name(rated_by: str) -> str:
    """Return the name of a rating in a heading and in sentences: ``the strongest by Elo``; for a plugin's rating its name.

    That by points is no mean of points a hand, which stand beside it.
    """
    return {"bradley-terry": "Elo", "points": "rating"}.get(rated_by, rated_by)


def percent(chance: float) -> str:
    """Return a chance in per cent, never as 0 or 100: ``77 %``, ``more than 99 %``."""
    if chance > 0.99:
        return "more than 99 %"
    return "less than 1 %" if chance < 0.01 else share(chance)


def level(proof: float) -> str:
    """Return the level of a verdict that needs this evidence, rounded down: ``95 %``, ``97.43 %``. Source: Ville's inequality."""
    proof = min(proof, 1e9)  # of any larger one the level rounds to 100 %
    digits = 10 ** max(2, ceil(log10(proof)) - 2)  # so many that it is below that of a little more evidence
    return f"{floor((100 - 100 / proof) * digits + 1e-6) / digits:.10g} %"


def share(value: float, digits: int = 0) -> str:
    """Return a share in per cent: ``77 %``, with ``digits`` decimals ``93.8 %``."""
    return f"{100 * value:.{digits}f} %"


def first_in_words(estimate: Estimate) -> str:
    """Return the range of the chance of rank 1 in a sentence: ``25 % to 59 %``, or ``more than 99 %``."""
    low, high = map(percent, _range_of_first(estimate))
    return low if low == high else f"{low} to {high}"


def _range_of_first(estimate: Estimate) -> Sequence[float]:
    """Return the range of the chance of rank 1; without a known range, the chance as both ends."""
    return estimate.first or (estimate.ranks[0], estimate.ranks[0])


def names(bots: Sequence[str]) -> str:
    """Return names in a sentence: ``a, b and c``; of more than ``NAMED`` bots their number. There is at least one."""
    if len(bots) > NAMED:
        return f"{len(bots)} bots"
    return bots[0] if len(bots) == 1 else f"{', '.join(bots[:-1])} and {bots[-1]}"
