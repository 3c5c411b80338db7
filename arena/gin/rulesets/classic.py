"""The older printed rules: smaller bonuses, boxes, and a shutout that counts double."""

from arena.gin.rules import NextDealer, Points, Shutout
from arena.gin.rulesets.standard import Standard


class Classic(Standard, frozen=True, kw_only=True, tag="classic"):
    """``standard`` with gin 20, undercut 10, 20 points for each hand won, 100 for the game, a shutout counts double."""

    next_dealer: NextDealer = "loser"
    gin_bonus: Points = 20
    undercut_bonus: Points = 10
    big_gin_bonus: Points | None = None
    hand_bonus: Points = 20
    game_bonus: Points = 100
    shutout: Shutout = "double"
