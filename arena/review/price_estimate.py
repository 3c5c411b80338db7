"""The price of a decision and its error, from the points of its alternatives in the same sampled worlds.

The error is what the policy of the rollouts would score more by its own decision: below zero where the bot decides better. Summed
over a hand it is, on average, what the policy would score more in that hand, which is the performance difference lemma (Kakade
and Langford, 2002). So errors compare bots. Prices do not, because they also contain what the policy itself could gain, and a
long hand has more of that.

The price says what to do instead. The best of several noisy means is too high: on the worlds that chose it, its lead is mostly
luck. So the walks are halved. The best alternative is chosen on one half, its lead over the chosen one is measured on the other,
and the other way round; the price is the mean of both: a double estimator (van Hasselt, 2010) with cross-fitting. An alternative
counts as best only if it leads by more than ``LEAD`` standard errors on the half that chooses. So a price is not too high on
average, and noise may make it negative. It is too low where alternatives are too close to tell apart.
"""

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np

from arena.review.alternatives import Choice
from arena.review.arrays import Floats
from arena.review.prices import Price, PricedDecision, PricedKind, TriedAction

LEAD = 1.0  # standard errors


def estimate(choice: Choice, values: Floats) -> PricedDecision:
    """Return the price of a decision; ``values`` are mean points (alternatives x walks), NaN after an alternative was given up."""
    gains = _Gains(values)
    parts = dict(_parts(choice, gains))
    kinds = {kind: price(gain) for kind, gain in parts.items()}
    best = int(np.nanargmax(values.mean(axis=1)))
    errors = {kind: price(values[better] - values[worse]) for kind, better, worse in _errors(choice)}
    worth = float(values[choice.chosen].mean())
    tried = tuple(_tried(choice, values, best))
    total = price(sum(parts.values(), np.zeros(values.shape[1])))
    step = choice.step
    return PricedDecision(step.turn, step.action, total, kinds, choice.alternatives[best].action, errors, worth, tried)


def _tried(choice: Choice, values: Floats, best: int) -> Iterator[TriedAction]:
    for number, one in enumerate(choice.alternatives):
        behind = values[best] - values[number]
        known = behind[~np.isnan(behind)]
        if len(known) > 1:
            yield TriedAction(one.action, price(known))


def _errors(choice: Choice) -> list[tuple[PricedKind, int, int]]:
    """Return, for each part of an error, its kind and the two alternatives whose difference it is: first less second.

    A throw is compared with the policy's throw, and that with what the policy does; a knock with the same one whose melds the
    referee lays, and that with what the policy does.
    """
    group = choice.alternatives[choice.chosen].group
    if group == "draw":
        return [("draw", choice.reference, choice.chosen)]
    if group == "throw":
        throw = choice.policy_throw()
        return [("discard", throw, choice.chosen), ("knock", choice.reference, throw)]
    laid = choice.plain_knock()
    better = choice.chosen if laid is None else laid
    return [("lay_off", better, choice.chosen), ("knock", choice.reference, better)]


def _parts(choice: Choice, gains: "_Gains") -> list[tuple[PricedKind, Floats]]:
    """Return the kinds of the parts of a price, each with its gain for each walk."""
    group = choice.alternatives[choice.chosen].group
    chosen = choice.chosen, choice.chosen
    if group == "draw":
        return [("draw", gains.over(chosen, choice.of("draw")))]
    if group == "throw":
        throw = gains.best(chosen, choice.of("throw"))
        return [("discard", gains.of(chosen, throw)), ("knock", gains.over(throw, choice.of("end")))]
    laid = choice.plain_knock()
    better = chosen if laid is None else gains.best(chosen, [laid])
    return [("lay_off", gains.of(chosen, better)), ("knock", gains.over(better, range(len(choice.alternatives))))]


_ByHalf = tuple[int, int]  # an alternative for each half of the walks, which chose it; it is measured on the other half


class _Gains:
    """Leads of alternatives, chosen on one half of the walks and measured on the other."""

    def __init__(self, values: Floats) -> None:
        self._values = values
        even = np.arange(values.shape[1]) % 2 == 0
        self._halves = (even, ~even)

    def best(self, base: _ByHalf, rivals: Sequence[int]) -> _ByHalf:
        """Return the best rival by each half; that of ``base``, if none leads it by more than LEAD standard errors."""
        return self._best(0, base[0], rivals), self._best(1, base[1], rivals)

    def _best(self, half: int, base: int, rivals: Sequence[int]) -> int:
        values = self._values[:, self._halves[half]]
        means = values.mean(axis=1)
        known = [rival for rival in rivals if not np.isnan(means[rival])]
        best = max(known, key=lambda rival: means[rival], default=base)
        lead = price(values[best] - values[base])
        return best if lead.points > LEAD * lead.se else base

    def of(self, base: _ByHalf, better: _ByHalf) -> Floats:
        """Return the lead of ``better`` over ``base`` for each walk, as chosen by the half without that walk."""
        lead = np.zeros(self._values.shape[1])
        for half in (0, 1):
            measured = self._halves[1 - half]
            lead[measured] = (self._values[better[half]] - self._values[base[half]])[measured]
        return lead

    def over(self, base: _ByHalf, rivals: Sequence[int]) -> Floats:
        """Return the lead of the best rival over ``base`` for each walk."""
        return self.of(base, self.best(base, rivals))


def price(gains: Floats) -> Price:
    """Return the mean over walks with its standard error; the methods of an array would take three times as long."""
    size = len(gains)
    mean = np.add.reduce(gains) / size
    apart = gains - mean
    return Price(float(mean), sqrt(np.add.reduce(apart * apart) / (size - 1)) / size**0.5)
