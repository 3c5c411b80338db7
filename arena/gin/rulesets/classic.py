"""The older printed rules: smaller bonuses, boxes, and a shutout that counts double."""

from arena.gin.rulesets.standard import Standard


class Classic(Standard, frozen=True, kw_only=True, tag="classic"):
    """``standard`` with gin 20, undercut 10, 20 points a hand won, 100 for the game, double for a shutout."""

    next_dealer = "loser"
    gin_bonus = 20
    undercut_bonus = 10
    big_gin_bonus = None
    hand_bonus = 20
    game_bonus = 100
    shutout = "double"
