"""The options of the rules; a ruleset is a class with other defaults. Source: R1-R9.

A ruleset must repeat a field's type with its new default. Without the type, msgspec treats the line as a class attribute that
hides the field, and a value from a spec has no effect. ``arena.plugins.manager`` refuses such a class.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.json import encode

MOST_DEADWOOD = 100  # the largest knock_limit, in points; ten cards have no more (R1.2), so every knock is legal with it

Points = Annotated[int, Meta(ge=0, le=10_000)]
Target = Annotated[int, Meta(ge=1, le=100_000)]
Games = Annotated[int, Meta(ge=1, le=99)]
KnockLimit = Annotated[int, Meta(ge=0, le=MOST_DEADWOOD)]  # points of deadwood
Hands = Annotated[int, Meta(ge=1, le=1_000_000)]
Takes = Annotated[int, Meta(ge=1, le=1000)]
Tie = Literal["undercut", "nothing"]
FirstTurn = Literal["upcard", "draw"]
AfterTwoPasses = Literal["stock", "any"]
Stock = Literal["top", "two-ended"]
StockOut = Literal["dead", "showdown", "last_take"]
NextDealer = Literal["alternate", "loser", "winner"]
Shutout = Literal["none", "double"]
GameWinner = Literal["target", "total"]


class Rules(Struct, frozen=True, kw_only=True, tag_field="name", tag="tournament", forbid_unknown_fields=True, omit_defaults=False):
    """The options; the defaults are the ``tournament`` ruleset: 250 points, best of five (S0, S2)."""

    target: Target = 250  # R9.1: points
    best_of: Games = 5  # R9.2: games; an odd number
    knock_limit: KnockLimit = 10  # R6.1: points of deadwood; see may_knock_with
    gin_bonus: Points = 25  # R7.1
    undercut_bonus: Points = 25  # R6.6
    tie: Tie = "undercut"  # R6.6: the result of equal deadwood
    tie_bonus: Points | None = None  # R6.6: None: the undercut bonus
    big_gin_bonus: Points | None = 31  # R8.1: None: big gin is not played
    gin_deadwood: bool = True  # R7.1: gin scores the defender's deadwood too
    big_gin_deadwood: bool = True  # R8.1: big gin scores the defender's deadwood too
    layoff_on_gin: bool = False  # R7.2
    return_taken: bool = False  # R4.3: a card taken from the discard pile may be discarded in the same turn
    first_turn: FirstTurn = "upcard"  # R3.5
    after_two_passes: AfterTwoPasses = "stock"  # R3.3
    stock: Stock = "top"  # R2.4
    stock_out: StockOut = "dead"  # R5.2
    max_takes: Takes = 50  # R5.3: takes after which the next discard makes a hand dead
    next_dealer: NextDealer = "alternate"  # R2.3
    game_bonus: Points = 0  # R9.3: to the seat that reached the target
    hand_bonus: Points = 0  # R9.3: for every hand won, added at the end of the game
    shutout: Shutout = "none"  # R9.3: double: the total of the seat that reached the target counts twice if the other won no hand
    game_winner: GameWinner = "target"  # R9.4
    max_hands: Hands = 1000  # R9.5: hands after which a match is over

    def __post_init__(self) -> None:
        """Raise ValueError if a match has an even number of games."""
        if self.best_of % 2 == 0:
            raise ValueError(f"best_of: {self.best_of} can end in a tie; expected an odd number")

    @property
    def name(self) -> str:
        """Return the name of the ruleset."""
        return str(type(self).__struct_config__.tag)

    @property
    def text(self) -> str:
        """Return these rules as a spec has them: their name, or a mapping with the options that differ from the ruleset's."""
        ruleset = type(self)()
        changed = {field: value for field in self.__struct_fields__ if (value := getattr(self, field)) != getattr(ruleset, field)}
        options = (f"{field}: {encode(value).decode()}" for field, value in changed.items())
        return f"{{{', '.join((f'name: {self.name}', *options))}}}" if changed else self.name

    @property
    def games_to_win(self) -> int:
        """Return the number of games that win a match. Rule: R9.2."""
        return games_to_win(self.best_of)

    @property
    def plays_big_gin(self) -> bool:
        """Tell whether big gin can be declared. Rule: R8.1."""
        return self.big_gin_bonus is not None

    def may_knock_with(self, deadwood: int) -> bool:
        """Tell whether a knock may leave ``deadwood`` points; 0 is gin. Rule: R6.1, R7.3.

        Only this method compares ``knock_limit``; everything else calls it. An override must allow 0, and if it allows some
        deadwood, it must allow any less.
        """
        return deadwood <= self.knock_limit

    @property
    def most_deadwood(self) -> int:
        """Return the most points that a knock may leave. Rule: R6.1."""
        return next(points for points in range(MOST_DEADWOOD, -1, -1) if self.may_knock_with(points))


def games_to_win(best_of: int) -> int:
    """Return the number of games that win a match of the best of ``best_of``. Rule: R9.2."""
    return best_of // 2 + 1


# Rulesets: other defaults, for a single game. Sources: standard: S0, S2; boxes: S3; points-list and summary: S1; under-ten: S4;
# classic: older printed rules; fiftieth-card: other engines.


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


class PointsList(Standard, frozen=True, kw_only=True, tag="points-list"):
    """``standard`` without the pass sequence; gin a flat 20, big gin a flat 31, undercut 10, a tie scores nothing."""

    first_turn: FirstTurn = "draw"
    gin_bonus: Points = 20
    gin_deadwood: bool = False
    big_gin_deadwood: bool = False
    undercut_bonus: Points = 10
    tie: Tie = "nothing"


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


RULESETS: Final = (Rules, Standard, PointsList, Summary, Boxes, UnderTen, Classic, FiftiethCard)
