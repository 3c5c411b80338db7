"""The prose of S1: no pass sequence, and a tie scores nothing."""

from arena.gin.rules import FirstTurn, Tie
from arena.gin.rulesets.standard import Standard


class Summary(Standard, frozen=True, kw_only=True, tag="summary"):
    """``standard`` without the pass sequence; a tie scores nothing."""

    first_turn: FirstTurn = "draw"
    tie: Tie = "nothing"
