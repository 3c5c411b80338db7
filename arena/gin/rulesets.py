"""The rulesets: classes with other defaults of the options, for a single game. arena/gin/README.md has their sources.

A new default repeats the type of its option; :mod:`arena.gin.rules` says why.
"""

from typing import Final

from arena.gin.rules import (
    AfterTwoPasses,
    FirstTurn,
    Games,
    GameWinner,
    KnockLimit,
    NextDealer,
    Points,
    Rules,
    Shutout,
    StockOut,
    Target,
    Tie,
)


class Standard(Rules, frozen=True, kw_only=True, tag="standard"):
    """``tournament`` with one game to 100 points."""

    target: Target = 100
    best_of: Games = 1


class Boxes(Standard, frozen=True, kw_only=True, tag="boxes"):
    """``standard`` with 25 points for each hand won, 100 for the game and 10 for a tie; the highest total wins.

    There is no big gin, and the loser of a hand deals the next.
    """

    next_dealer: NextDealer = "loser"
    big_gin_bonus: Points | None = None
    tie_bonus: Points | None = 10
    hand_bonus: Points = 25
    game_bonus: Points = 100
    game_winner: GameWinner = "total"


class Classic(Standard, frozen=True, kw_only=True, tag="classic"):
    """``standard`` with gin 20, undercut 10, 20 points for each hand won, 100 for the game; a shutout counts double.

    There is no big gin, and the loser of a hand deals the next.
    """

    next_dealer: NextDealer = "loser"
    gin_bonus: Points = 20
    undercut_bonus: Points = 10
    big_gin_bonus: Points | None = None
    hand_bonus: Points = 20
    game_bonus: Points = 100
    shutout: Shutout = "double"


class FiftiethCard(Standard, frozen=True, kw_only=True, tag="fiftieth-card"):
    """``standard``, but the last discard may be taken to knock; a taken card may be discarded; a tie scores nothing; no big gin."""

    stock_out: StockOut = "last_take"
    return_taken: bool = True
    tie: Tie = "nothing"
    big_gin_bonus: Points | None = None


class Hollywood(Standard, frozen=True, kw_only=True, tag="hollywood"):
    """``standard`` as three games at once, each with 100 points for the game and 20 for each hand won; a shutout counts double."""

    hand_bonus: Points = 20
    game_bonus: Points = 100
    shutout: Shutout = "double"
    game_winner: GameWinner = "total"
    hollywood: bool = True


class Oklahoma(Standard, frozen=True, kw_only=True, tag="oklahoma"):
    """``standard`` to 150 points, in which the value of the upcard is the limit of a knock; by an ace only gin ends the hand."""

    target: Target = 150
    knock_limit: KnockLimit = "upcard"


class PointsList(Standard, frozen=True, kw_only=True, tag="points-list"):
    """``standard`` without the pass sequence; gin a flat 20, big gin a flat 31, undercut 10, a tie scores nothing."""

    first_turn: FirstTurn = "draw"
    gin_bonus: Points = 20
    gin_deadwood: bool = False
    big_gin_deadwood: bool = False
    undercut_bonus: Points = 10
    tie: Tie = "nothing"


class Straight(Standard, frozen=True, kw_only=True, tag="straight"):
    """``standard`` without knocks: only gin and big gin end a hand before the stock is out."""

    knock_limit: KnockLimit = 0


class Summary(Standard, frozen=True, kw_only=True, tag="summary"):
    """``standard`` without the pass sequence; a tie scores nothing."""

    first_turn: FirstTurn = "draw"
    tie: Tie = "nothing"


class UnderTen(Standard, frozen=True, kw_only=True, tag="under-ten"):
    """``standard`` with a knock limit of 9, lay-offs on gin, a showdown when the stock is out, and no big gin.

    A tie scores nothing, a taken card may be discarded, and after two passes the non-dealer may draw from either pile.
    """

    knock_limit: KnockLimit = 9
    tie: Tie = "nothing"
    big_gin_bonus: Points | None = None
    return_taken: bool = True
    layoff_on_gin: bool = True
    stock_out: StockOut = "showdown"
    after_two_passes: AfterTwoPasses = "any"


RULESETS: Final = (Rules, Standard, PointsList, Summary, Boxes, UnderTen, Classic, FiftiethCard, Oklahoma, Hollywood, Straight)
