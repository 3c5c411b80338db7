"""Scores with a box for every hand won. Source: S3."""

from arena.gin.rules import GameWinner, NextDealer, Points
from arena.gin.rulesets.standard import Standard


class Boxes(Standard, frozen=True, kw_only=True, tag="boxes"):
    """``standard`` with 25 points for each hand won and 100 for the game; the highest total wins."""

    next_dealer: NextDealer = "loser"
    big_gin_bonus: Points | None = None
    tie_bonus: Points | None = 10
    hand_bonus: Points = 25
    game_bonus: Points = 100
    game_winner: GameWinner = "total"
