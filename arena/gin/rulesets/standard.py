"""The rules of a single game. Source: S0, S2."""

from arena.gin.rules import Games, Rules, Target


class Standard(Rules, frozen=True, kw_only=True, tag="standard"):
    """``tournament`` with one game to 100 points."""

    target: Target = 100
    best_of: Games = 1
