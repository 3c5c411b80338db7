"""Whether an entrant plays better in the legs that it plays second: evidence that its legs share information.

Both legs of a pair have the same cards, and a coin decides which leg is played first (:mod:`arena.tournament.director`). Suppose
that the legs share nothing. Then the course of a leg does not depend on the coin, whatever happens within it: moods, faults,
learning. So given the results of both legs, the *gain* of an entrant, what it scores more in the second leg than in the first, is
+g or -g with equal chances, whatever g is. A bettor who multiplies his wealth by 1 + tanh(k gain) then wins nothing on average:

    ((1 + tanh(k g)) + (1 - tanh(k g))) / 2 = 1

The coins of different pairs depend neither on each other nor on any result. So his wealth over many pairs is a martingale that
begins at 1 and is never negative, and so is the *evidence*, the mean wealth of several bettors with different k. By Ville's
inequality it reaches 1,000 at any time with a chance of at most 1 in 1,000, however often it is looked at. No gain has to be
bounded, no law is assumed, and the order of the pairs changes nothing.

1 + tanh(k g) is the likelihood ratio of the sign of a normal gain with mean m and variance v, for k = m / v. In a pair with n
hands in each leg both are n times those of one hand, so one k suits pairs of every length. Only gains above zero win a bet: in a
pair one entrant gains what the other loses, and the one that loses has not cheated.

What remains to be assumed: outside the bots nothing gets better from one leg to the next, as a machine on which other work ends
would for a bot that thinks by the clock; and which pairs are complete at a look does not depend on their coins. Evidence
does not say which of two opponents has shared information: one could play worse in its second legs to make the other suspect.

Where several pairs of an entrant have the same deals, shared information helps in both legs of all pairs but the first of these.
So only the first counts.

Sources: Fisher (1935), The design of experiments (randomization tests); Ville (1939); Shafer (2021), Testing by betting.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from copy import deepcopy
from math import fsum, log

from msgspec import Struct

from arena.stats.pairs import Pair

THRESHOLD = 1000.0  # evidence from which on an entrant is flagged; one that shares nothing ever is with a chance of 1 in 1,000
STAKES = (1 / 2048, 1 / 512, 1 / 128)  # k of the bettors, a point: for gains of about 1, 3 and 10 points a hand
MOST = 1e9  # evidence that is shown: more would mean no more


class SecondLegs(Struct, frozen=True, kw_only=True):
    """What an entrant has gained in the legs that it played second."""

    pairs: int
    hands: int  # of both legs
    gain: float  # points a hand in the second legs less those in the first
    evidence: float  # at most ``MOST``
    threshold: float = THRESHOLD

    @property
    def is_flagged(self) -> bool:
        """Tell whether the evidence says that legs share information."""
        return self.evidence >= self.threshold


class SecondLegsBuilder:
    """Collects the gains of all entrants, pair by pair, in any order."""

    def __init__(self, name: Callable[[str], str] = str) -> None:
        """``name`` returns under which name an entrant's pairs are counted; a pair of one name with itself is left out."""
        self._name = name
        self._own: defaultdict[str, Gains] = defaultdict(Gains)
        self._shared: dict[tuple[str, str], tuple[int, Pair]] = {}  # by name and deals: sign of the gain, and the first pair

    def add(self, pair: Pair) -> None:
        """Count a pair; a leg without the other one, or with no hand that was played, says nothing."""
        names = self._name(pair.entrant), self._name(pair.opponent)
        if pair.legs != 2 or names[0] == names[1] or not all(hands for _, hands in pair.by_leg):
            return
        for name, sign in zip(names, (1, -1), strict=True):
            if not pair.may_share_deals:
                self._own[name].add(sign, pair)
            elif (known := self._shared.get((name, pair.deals))) is None or pair.place < known[1].place:
                self._shared[name, pair.deals] = sign, pair

    def gains(self) -> dict[str, SecondLegs]:
        """Return the gains of every entrant with a pair, by name."""
        every = deepcopy(self._own)
        for (name, _), (sign, pair) in self._shared.items():
            every[name].add(sign, pair)
        return {name: every[name].gains() for name in sorted(every)}


class Gains:
    """The gains of one entrant; those of a million pairs take 8 MB."""

    def __init__(self) -> None:
        self._points = array("d")  # of each pair, for as many hands as a leg has
        self._hands = 0  # of all legs
        self._hands_a_leg = 0.0  # of all pairs together

    def add(self, sign: int, pair: Pair) -> None:
        """Add the gain of a pair, for the opponent if ``sign`` is -1."""
        (first, first_hands), (second, second_hands) = pair.by_leg
        hands = 2 / (1 / first_hands + 1 / second_hands)  # legs of unequal length say as much as two of their harmonic mean
        self._points.append(sign * hands * (second / second_hands - first / first_hands))
        self._hands += first_hands + second_hands
        self._hands_a_leg += hands

    def gains(self) -> SecondLegs:
        """Return the gains in all pairs; their order does not change a bit of it."""
        gain = fsum(self._points) / self._hands_a_leg
        return SecondLegs(pairs=len(self._points), hands=self._hands, gain=round(gain, 6) + 0.0, evidence=evidence(self._points))


def evidence(gains: Sequence[float]) -> float:
    """Return the evidence of gains in points, each of a pair: the mean wealth of the bettors, at most ``MOST``."""
    import numpy as np  # noqa: PLC0415 - takes time to load

    bets = np.outer(STAKES, np.sort(gains))
    logs = (log(2) - np.logaddexp(0, -2 * bets)).sum(axis=1)  # of 1 + tanh(bet), also where that is too small for a float
    return float(f"{np.exp(np.minimum(logs, log(MOST))).mean():.6g}")
