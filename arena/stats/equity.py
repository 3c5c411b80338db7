"""The equity of a hand: the change of the chance to win a game to 250, in percentage points, from a fixed table.

The table gives the chance to win from every score. It is computed by :mod:`arena.stats.games` from the distribution of points a
hand between two equal bots, which was counted in self-play (``python tests/studies/equity.py``). The counts are shipped and
versioned, and never change within a version, like the value function of :mod:`arena.stats.luck`.
"""

from functools import cache
from importlib.resources import files

import numpy as np
from msgspec import json

from arena.errors import InputError
from arena.records import SingleHand
from arena.stats.games import Array, equity, gather, mirror

EQUITY_VERSION = 1
TARGET = 250  # points to win a game of the table


def gain(hand: SingleHand) -> float:
    """Return the change of seat 0's chance to win the game, in percentage points. Raises: InputError, if that game is over."""
    zero, one = hand.score
    if max(zero, one) >= TARGET:
        raise InputError(f"score {zero} to {one}: the equity table covers games to {TARGET}")
    after = _winning_chance(zero + max(hand.points, 0), one + max(-hand.points, 0))
    return 100 * (after - _winning_chance(zero, one))


def _winning_chance(zero: int, one: int) -> float:
    if zero >= TARGET:
        return 1.0
    return 0.0 if one >= TARGET else float(_table()[zero, one])


# cached, because computing the table takes a tenth of a second
@cache
def _table() -> Array:
    counts = json.decode(files("arena.stats").joinpath(f"equity_{EQUITY_VERSION}.json").read_bytes(), type=dict[int, int])
    points = np.repeat(list(counts), list(counts.values()))
    return equity(mirror(gather(points.tolist())), TARGET)
