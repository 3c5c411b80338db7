"""Scores with a box for every hand won. Source: S3."""

from arena.gin.rulesets.standard import Standard


class Boxes(Standard, frozen=True, kw_only=True, tag="boxes"):
    """``standard`` with 25 points a hand won and 100 for the game; the most points after bonuses win."""

    next_dealer = "loser"
    big_gin_bonus = None
    tie_bonus = 10
    hand_bonus = 25
    game_bonus = 100
    game_winner = "total"
