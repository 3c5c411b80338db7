"""The points list of S1: smaller bonuses, no pass sequence, and a tie is nobody's."""

from arena.gin.rulesets.standard import Standard


class PointsList(Standard, frozen=True, kw_only=True, tag="points-list"):
    """``standard`` without the pass sequence; gin 20, undercut 10, a tie scores nothing."""

    first_turn = "draw"
    gin_bonus = 20
    undercut_bonus = 10
    tie = "nothing"
