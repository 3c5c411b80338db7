"""Estimates how long a schedule takes, from the timing of a few hands.

Time is linear in the number of hands: a constant for starting and ending two bots, and for each hand the time of the referee and
of each bot. The length of a match comes from playing matches with the results of the hands that were timed.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from arena.gin.deal import Deals
from arena.gin.match import Match
from arena.gin.rules import Rules
from arena.gin.score import HandResult

SEED = 20_000  # fixed, so that the same hands give the same length
MATCHES = 40  # simulated, to estimate the mean length
LONGEST = 2_000  # hands; a match in which neither bot ever scores would not end


class Probe(Struct, frozen=True):
    """The timing of a few hands."""

    seats: tuple[str, str]
    hands: int
    seconds: float  # from the start of the bots to their end
    answers: tuple[float, float]  # the part of ``seconds`` that each seat took to answer


class Pace(Struct, frozen=True):
    """The time that play takes, in seconds."""

    start: float  # for starting and ending two bots
    referee: float  # for a hand
    bots: dict[str, float]  # for a hand, by bot; a bot without a probe takes the mean of the others

    def fixture(self, seats: tuple[str, str], hands: float) -> float:
        """Return the seconds that a fixture of ``hands`` hands takes on one worker."""
        return self.start + hands * (self.referee + sum(self._seconds_a_hand(name) for name in seats))

    def _seconds_a_hand(self, name: str) -> float:
        return self.bots.get(name, sum(self.bots.values()) / max(len(self.bots), 1))


def pace(probes: Sequence[Probe]) -> Pace:
    """Return the pace from probes: a line that is fitted to the time not spent on answers, by the number of hands."""
    if not probes:
        return Pace(0.0, 0.0, {})
    start, referee = _fit_line([(probe.hands, probe.seconds - sum(probe.answers)) for probe in probes])
    return Pace(start, referee, _seconds_by_bot(probes))


def _fit_line(points: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the intercept and slope of the least squares line through points (x, y).

    If the slope would be below zero, it is 0; if the intercept would be, it is 0 and the slope the ratio of the sums.
    """
    x, y = np.array(list(points), dtype=float).T
    spread = float(((x - x.mean()) ** 2).sum())
    slope = max(float(((x - x.mean()) * (y - y.mean())).sum()) / spread, 0.0) if spread else 0.0
    intercept = float(y.mean()) - slope * float(x.mean())
    if intercept < 0:
        return 0.0, float(y.sum() / x.sum())
    return intercept, slope


def _seconds_by_bot(probes: Iterable[Probe]) -> dict[str, float]:
    seconds: dict[str, float] = {}
    hands: dict[str, int] = {}
    for probe in probes:
        for name, spent in zip(probe.seats, probe.answers, strict=True):
            seconds[name] = seconds.get(name, 0.0) + spent
            hands[name] = hands.get(name, 0) + probe.hands
    return {name: seconds[name] / hands[name] for name in seconds}


def hands_a_match(results: Sequence[HandResult], rules: Rules) -> float:
    """Return the mean number of hands in MATCHES simulated matches, whose hands are drawn with replacement from ``results``."""
    random = np.random.default_rng(SEED)
    lengths = []
    for _ in range(MATCHES):
        match, length = Match.start(rules, Deals("", "")), 0  # no deck is dealt, and who deals changes nothing
        while not match.over and length < LONGEST:
            match, length = match.add(results[int(random.integers(len(results)))]), length + 1
        lengths.append(length)
    return sum(lengths) / len(lengths)
