"""Finds entrants that may have helped each other: their results against each other say more than their results against others.

Entrants are rated by least squares on points a hand (:mod:`arena.stats.fit`), from the results between different teams alone. Then
two kinds of surplus are tested:

- of an entrant against its own team: what it scored more in all meetings with its members than these ratings say;
- of an entrant against one of another team: the same, by the ratings without their own meetings.

A surplus is a normal number: its true value, and an error from the scatter of pairs and from the ratings. Honest bots have a
surplus too, because no two play alike: its variance is estimated from all pairings of different teams, by the median, so that a
few helpers do not inflate it and escape. The evidence is the likelihood of a surplus of ``TYPICAL`` points on average, divided by
that of an honest one. In honest play this ratio never grows on average, however results choose the meetings, so it ever exceeds
1 / alpha with a probability of at most alpha (Ville 1939): a note is right at any look, from the first meeting on. That holds for
known variances, which are estimated here; the error was simulated.

The chances of error add up to ``FALSE_ALARM`` over all tests that could ever be made: half of it for each kind; of that, entrant
number j (from 1, in the order in which they joined) has 1 / (j (j + 1)), in equal parts for its pairings with those before it.

Source: Robbins (1970), Statistical methods related to the law of the iterated logarithm (mixtures as boundaries).
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple

from arena.stats.fit import TABLES, Array, Comparisons, inverse_on_sum_zero, laplacian, least_squares, neighbours, parts

TYPICAL = 10.0  # points a hand, the standard deviation of help
HONEST = 1.5  # points a hand, at least: standard deviation of the surplus of honest bots, because no two play alike
FALSE_ALARM = 0.01  # chance that any note is ever made in a league without help
MEDIAN = 0.4549  # of the square of a standard normal number
LEAST_LEFT = 0.05  # a pairing is tested only if this share of its information remains when the ratings are fitted without it


class Surplus(Struct, frozen=True):
    """By how much an entrant scored more against others than what all did elsewhere explains."""

    one: str
    others: tuple[str, ...]  # its team, as far as they met; or one entrant of another team
    more: float  # points a hand
    evidence: float  # the ratio of likelihoods, as a logarithm


def signs_of_help(names: Sequence[str], table: Comparisons, teams: Mapping[str, str], joined: Mapping[str, int]) -> list[Surplus]:
    """Return the surpluses that look like help, in the order of ``names``; ``joined`` are the numbers of the entrants, from 1."""
    team = np.unique([teams[name] for name in names], return_inverse=True)[1] if names else np.zeros(0, int)
    strangers = team[:, None] != team[None, :]
    outside = Comparisons(*(one * strangers for one in astuple(table)[:TABLES]))
    found = []
    for group in parts(neighbours(outside.weight)):
        if len(group) > 1:
            part = _Part([names[place] for place in group], outside.among(group), joined)
            found += [*part.in_teams(table.among(group), ~strangers[np.ix_(group, group)]), *part.between_teams()]
    return sorted(found, key=lambda one: (joined[one.one], one.others))


class _Part:
    """The ratings of entrants by their results against other teams."""

    def __init__(self, names: Sequence[str], outside: Comparisons, joined: Mapping[str, int]) -> None:
        fit = least_squares(outside)
        assert fit.values is not None
        assert fit.covariance is not None
        assert fit.noise is not None
        self._names = names
        self._numbers = [joined[name] for name in names]
        self._values, self._covariance = fit.values, fit.covariance
        self._hand = float(fit.noise.sum() / outside.weight.sum())  # variance of a hand
        self._surpluses(outside)

    def _surpluses(self, outside: Comparisons) -> None:
        """Compute the surplus of every pairing of different teams by the ratings without it, and that of honest bots."""
        inverse = inverse_on_sum_zero(laplacian(outside.weight))
        own = np.diag(inverse)
        resistance = own[:, None] + own[None, :] - 2 * inverse
        left = 1 - outside.weight * resistance
        self._pairs = np.argwhere(np.triu((outside.weight > 0) & (left > LEAST_LEFT), 1))
        at = tuple(self._pairs.T)
        hands = outside.weight[at] * left[at]
        expected = outside.weight * (self._values[:, None] - self._values[None, :])
        self._more = (outside.score - expected)[at] / hands
        self._variances = self._hand / hands
        excess = self._more**2 / MEDIAN - self._variances  # for normal surpluses, its median estimates the variance of honest ones
        self._honest = max(HONEST**2, float(np.median(excess)) if len(excess) else 0.0)

    def between_teams(self) -> Iterator[Surplus]:
        """Yield what looks like help between entrants of different teams."""
        for (one, other), more, variance in zip(self._pairs.tolist(), self._more.tolist(), self._variances.tolist(), strict=True):
            later = max(self._numbers[one], self._numbers[other])
            evidence = _evidence(more, variance, self._honest)
            if evidence >= _threshold(later) + log(max(later - 1, 1)):
                best, worst = (one, other) if more > 0 else (other, one)
                yield Surplus(self._names[best], (self._names[worst],), abs(more), evidence)

    def in_teams(self, table: Comparisons, friends: Array) -> Iterator[Surplus]:
        """Yield what looks like help within a team."""
        met = table.weight * friends
        for place in np.flatnonzero(met.sum(axis=1)).tolist():
            hands = met[place]
            total = hands.sum()
            weights = hands / total
            more = float((table.score[place] * friends[place]).sum() / total - weights @ (self._values[place] - self._values))
            lever = np.eye(len(hands))[place] - weights
            variance = self._hand / total + lever @ self._covariance @ lever
            evidence = _evidence(more, variance, self._honest * float(weights @ weights))
            if more > 0 and evidence >= _threshold(self._numbers[place]):
                others = tuple(self._names[other] for other in np.flatnonzero(hands).tolist())
                yield Surplus(self._names[place], others, more, evidence)


def _evidence(more: float, variance: float, honest: float) -> float:
    """Return the logarithm of the ratio of likelihoods of a surplus: of help, and of honest play."""
    without, with_help = variance + honest, variance + max(TYPICAL**2, 4 * honest)
    return 0.5 * (log(without / with_help) + more**2 * (1 / without - 1 / with_help))


def _threshold(number: int) -> float:
    return log(2 * number * (number + 1) / FALSE_ALARM)
