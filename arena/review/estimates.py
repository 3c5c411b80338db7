"""The price of a decision and its error, from the points of its alternatives in the same sampled worlds.

The error is what the policy of the rollouts would score more by its own decision: below zero where the bot decides better. Summed
over a hand it is, on average, what the policy would score more in that hand, which is the performance difference lemma (Kakade and
Langford, 2002). So errors compare bots. Prices do not, because they also contain what the policy itself could gain, and a long hand
has more of that.

The price says what to do instead. The best of several noisy means is too high: on the worlds that chose it, its lead is mostly
luck. So the walks are halved. The best alternative is chosen on one half, its lead over the chosen one is measured on the other,
and the other way round; the price is the mean of both: a double estimator (van Hasselt, 2010) with cross-fitting. An alternative
counts as best only if it leads by more than ``LEAD`` standard errors on the half that chooses. So a price is never too high on
average, and noise may make it negative. It is too low where alternatives are too close to tell apart.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from arena.gin.actions import Action
from arena.review.alternatives import Choice
from arena.review.vectors import Floats

LEAD = 1.0  # standard errors

PricedKind = Literal["draw", "discard", "knock", "lay_off"]


class Price(Struct, frozen=True):
    """Points a hand that a decision gives up, with the standard error."""

    points: float
    se: float


class PriceEstimate(Struct, frozen=True):
    """The price of a decision, in all and by kind, the best alternative, and the error by kind."""

    total: Price
    kinds: dict[PricedKind, Price]
    best: Action
    errors: dict[PricedKind, Price]
    worth: float  # points that the action itself may expect, as the seat knew


def estimate(choice: Choice, values: Floats) -> PriceEstimate:
    """Return the price of a decision; ``values`` are mean points (alternatives x walks), NaN where one was given up."""
    gains = _Gains(values)
    parts = dict(_parts(choice, gains))
    kinds = {kind: price(gain) for kind, gain in parts.items()}
    best = int(np.nanargmax(values.mean(axis=1)))
    errors = {kind: price(values[better] - values[worse]) for kind, better, worse in _errors(choice)}
    worth = float(values[choice.chosen].mean())
    return PriceEstimate(
        price(sum(parts.values(), np.zeros(values.shape[1]))), kinds, choice.alternatives[best].action, errors, worth
    )


def _errors(choice: Choice) -> list[tuple[PricedKind, int, int]]:
    """Return, for each part of an error, its kind and the numbers of the alternatives of which it is the difference."""
    group = choice.alternatives[choice.chosen].group
    if group == "draw":
        return [("draw", choice.own, choice.chosen)]
    if group == "throw":
        throw = choice.own_throw()
        return [("discard", throw, choice.chosen), ("knock", choice.own, throw)]
    laid = choice.same_knock()
    better = choice.chosen if laid is None else laid
    return [("lay_off", better, choice.chosen), ("knock", choice.own, better)]


def _parts(choice: Choice, gains: "_Gains") -> list[tuple[PricedKind, Floats]]:
    """Return what is gained by each part of a better decision, for each walk."""
    group = choice.alternatives[choice.chosen].group
    own = _Reference.always(choice.chosen)
    if group == "draw":
        return [("draw", gains.over(own, choice.of("draw")))]
    if group == "throw":
        throw = gains.best(own, choice.of("throw"))
        return [("discard", gains.of(own, throw)), ("knock", gains.over(throw, choice.of("end")))]
    laid = choice.same_knock()
    better = own if laid is None else gains.best(own, [laid])
    return [("lay_off", gains.of(own, better)), ("knock", gains.over(better, range(len(choice.alternatives))))]


class _Reference(Struct, frozen=True):
    """The alternative chosen by each half of the walks, to be measured on the other half."""

    by_half: tuple[int, int]

    @staticmethod
    def always(number: int) -> "_Reference":
        return _Reference((number, number))


class _Gains:
    """Leads of alternatives, chosen on one half of the walks and measured on the other."""

    def __init__(self, values: Floats) -> None:
        self._values = values
        even = np.arange(values.shape[1]) % 2 == 0
        self._halves = (even, ~even)

    def best(self, own: _Reference, rivals: Sequence[int]) -> _Reference:
        """Return the best rival by each half; ``own``, if none leads it clearly."""
        return _Reference((self._best(0, own.by_half[0], rivals), self._best(1, own.by_half[1], rivals)))

    def _best(self, half: int, own: int, rivals: Sequence[int]) -> int:
        values = self._values[:, self._halves[half]]
        means = values.mean(axis=1)
        known = [rival for rival in rivals if not np.isnan(means[rival])]
        best = max(known, key=lambda rival: means[rival], default=own)
        lead = price(values[best] - values[own])
        return best if lead.points > LEAD * lead.se else own

    def of(self, own: _Reference, better: _Reference) -> Floats:
        """Return the lead of one reference over another for each walk, as chosen by the half without that walk."""
        lead = np.zeros(self._values.shape[1])
        for half in (0, 1):
            measured = self._halves[1 - half]
            lead[measured] = (self._values[better.by_half[half]] - self._values[own.by_half[half]])[measured]
        return lead

    def over(self, own: _Reference, rivals: Sequence[int]) -> Floats:
        """Return the lead of the best rival over a reference for each walk."""
        return self.of(own, self.best(own, rivals))


def price(gains: Floats) -> Price:
    """Return the mean of some walks with its standard error."""
    return Price(float(gains.mean()), float(gains.std(ddof=1) / len(gains) ** 0.5))
