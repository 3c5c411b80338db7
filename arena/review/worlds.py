"""Samples the cards that a seat did not see: likely hands of the other seat, and an order of the stock.

Ten random unseen cards are a poor model of a player: at its tenth turn it has about twelve points of deadwood, they have fifty. So
the hidden cards are sampled by a random walk that exchanges single cards (Metropolis et al., 1953) and prefers hands that are
likely by the habits of the player. The worlds of one walk depend on each other: standard errors count walks.
"""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from msgspec import Struct, json

from arena.gin.view import View
from arena.review.arrays import Floats, Ints
from arena.review.habits import Habits
from arena.review.likelihood import walk_sights
from arena.review.sights import Sight
from arena.train import calls

FIRST_STEPS, STEPS = 200, 25  # of a walk before its first sample, and between two
SAMPLES = 4  # of each walk
WIDTH = 41  # most unseen cards
CHANCES = 20  # random numbers of a world, one for each turn of a rollout

Random = np.random.Generator


def random_numbers(version: int, seed: str, view: View) -> Random:
    """Return a generator for a position; it depends on the view, the seed and the version alone."""
    digest = sha256(json.encode((version, seed, view))).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


class Worlds(Struct, frozen=True, eq=False):
    """Sampled worlds of one position: the other seat's ten cards, and the order of the stock (worlds x cards)."""

    theirs: Ints
    stock: Ints
    chance: Floats  # (worlds x CHANCES) random numbers between 0 and 1 for what players decide by chance


def sample(sights: Sequence[Sight], habits: Habits, walks: int, randoms: Sequence[Random]) -> list[Worlds]:
    """Return SAMPLES worlds of each of ``walks`` walks for each position, by the habits of the opponent.

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
    """Return the samples of one position in the order of walks; each of ``several`` has a world of every walk."""
    theirs = np.stack([one.theirs for one in several], axis=1).reshape(-1)
    stock = np.stack([one.stock for one in several], axis=1).reshape(len(theirs), -1)
    chance = np.stack([one.chance for one in several], axis=1).reshape(len(theirs), -1)
    return Worlds(theirs, stock, chance)


class Walk:
    """Walks for several positions: ``count`` for each, with a row for each walk."""

    def __init__(self, sights: Sequence[Sight], habits: Habits, count: int, randoms: Sequence[Random]) -> None:
        self._sights, self._count, self._randoms = sights, count, randoms
        self._places = repeated = np.repeat(np.arange(len(sights)), count)
        self._hidden = np.array([one.hidden for one in sights])[repeated]
        self._size = np.array([one.unseen.bit_count() for one in sights])[repeated]
        self._order = np.concatenate([_shuffle(one, count, random) for one, random in zip(sights, randoms, strict=True)])
        known = np.array([one.known for one in sights])[repeated]
        self.held: Ints = known | np.where(np.arange(WIDTH) < self._hidden[:, None], 1 << self._order, 0).sum(axis=1)
        self.positions = walk_sights(sights, habits)

    def go(self, steps: int) -> None:
        """Take ``steps`` steps in every walk."""
        numbers = np.concatenate([random.random((self._count, steps, 3)) for random in self._randoms])
        numbers[:, :, 2] = np.log(numbers[:, :, 2])
        self.held = self.held.copy()  # earlier worlds keep theirs
        arrays = {
            "sights": self.positions,
            "places": self._places,
            "hidden": self._hidden,
            "unseen": self._size,
            "held": self.held.view(np.uint64),
            "order": self._order,
            "likely": np.empty(len(self.held)),
            "numbers": numbers,
        }
        calls.walk(arrays, size=len(self.held), steps=steps, width=WIDTH)

    def worlds(self) -> list[Worlds]:
        """Return, for each position, the current world of each of its walks."""
        return [self._worlds(number) for number in range(len(self._sights))]

    def _worlds(self, number: int) -> Worlds:
        rows, one = slice(number * self._count, (number + 1) * self._count), self._sights[number]
        chance = self._randoms[number].random((self._count, CHANCES))
        return Worlds(self.held[rows], self._order[rows, one.hidden : one.unseen.bit_count()].copy(), chance)


def _shuffle(one: Sight, count: int, random: Random) -> Ints:
    """Return random orders of the unseen cards (count x WIDTH); the first of each are the other seat's hidden cards."""
    unseen = np.flatnonzero(one.unseen >> np.arange(52) & 1)
    order = np.zeros((count, WIDTH), np.int64)
    order[:, : len(unseen)] = unseen[random.random((count, len(unseen))).argsort(axis=1)]
    return order
