"""The rules of a single game. Source: S0, S2."""

from arena.gin.rules import (
    AfterTwoPasses,
    FirstTurn,
    Games,
    GameWinner,
    Limit,
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


# Scores with a box for every hand won. Source: S3.


class Boxes(Standard, frozen=True, kw_only=True, tag="boxes"):
    """``standard`` with 25 points for each hand won and 100 for the game; the highest total wins."""

    next_dealer: NextDealer = "loser"
    big_gin_bonus: Points | None = None
    tie_bonus: Points | None = 10
    hand_bonus: Points = 25
    game_bonus: Points = 100
    game_winner: GameWinner = "total"


# The older printed rules: smaller bonuses, boxes, and a shutout that counts double.


class Classic(Standard, frozen=True, kw_only=True, tag="classic"):
    """``standard`` with gin 20, undercut 10, 20 points for each hand won, 100 for the game, a shutout counts double."""

    next_dealer: NextDealer = "loser"
    gin_bonus: Points = 20
    undercut_bonus: Points = 10
    big_gin_bonus: Points | None = None
    hand_bonus: Points = 20
    game_bonus: Points = 100
    shutout: Shutout = "double"


# The rules of other engines, in which the fiftieth card may be taken to knock.


class FiftiethCard(Standard, frozen=True, kw_only=True, tag="fiftieth-card"):
    """``standard`` in which the last discard may be taken to knock; a tie scores nothing."""

    stock_out: StockOut = "last_take"
    return_taken: bool = True
    tie: Tie = "nothing"
    big_gin_bonus: Points | None = None


# The points list of S1: flat points for gin, a smaller undercut, no pass sequence, and a tie scores nothing.


class PointsList(Standard, frozen=True, kw_only=True, tag="points-list"):
    """``standard`` without the pass sequence; gin a flat 20, big gin a flat 31, undercut 10, a tie scores nothing."""

    first_turn: FirstTurn = "draw"
    gin_bonus: Points = 20
    gin_deadwood: bool = False
    big_gin_deadwood: bool = False
    undercut_bonus: Points = 10
    tie: Tie = "nothing"


# The prose of S1: no pass sequence, and a tie scores nothing.


class Summary(Standard, frozen=True, kw_only=True, tag="summary"):
    """``standard`` without the pass sequence; a tie scores nothing."""

    first_turn: FirstTurn = "draw"
    tie: Tie = "nothing"


# The most permissive text: a knock below ten, taken cards may be discarded, a showdown at the end. Source: S4.


class UnderTen(Standard, frozen=True, kw_only=True, tag="under-ten"):
    """``standard`` with a knock limit of 9, lay-offs on gin, and a showdown when the stock is out."""

    knock_limit: Limit = 9
    tie: Tie = "nothing"
    big_gin_bonus: Points | None = None
    return_taken: bool = True
    layoff_on_gin: bool = True
    stock_out: StockOut = "showdown"
    after_two_passes: AfterTwoPasses = "any"
