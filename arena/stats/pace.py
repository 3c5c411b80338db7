"""How long a schedule takes, from a few hands of it: what starting two bots costs, what a hand costs the referee and each bot."""

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from arena.gin.deal import Deals
from arena.gin.match import Match
from arena.gin.rules import Rules
from arena.gin.score import HandResult

SEED = 20_000  # fixed: the same hands give the same length
MATCHES = 40  # made up of the hands that were played, to know how long one is
LONGEST = 2_000  # hands: a match between two that never score has no end


class Probe(Struct, frozen=True):
    """A few hands that were played, and their time."""

    seats: tuple[str, str]
    hands: int
    seconds: float  # from the start of the bots until they had ended
    answers: tuple[float, float]  # of which the answers of each seat took so much


class Pace(Struct, frozen=True):
    """What takes how long, in seconds."""

    start: float  # of two bots, and their end
    referee: float  # a hand
    bots: dict[str, float]  # a hand, each; those that no probe has met take the mean

    def fixture(self, seats: tuple[str, str], hands: float) -> float:
        """Return the seconds that a fixture of so many hands takes a worker."""
        return self.start + hands * (self.referee + sum(self._bot(name) for name in seats))

    def _bot(self, name: str) -> float:
        return self.bots.get(name, sum(self.bots.values()) / max(len(self.bots), 1))


def pace(probes: Sequence[Probe]) -> Pace:
    """Return the pace of some probes: what is not spent on answers is a line over the number of hands."""
    if not probes:
        return Pace(0.0, 0.0, {})
    start, referee = _line([(probe.hands, probe.seconds - sum(probe.answers)) for probe in probes])
    return Pace(start, referee, _by_bot(probes))


def _line(points: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the intercept and slope of least squares, neither below nought."""
    x, y = np.array(list(points), dtype=float).T
    spread = float(((x - x.mean()) ** 2).sum())
    slope = max(float(((x - x.mean()) * (y - y.mean())).sum()) / spread, 0.0) if spread else 0.0
    intercept = float(y.mean()) - slope * float(x.mean())
    if intercept < 0:
        return 0.0, float(y.sum() / x.sum())
    return intercept, slope


def _by_bot(probes: Iterable[Probe]) -> dict[str, float]:
    seconds: dict[str, float] = {}
    hands: dict[str, int] = {}
    for probe in probes:
        for name, spent in zip(probe.seats, probe.answers, strict=True):
            seconds[name] = seconds.get(name, 0.0) + spent
            hands[name] = hands.get(name, 0) + probe.hands
    return {name: seconds[name] / hands[name] for name in seconds}


def hands_a_match(results: Sequence[HandResult], rules: Rules) -> float:
    """Return how many hands a match takes whose hands end like these, drawn again and again."""
    chance = np.random.default_rng(SEED)
    lengths = []
    for _ in range(MATCHES):
        match, length = Match.start(rules, Deals("", "")), 0
        while not match.over and length < LONGEST:
            match, length = match.add(results[int(chance.integers(len(results)))]), length + 1
        lengths.append(length)
    return sum(lengths) / len(lengths)
