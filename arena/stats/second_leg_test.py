"""A test whether an entrant plays better in the legs that it plays second, which is evidence that its legs share information.

Both legs of a pair have the same cards, and a coin decides which leg is played first (:mod:`arena.tournament.director`). If the
legs share nothing, then given the results of both, the *gain* of an entrant, what it scores more in the second leg than in the
first, is +g or -g with equal chances, whatever g is. So a bettor that multiplies its wealth by 1 + tanh(k gain) wins nothing on
average, and the *evidence*, the mean wealth of several bettors with different k, is a martingale that begins at 1 and is never
negative. Gains need no bound and no distribution, and the order of the pairs changes nothing. README.md has the guarantee, what
it assumes, and what the test cannot see.

1 + tanh(k g) is the likelihood ratio of the sign of a normal gain with mean m and variance v, for k = m / v. In a pair with n
hands in each leg both are n times those of one hand, so one k suits pairs of every length.

Sources: Fisher (1935), The design of experiments (randomization tests); Ville (1939); Shafer (2021), Testing by betting.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from copy import deepcopy
from math import fsum, log

from msgspec import Struct

from arena.stats.pairs import Pair

THRESHOLD = 1000.0  # an entrant is flagged at this evidence; the chance of a false alarm is at most 1/1000
STAKES = (1 / 2048, 1 / 512, 1 / 128)  # k of the bettors, in 1/points: for gains of about 1, 3 and 10 points a hand
MAX_EVIDENCE = 1e9  # larger values would mean no more


class SecondLegs(Struct, frozen=True, kw_only=True):
    """The gain of an entrant in the legs that it played second."""

    pairs: int
    hands: int  # of both legs
    gain: float  # points a hand in the second legs less those in the first
    evidence: float  # at most ``MAX_EVIDENCE``
    threshold: float = THRESHOLD

    @property
    def is_flagged(self) -> bool:
        """Tell whether the evidence reaches the threshold."""
        return self.evidence >= self.threshold


class SecondLegsBuilder:
    """Collects the gains of all entrants, pair by pair, in any order."""

    def __init__(self, name: Callable[[str], str] = str) -> None:
        """Count the pairs of an entrant under the name that ``name`` returns; leave out a pair of one name with itself."""
        self._name = name
        self._own: defaultdict[str, Gains] = defaultdict(Gains)
        # by name and deals: sign of the gain, and the first pair; only it counts, because its cards help in both legs of the others
        self._shared: dict[tuple[str, str], tuple[int, Pair]] = {}

    def add(self, pair: Pair) -> None:
        """Count a pair; ignore a single leg, and a pair in which a leg has no hand that was played."""
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
    """Collects the gains of one entrant; a million pairs take 8 MB."""

    def __init__(self) -> None:
        self._points = array("d")  # gain of each pair, in points
        self._hands = 0  # of all legs
        self._hands_a_leg = 0.0  # sum over all pairs; of a pair, the harmonic mean of both legs

    def add(self, sign: int, pair: Pair) -> None:
        """Add the gain of a pair, for the opponent if ``sign`` is -1."""
        (first, first_hands), (second, second_hands) = pair.by_leg
        hands = 2 / (1 / first_hands + 1 / second_hands)  # the variance is that of two legs with the harmonic mean of both lengths
        self._points.append(sign * hands * (second / second_hands - first / first_hands))
        self._hands += first_hands + second_hands
        self._hands_a_leg += hands

    def gains(self) -> SecondLegs:
        """Return the gain over all pairs; their order does not change a bit of the numbers."""
        gain = fsum(self._points) / self._hands_a_leg
        return SecondLegs(pairs=len(self._points), hands=self._hands, gain=round(gain, 6) + 0.0, evidence=evidence(self._points))


def evidence(gains: Sequence[float]) -> float:
    """Return the evidence of gains in points, each of a pair: the mean wealth of the bettors, at most ``MAX_EVIDENCE``."""
    import numpy as np  # noqa: PLC0415 - takes time to load

    bets = np.outer(STAKES, np.sort(gains))
    logs = (log(2) - np.logaddexp(0, -2 * bets)).sum(axis=1)  # of 1 + tanh(bet), also where that is too small for a float
    return float(f"{np.exp(np.minimum(logs, log(MAX_EVIDENCE))).mean():.6g}")
