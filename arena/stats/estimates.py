"""From pairs to a rating for every entrant, and what must be said with it."""

from collections.abc import Iterable, Iterator, Sequence
from math import log

from arena.stats.comparisons import Comparisons, Measure, compare
from arena.stats.fit import FEW, Fit, State, bradley_terry, least_squares
from arena.stats.pairs import Pair
from arena.stats.ranks import rank_chances
from arena.stats.ratings.base import Estimate

ELO = 400 / log(10)  # points of Elo in a logit
WIDTH = 1.96  # standard errors on either side: 95 %
RESCUE = 3.0  # logits: the prior that answers where maximum likelihood does not


def by_matches(played: Iterable[Pair], prior: float) -> dict[str, Estimate]:
    """Return Elo points, with mean nought."""
    names, table = compare(played, matches)
    fit, notes = fit_matches(table, prior)
    return _estimates(names, fit, ELO, [_join(*said) for said in zip(notes, _limits(table), strict=True)])


def by_points(played: Iterable[Pair]) -> dict[str, Estimate]:
    """Return points a hand around the mean of the field; parts of a field that never met have a mean each."""
    names, table = compare(played, hand_points)
    fit = least_squares(table)
    parts = {} if fit.state is State.OK else {tuple(group): table.among(group) for group in fit.groups}
    if not parts:
        return _estimates(names, fit, 1.0, _few(table))
    found: dict[str, Estimate] = {}
    for group, part in parts.items():
        notes = [_join(note, _apart(len(parts))) for note in _few(part)]
        found |= _estimates([names[place] for place in group], least_squares(part), 1.0, notes)
    return {name: found[name] for name in names}


def fit_matches(table: Comparisons, prior: float) -> tuple[Fit, list[str]]:
    """Return the Bradley-Terry fit and a note on every entrant; where likelihood alone has no answer, under a prior after all."""
    fit = bradley_terry(table, prior, by_pair=True)
    parts = [_part_of(fit, place) for place in range(table.size)]
    if fit.values is not None or not table.size:
        return fit, parts
    return bradley_terry(table, RESCUE, by_pair=True), [_join(part, f"rated with a prior of {RESCUE:g} logits") for part in parts]


def matches(pair: Pair) -> Measure:
    """Return matches played and won, a drawn one half to each; a batch is one match, won by points."""
    if pair.batch:
        return Measure(1.0, (1 + pair.outcome) / 2, (1 - pair.outcome) / 2)
    won, lost = pair.matches
    drawn = pair.legs - won - lost
    return Measure(pair.legs, won + drawn / 2, lost + drawn / 2)


def hand_points(pair: Pair) -> Measure:
    """Return hands played and net points."""
    return Measure(pair.hands, pair.held, -pair.held)


def _estimates(names: Sequence[str], fit: Fit, scale: float, notes: Sequence[str]) -> dict[str, Estimate]:
    if fit.values is None or fit.covariance is None or fit.errors is None:
        return {}
    ranks = map(tuple, rank_chances(fit.values, fit.covariance).tolist())
    rows = zip(names, (fit.values * scale).tolist(), (fit.errors * scale * WIDTH).tolist(), notes, ranks, strict=True)
    return {name: Estimate(value, value - half, value + half, note, ranks) for name, value, half, note, ranks in rows}


def _limits(table: Comparisons) -> Iterator[str]:
    """Yield for each entrant whether its rating rests on the prior, or on few pairs."""
    played, won = table.weight.sum(axis=1), table.score.sum(axis=1)
    for total, score, few in zip(played, won, _few(table), strict=True):
        yield _join(_perfect(total, score), few)


def _perfect(played: float, won: float) -> str:
    if won == played:
        return "unbeaten: how far above the others is the prior's guess"
    return "" if won else "without a win: how far below the others is the prior's guess"


def _few(table: Comparisons) -> list[str]:
    note = f"few pairs: at least {FEW + table.size - 1} make an interval to rely on" if table.spare < FEW else ""
    return [note] * table.size


def _part_of(fit: Fit, place: int) -> str:
    if fit.state is State.DISCONNECTED:
        return _apart(len(fit.groups))
    most = fit.groups[0] if fit.groups else []
    if fit.state in {State.UNBOUNDED, State.PERFECT} and (len(most) == 1 or place not in most):
        return "won or lost everything against the rest of the field"
    return ""


def _apart(parts: int) -> str:
    return f"the field fell into {parts} parts that never met: compare within a part only"


def _join(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
