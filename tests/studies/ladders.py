"""``python tests/studies/ladders.py [--leagues N] [--bots N ...]``: how soon a league knows its best, by the way in which it pairs.

Leagues are simulated. Strengths are normal with a standard deviation of 2.5 points a hand, and the result of a pairing is the
difference of two strengths with a standard error of 2.7: that of 20 deals from both seats. ``order`` and ``top: K`` are the
pairings of :mod:`arena.league.rules.pairing`, from the first round on, in which all bots are new. Beside them stand three others,
which also pair round by round:

- round robin: every two bots once, then again, in a random order;
- random: a random opponent each round;
- Swiss: in the order of the ratings, each with the next one that it did not meet in its last round.

The ratings of all are those of least squares. The numbers are the share of leagues in which the best bot is first, and the mean
share of the true best K that are among the first K, after a number of pairings given in cycles: a cycle is every two bots once.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from msgspec import Struct

from arena.league.rules.aims import Aim, TopAim
from arena.league.rules.field import Version
from arena.league.rules.focused_pairings import RatedStrength
from arena.league.rules.meetings import Meetings, Pairing, between
from arena.league.rules.pairing import PairingPolicy, pairings
from arena.stats.comparisons import Array

SPREAD = 2.5  # points a hand
ERROR = 2.7  # points a hand, of the result of a pairing
POLICY = PairingPolicy()
MOMENT = "2026-01-01T00:00:00Z"


class SimulatedField:
    """Bots of known strength, their results, and their ratings."""

    def __init__(self, size: int, seed: int) -> None:
        self.chance = np.random.default_rng(seed)
        self.true = self.chance.normal(0, SPREAD, size)
        self.met = Meetings()
        self.played = self.rounds = 0
        self.active = [
            Version(id=f"b{place:03}@1", author="a", digest="", entry="", state="active", since=MOMENT) for place in range(size)
        ]
        self._weight = np.zeros((size, size))
        self._score = np.zeros(size)

    @property
    def size(self) -> int:
        """Return the number of bots."""
        return len(self.true)

    @property
    def names(self) -> list[str]:
        """Return the bots' names."""
        return [version.id for version in self.active]

    def play(self, chosen: Sequence[Pairing]) -> None:
        """Play a round."""
        self.rounds += 1
        for both in chosen:
            one, other = place(both[0]), place(both[1])
            net = self.true[one] - self.true[other] + self.chance.normal(0, ERROR)
            self._weight[one, other] += 1
            self._weight[other, one] += 1
            self._score[one] += net
            self._score[other] -= net
            self.met.add(both, self.rounds)
        self.played += len(chosen)

    def rated(self) -> tuple[Array, Array]:
        """Return the ratings and their standard errors; bots without a result count as average."""
        laplacian = np.diag(self._weight.sum(axis=1)) - self._weight
        inverse = np.linalg.inv(laplacian + 1 / self.size + 1e-9 * np.eye(self.size))
        return inverse @ self._score, ERROR * np.sqrt(np.maximum(np.diag(inverse) - 1 / self.size, 1e-12))

    def strengths(self) -> dict[str, RatedStrength]:
        """Return the ratings of the bots that have played."""
        rated = zip(self.names, *self.rated(), strict=True)
        return {name: RatedStrength(float(value), float(error)) for name, value, error in rated if self.met.pairs[name]}


Scheme = Callable[[SimulatedField], Iterator[Sequence[Pairing]]]  # yields rounds without end


def ladder(aim: Aim, field: SimulatedField) -> Iterator[Sequence[Pairing]]:
    """Yield the rounds of a league with an aim."""
    while True:
        yield pairings(field.active, field.met, field.strengths(), field.rounds + 1, POLICY, aim)


