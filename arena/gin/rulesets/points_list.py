"""The points list of S1: smaller bonuses, no pass sequence, and a tie is nobody's."""

from arena.gin.rules import FirstTurn, Points, Tie
from arena.gin.rulesets.standard import Standard


class PointsList(Standard, frozen=True, kw_only=True, tag="points-list"):
    """``standard`` without the pass sequence; gin 20, undercut 10, a tie scores nothing."""

    first_turn: FirstTurn = "draw"
    gin_bonus: Points = 20
    undercut_bonus: Points = 10
    tie: Tie = "nothing"
