"""Finds entrants that may have helped each other: their results against each other say more than their results against others.

Entrants are rated by least squares on points a hand (:mod:`arena.stats.fit`), from the results between different teams alone. Then
two kinds of surplus are tested:

- of an entrant against its own team: its score in all meetings with its members, less what these ratings predict;
- of an entrant against one of another team: the same, by the ratings without their own meetings.

A surplus has a normal distribution: its true value, plus an error from the scatter of pairs and from the ratings. Honest bots have
a surplus too, because no two play alike: its variance is estimated from all pairings of different teams, by the median, so that a
few helpers do not inflate it and escape. The evidence is the likelihood of a surplus with a standard deviation of ``TYPICAL``
points or of twice that of honest bots, whichever is larger, divided by that of an honest one. In honest play this ratio does not
grow on average, however results choose the meetings, so it ever reaches 1 / alpha with a probability of at most alpha (Ville
1939), at any look and from the first meeting on. That holds for known variances. Here they are estimated; the error was simulated.

The chances of error add up to ``FALSE_ALARM`` over all tests that could ever be made: half of it for each kind; of that, entrant
number j (from 1, in the order in which they joined) has 1 / (j (j + 1)); between teams, in equal parts for its pairings with those
before it.

Source: Robbins (1970), Statistical methods related to the law of the iterated logarithm (mixtures as boundaries).
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple

from arena.stats.comparisons import TABLES, Array, Comparisons
from arena.stats.components import parts
from arena.stats.fit import inverse_on_sum_zero, laplacian, least_squares, neighbours

TYPICAL = 10.0  # points a hand, the standard deviation of help
HONEST = 1.5  # points a hand: least standard deviation of the surplus of honest bots, because no two play alike
FALSE_ALARM = 0.01  # chance that any surplus is ever reported in a league without help
MEDIAN = 0.4549  # of the square of a standard normal number
LEAST_LEFT = 0.05  # a pairing is tested only if more than this share of its information is not used up by the ratings


class Surplus(Struct, frozen=True):
    """The score of an entrant against others, less what the results between different teams predict."""

    one: str
    others: tuple[str, ...]  # the members of its team that it met; or one entrant of another team
    more: float  # points a hand
    evidence: float  # log of the ratio of likelihoods


def signs_of_help(names: Sequence[str], table: Comparisons, teams: Mapping[str, str], joined: Mapping[str, int]) -> list[Surplus]:
    """Return the surpluses that look like help, in the order of joining; ``joined``: the number of each entrant, from 1."""
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
        self._names = names
        self._numbers = [joined[name] for name in names]
        self._values, self._covariance = fit.values, fit.covariance
        self._hand = float(fit.noise.sum() / outside.weight.sum())  # variance of a hand
        self._surpluses(outside)

    def _surpluses(self, outside: Comparisons) -> None:
        """Compute the surplus of every pairing of different teams by the ratings without it, and the variance of honest ones."""
        inverse = inverse_on_sum_zero(laplacian(outside.weight))
        own = np.diag(inverse)
        resistance = own[:, None] + own[None, :] - 2 * inverse
        # share of its information that the ratings have not used up; a residual divided by it is that without the pairing
        free = 1 - outside.weight * resistance
        self._pairs = np.argwhere(np.triu((outside.weight > 0) & (free > LEAST_LEFT), 1))
        at = tuple(self._pairs.T)
        hands = outside.weight[at] * free[at]
        expected = outside.weight * (self._values[:, None] - self._values[None, :])
        self._more = (outside.score - expected)[at] / hands
        self._variances = self._hand / hands
        excess = self._more**2 / MEDIAN - self._variances  # for normal surpluses, its median estimates the variance of honest ones
        self._honest = max(HONEST**2, float(np.median(excess)) if len(excess) else 0.0)

    def between_teams(self) -> Iterator[Surplus]:
        """Yield what looks like help between entrants of different teams."""
        for (one, other), more, variance in zip(self._pairs.tolist(), self._more.tolist(), self._variances.tolist(), strict=True):
            later = max(self._numbers[one], self._numbers[other])
            evidence = evidence_of_help(more, variance, self._honest)
            if evidence >= _threshold(later) + log(later - 1):
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
            evidence = evidence_of_help(more, variance, self._honest * float(weights @ weights))
            if more > 0 and evidence >= _threshold(self._numbers[place]):
                others = tuple(self._names[other] for other in np.flatnonzero(hands).tolist())
                yield Surplus(self._names[place], others, more, evidence)


def evidence_of_help(more: float, variance: float, honest: float) -> float:
    """Return the log of the likelihood of a surplus under help, less that under honest play, of variance ``honest``."""
    without, with_help = variance + honest, variance + max(TYPICAL**2, 4 * honest)
    return 0.5 * (log(without / with_help) + more**2 * (1 / without - 1 / with_help))


def _threshold(number: int) -> float:
    return log(2 * number * (number + 1) / FALSE_ALARM)
