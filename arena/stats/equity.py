"""What a hand is worth at a score: percent of a game, by a fixed table of the chance to win a game to 250 from any score.

The table follows from how often hands are worth how much between two equals (see arena.stats.games); these counts were made by
self-play (``python -m arena.studies.equity``) and are shipped, versioned and frozen like the value function of arena.stats.luck.
"""

from functools import cache
from importlib.resources import files

import numpy as np
from msgspec import json

from arena.errors import InputError
from arena.records import Single
from arena.stats.games import Array, equity, gather, mirrored

VERSION = 1
TARGET = 250  # points of the games that the table is about


def gain(hand: Single) -> float:
    """Return the percent of a game that a hand brought seat 0, beyond what it had before. Raises: InputError."""
    zero, one = hand.score
    if max(zero, one) >= TARGET:
        raise InputError(f"score {zero} to {one}: the table of equity is about games to {TARGET}")
    return 100 * (_chance(zero + max(hand.points, 0), one + max(-hand.points, 0)) - _chance(zero, one))


def _chance(zero: int, one: int) -> float:
    if zero >= TARGET:
        return 1.0
    return 0.0 if one >= TARGET else float(_table()[zero, one])


@cache  # worked out once: a tenth of a second
def _table() -> Array:
    counts = json.decode(files("arena.stats").joinpath(f"equity_{VERSION}.json").read_bytes(), type=dict[int, int])
    points = np.repeat(list(counts), list(counts.values()))
    return equity(mirrored(gather(points.tolist())), TARGET)