def round_robin(field: SimulatedField) -> Iterator[Sequence[Pairing]]:
    """Yield the rounds of cycles in which every two bots meet once (the circle method)."""
    while True:
        circle = [*field.chance.permutation(field.size).tolist(), *[-1] * (field.size % 2)]
        for _ in range(len(circle) - 1):
            circle = [circle[0], circle[-1], *circle[1:-1]]
            half = len(circle) // 2
            yield [pairing(one, other) for one, other in zip(circle[:half], circle[::-1], strict=False) if min(one, other) >= 0]


def at_random(field: SimulatedField) -> Iterator[Sequence[Pairing]]:
    """Yield rounds with random opponents."""
    while True:
        order = field.chance.permutation(field.size).tolist()
        yield [pairing(*order[first : first + 2]) for first in range(0, field.size - 1, 2)]


def swiss(field: SimulatedField) -> Iterator[Sequence[Pairing]]:
    """Yield rounds in which neighbours in the table meet."""
    while True:
        left, chosen = np.argsort(-field.rated()[0]).tolist(), []
        if len(left) % 2:
            left.remove(min(left, key=lambda place: -field.met.pairs[field.names[place]]))
        while left:
            one = left.pop(0)
            other = next((other for other in left if not field.met.met_last(*pairing(one, other))), left[0])
            left.remove(other)
            chosen.append(pairing(one, other))
        yield chosen


def pairing(one: int, other: int) -> Pairing:
    """Return the pairing of two bots by their places."""
    return between(f"b{one:03}@1", f"b{other:03}@1")


def place(name: str) -> int:
    """Return the place of a bot in its field."""
    return int(name[1:4])


class Found(Struct, frozen=True):
    """What is known at a moment of a league."""

    best: float  # 1 if the best bot is first
    top: float  # share of the best K that are among the first K


def follow(size: int, scheme: Scheme, top: int, looks: Sequence[int], seed: int) -> list[Found]:
    """Play one league, and return what is known after each number of pairings."""
    field, found = SimulatedField(size, seed), list[Found]()
    rounds = scheme(field)
    for look in looks:
        while field.played < look:
            field.play(next(rounds))
        table, truth = np.argsort(-field.rated()[0]), np.argsort(-field.true)
        common = len({*table[:top].tolist()} & {*truth[:top].tolist()})
        found.append(Found(float(table[0] == truth[0]), common / top))
    return found


def means(size: int, scheme: Scheme, top: int, looks: Sequence[int], leagues: int) -> list[Found]:
    """Return the mean over many leagues; the same strengths for every scheme."""
    every = [follow(size, scheme, top, looks, seed) for seed in range(leagues)]
    return [
        Found(sum(one.best for one in column) / leagues, sum(one.top for one in column) / leagues)
        for column in zip(*every, strict=True)
    ]


SCHEMES: dict[str, Scheme] = {
    "round robin": round_robin,
    "random": at_random,
    "Swiss": swiss,
    "order": partial(ladder, "order"),
    "top: 1": partial(ladder, TopAim(1)),
    "top: 3": partial(ladder, TopAim(3)),
}
TOP = 3
CYCLES = {10: (1, 2, 4, 8), 50: (0.25, 0.5, 1, 2), 200: (0.125, 0.25, 0.5, 1)}


def main() -> None:
    """Print a table for each number of bots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=100)
    parser.add_argument("--bots", type=int, nargs="*", choices=list(CYCLES), default=list(CYCLES))
    options = parser.parse_args()
    for size in options.bots:
        looks = [round(cycles * size * (size - 1) / 2) for cycles in CYCLES[size]]
        heads = " | ".join(f"{look} ({cycles:g})" for look, cycles in zip(looks, CYCLES[size], strict=True))
        print(f"\n| {size} bots: pairings (cycles) | {heads} |\n|---|{'--:|' * len(looks)}", flush=True)  # noqa: T201
        for name, scheme in SCHEMES.items():
            cells = [f"{one.best:.2f} / {one.top:.2f}" for one in means(size, scheme, TOP, looks, options.leagues)]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
