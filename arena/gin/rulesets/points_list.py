"""The points list of S1: flat points for gin, a smaller undercut, no pass sequence, and a tie scores nothing."""

from arena.gin.rules import FirstTurn, Points, Tie
from arena.gin.rulesets.standard import Standard


class PointsList(Standard, frozen=True, kw_only=True, tag="points-list"):
    """``standard`` without the pass sequence; gin a flat 20, big gin a flat 31, undercut 10, a tie scores nothing."""

    first_turn: FirstTurn = "draw"
    gin_bonus: Points = 20
    gin_deadwood: bool = False
    big_gin_deadwood: bool = False
    undercut_bonus: Points = 10
    tie: Tie = "nothing"
