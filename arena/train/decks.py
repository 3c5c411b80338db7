"""The decks of arena's own runs.

Source: R2.1-R2.3.
"""

import numpy as np
from numpy.typing import NDArray

from arena.gin.deal import Deals
from arena.train import checks

Bytes = NDArray[np.uint8]


def arena_decks(seed: str, key: str, count: int, game: int = 0) -> tuple[Bytes, Bytes]:
    """Return the decks (count x 52, in the order of dealing) and dealers of the first hands of a game, as a referee deals them.

    ``seed`` is the run seed, which a run publishes at its end, ``key`` that of a pair of legs, ``game`` is counted from 0. The
    dealers alternate, so with another ``next_dealer`` only the first one is that of the game.
    """
    deals = Deals(seed, key)
    count = checks.number("count", count, 0)
    decks = np.array([deals.deck(game, hand) for hand in range(count)], np.uint8).reshape(count, 52)
    return decks, ((deals.first_dealer(game) + np.arange(count)) % 2).astype(np.uint8)
