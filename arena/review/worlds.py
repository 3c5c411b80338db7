"""Samples the cards that a seat did not see: likely hands of the other seat, and an order of the stock.

Ten random unseen cards are a poor model of a player: by its tenth turn it has some fifteen points of deadwood, they have fifty. So
the hidden cards are sampled by a walk of single exchanges (Metropolis et al., 1953), which prefers hands that are likely by the
habits of the player. A few worlds come from each walk, so they are not independent: standard errors count walks.
"""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from msgspec import Struct, json

from arena.gin.view import View
from arena.review.habits import Habits
from arena.review.sights import HandLikelihood, Sight
from arena.review.vectors import BIT, Flags, Floats, Ints
from arena.train import calls

FIRST_STEPS, STEPS = 200, 25  # of a walk before its first sample, and between two
SAMPLES = 4  # of each walk
WIDTH = 41  # most unseen cards
CHANCES = 20  # random numbers of a world, one for each turn of a rollout

Random = np.random.Generator


def random_numbers(version: int, seed: str, view: View) -> Random:
    """Return the random numbers of a position: the same ones for what a seat saw, a seed and a version, wherever it is asked."""
    digest = sha256(json.encode((version, seed, view))).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


class Worlds(Struct, frozen=True, eq=False):
    """Sampled worlds of one position: the other seat's ten cards, and the order of the stock (worlds x cards)."""

    theirs: Ints
    stock: Ints
    chance: Floats  # (worlds x CHANCES) random numbers between 0 and 1 for what players decide by chance

    def of(self, rows: slice | Ints) -> "Worlds":
        """Return some of them."""
        return Worlds(self.theirs[rows], self.stock[rows], self.chance[rows])


def sample(sights: Sequence[Sight], habits: Sequence[Habits], walks: int, randoms: Sequence[Random]) -> list[Worlds]:
    """Return SAMPLES worlds of each of ``walks`` walks for each position, by the habits of its opponent.

    The worlds of one walk follow one another.
    """
    walk = Walk(sights, habits, walks, randoms)
    walk.go(FIRST_STEPS)
    found = [walk.worlds()]
    for _ in range(SAMPLES - 1):
        walk.go(STEPS)
        found.append(walk.worlds())
    return [_interleave(several) for several in zip(*found, strict=True)]


def _interleave(several: Sequence[Worlds]) -> Worlds:
    theirs = np.stack([one.theirs for one in several], axis=1).reshape(-1)
    stock = np.stack([one.stock for one in several], axis=1).reshape(len(theirs), -1)
    chance = np.stack([one.chance for one in several], axis=1).reshape(len(theirs), -1)
    return Worlds(theirs, stock, chance)


class Walk:
    """The walks of several positions, a row for each world."""

    def __init__(self, sights: Sequence[Sight], habits: Sequence[Habits], count: int, randoms: Sequence[Random]) -> None:
        self._sights, self._count, self._randoms = sights, count, randoms
        self._places = repeated = np.repeat(np.arange(len(sights)), count)
        self._rows = np.arange(len(repeated))
        self._hidden = np.array([one.hidden for one in sights])[repeated]
        self._size = np.array([one.unseen.bit_count() for one in sights])[repeated]
        self._order = np.concatenate([_shuffle(one, count, random) for one, random in zip(sights, randoms, strict=True)])
        known = np.array([one.known for one in sights])[repeated]
        self.held: Ints = known | np.where(np.arange(WIDTH) < self._hidden[:, None], BIT[self._order], 0).sum(axis=1)
        self._likelihood = HandLikelihood(sights, habits, repeated)
        self._now = self._likelihood.of(self.held)

    def believe(self, habits: Sequence[Habits]) -> None:
        """Continue with other habits, one for each position."""
        self._likelihood.believe(habits)
        self._now = self._likelihood.of(self.held)

    def go(self, steps: int) -> None:
        """Take some steps."""
        numbers = np.concatenate([random.random((self._count, steps, 3)) for random in self._randoms])
        numbers[:, :, 2] = np.log(numbers[:, :, 2])
        if calls.COMPILED:
            self._go_in_kernel(numbers)
            return
        ones = (numbers[:, :, 0] * self._hidden[:, None]).astype(np.int64)
        others = self._hidden[:, None] + (numbers[:, :, 1] * (self._size - self._hidden)[:, None]).astype(np.int64)
        for step in range(steps):
            self._exchange(ones[:, step], others[:, step], numbers[:, step, 2])

    def _go_in_kernel(self, numbers: Floats) -> None:
        """Take the steps in the compiled kernel, which gives the same worlds."""
        self.held = self.held.copy()  # earlier worlds keep theirs
        arrays = {
            "sights": self._likelihood.native(),
            "places": self._places,
            "hidden": self._hidden,
            "unseen": self._size,
            "held": self.held.view(np.uint64),
            "order": self._order,
            "now": self._now,
            "numbers": numbers,
        }
        calls.walk(arrays, size=len(self.held), steps=numbers.shape[1], width=WIDTH)

    def _exchange(self, one: Ints, other: Ints, limit: Floats) -> None:
        """Exchange a hidden card of each hand for one of the stock, if the hand is likely enough then."""
        mine, new = self._order[self._rows, one], self._order[self._rows, other]
        changed = self.held ^ BIT[mine] ^ BIT[new]
        then = self._likelihood.of(changed)
        accepted: Flags = (then - self._now >= limit) & (self._hidden > 0) & (self._hidden < self._size)
        self.held = np.where(accepted, changed, self.held)
        self._now = np.where(accepted, then, self._now)
        self._order[self._rows, one] = np.where(accepted, new, mine)
        self._order[self._rows, other] = np.where(accepted, mine, self._order[self._rows, other])

    def worlds(self) -> list[Worlds]:
        """Return the worlds of each position."""
        return [self._worlds(number) for number in range(len(self._sights))]

    def _worlds(self, number: int) -> Worlds:
        rows, one = slice(number * self._count, (number + 1) * self._count), self._sights[number]
        chance = self._randoms[number].random((self._count, CHANCES))
        return Worlds(self.held[rows].copy(), self._order[rows, one.hidden : one.unseen.bit_count()].copy(), chance)


def _shuffle(one: Sight, count: int, random: Random) -> Ints:
    """Return orders of the unseen cards (worlds x WIDTH); the first of each are the other seat's hidden cards."""
    unseen = np.flatnonzero(one.unseen >> np.arange(52) & 1)
    order = np.zeros((count, WIDTH), np.int64)
    order[:, : len(unseen)] = unseen[random.random((count, len(unseen))).argsort(axis=1)]
    return order
