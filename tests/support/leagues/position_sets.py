"""Sets of positions in few hands, which are made in a fraction of a second."""

import pytest

from arena.gin.rules import Rules
from arena.league import position_making
from arena.league.positions import PositionSet


def few_positions(hands: int = 10) -> PositionSet:
    """Return some hundred positions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(position_making, "TRIED", hands)
        patch.setattr(position_making, "HANDS", hands)
        return position_making.make(Rules(), "a seed")
