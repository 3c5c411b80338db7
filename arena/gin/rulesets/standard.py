"""The rules of a single game. Source: S0, S2."""

from arena.gin.rules import Games, Rules, Target


class Standard(Rules, frozen=True, kw_only=True, tag="standard"):
    """One game to 100 points; for the rest as ``tournament``."""

    target: Target = 100
    best_of: Games = 1
