"""Turns pairs into an estimate for every entrant, with notes on what limits it.

A table needs a number for every entrant. So where maximum likelihood has no finite answer, the entrants are rated under a prior of
3 logits and a note says so; :mod:`arena.stats.results`, a calculator, returns nulls and a state instead.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, log

import numpy as np

from arena.stats.comparisons import Array, Comparisons, Measure, compare
from arena.stats.fit import FEW, Fit, State, bradley_terry, least_squares
from arena.stats.pairs import Pair
from arena.stats.posterior import draw
from arena.stats.ranks import chances_ahead, rank_chances
from arena.stats.ratings.base import Estimate

ELO = 400 / log(10)  # points of Elo in a logit
WIDTH = 1.96  # standard errors on either side of a 95 % interval
COMPARED = 250  # entrants, of which every two are compared
LEADERS = 10  # of a larger field, compared with all
FALLBACK_PRIOR = 3.0  # logits; used where maximum likelihood has no answer


def by_matches(played: Iterable[Pair], prior: float) -> dict[str, Estimate]:
    """Return ratings from matches won, in Elo, mean 0. ``prior`` is in logits."""
    names, table = compare(played, matches)
    fit, notes = fit_matches(table, prior)
    return _estimates(names, fit, ELO, [join(*both) for both in zip(notes, limits(table), strict=True)])


def by_points(played: Iterable[Pair]) -> dict[str, Estimate]:
    """Return ratings in points a hand, mean 0 over the field; groups that never met have mean 0 each."""
    names, table = compare(played, hand_points)
    return in_points(names, table, least_squares(table))


def in_points(names: Sequence[str], table: Comparisons, fit: Fit) -> dict[str, Estimate]:
    """Return ratings as :func:`by_points` does, from the hand points of all and their fit by least squares."""
    parts = {} if fit.state is State.OK else {tuple(group): table.among(group) for group in fit.groups}
    if not parts:
        return _estimates(names, fit, 1.0, few(table))
    found: dict[str, Estimate] = {}
    for group, part in parts.items():
        notes = [join(note, apart(len(parts))) for note in few(part)]
        found |= _estimates([names[place] for place in group], least_squares(part), 1.0, notes)
    return {name: found[name] for name in names}


def fit_matches(table: Comparisons, prior: float) -> tuple[Fit, list[str]]:
    """Return the Bradley-Terry fit and a note on every entrant; under the fallback prior if there is no fit without one."""
    fit = bradley_terry(table, prior, by_pair=True)
    parts = [part_of(fit, place) for place in range(table.size)]
    if fit.values is not None or not table.size:
        return fit, parts
    note = f"rated with a prior of {FALLBACK_PRIOR:g} logits"
    return bradley_terry(table, FALLBACK_PRIOR, by_pair=True), [join(part, note) for part in parts]


def matches(pair: Pair) -> Measure:
    """Return matches played and won, with a draw as half a win for each; a pair of batches is one match, won by points."""
    if pair.batch:
        return Measure(1.0, (1 + pair.outcome) / 2, (1 - pair.outcome) / 2)
    won, lost = pair.matches
    drawn = pair.legs - won - lost
    return Measure(pair.legs, won + drawn / 2, lost + drawn / 2)


def hand_points(pair: Pair) -> Measure:
    """Return hands played and net points, each hand capped to +-60."""
    return Measure(pair.hands, pair.capped_points, -pair.capped_points)


def _estimates(names: Sequence[str], fit: Fit, scale: float, notes: Sequence[str]) -> dict[str, Estimate]:
    if fit.values is None or fit.covariance is None or fit.errors is None:
        return {}
    draws = draw(fit.values, fit.covariance if fit.plausible is None else fit.plausible)
    ranks = map(tuple, rank_chances(draws).tolist())
    ahead = _ahead(names, fit.values, draws)
    rows = zip(names, (fit.values * scale).tolist(), (fit.errors * scale * WIDTH).tolist(), notes, ranks, strict=True)
    return {
        name: Estimate(value, value - half, value + half, note, of, ahead.get(name, {})) for name, value, half, note, of in rows
    }


def _ahead(names: Sequence[str], values: Array, draws: Array) -> dict[str, dict[str, float]]:
    """Return the chances to be ahead of each other entrant; in a field too large to compare every two, of the strongest only."""
    strongest = range(len(names)) if len(names) <= COMPARED else np.argsort(-values)[:LEADERS].tolist()
    return {
        names[one]: {name: chance for name, chance in zip(names, row, strict=True) if name != names[one]}
        for one, row in zip(strongest, chances_ahead(draws, strongest).tolist(), strict=True)
    }


def limits(table: Comparisons) -> Iterator[str]:
    """Yield for each entrant a note if its rating depends on the prior or on few pairs."""
    played, won = table.weight.sum(axis=1), table.score.sum(axis=1)
    for total, score, note in zip(played, won, few(table), strict=True):
        yield join(_perfect(total, score), note)


def _perfect(played: float, won: float) -> str:
    if won == played:
        return "unbeaten: the prior decides how far it is above the others"
    return "" if won else "without a win: the prior decides how far it is below the others"


def few(table: Comparisons) -> list[str]:
    """Return for each entrant a note if the scatter of its pairs is not known well."""
    if table.spare < FEW and table.spare_deals < table.spare_pairs:
        least = ceil(FEW / (table.size - 1)) + 1
        return [f"few deals: a reliable interval needs at least {least} that the pairings share"] * table.size
    if table.spare < FEW:
        return [f"few pairs: a reliable interval needs at least {FEW + table.size - 1}"] * table.size
    return ["all pairs ended alike: the interval allows for exceptions that were not seen" if table.alike else ""] * table.size


def part_of(fit: Fit, place: int) -> str:
    """Return a note on an entrant whose part of the field cannot be compared with the others, or only by a prior."""
    if fit.state is State.DISCONNECTED:
        return apart(len(fit.groups))
    largest = fit.groups[0] if fit.groups else []
    if fit.state in {State.UNBOUNDED, State.PERFECT} and (len(largest) == 1 or place not in largest):
        return "won or lost everything against the rest of the field"
    return ""


def apart(parts: int) -> str:
    """Return the note on a field with parts that never met."""
    return f"the field has {parts} parts that never met: compare only within a part"


def join(*notes: str) -> str:
    """Return several notes as one, without those that are empty."""
    return "; ".join(note for note in notes if note)
