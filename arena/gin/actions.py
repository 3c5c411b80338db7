"""The actions of a player, and the error for an illegal one. Source: R3, R4, R6-R8."""

from enum import StrEnum
from typing import ClassVar, Literal

from msgspec import Struct

from arena.gin.cards import Card, LayOffs, Melds

Kind = Literal["pass", "take", "draw", "discard", "knock", "big_gin", "lay_off"]


class Pass(Struct, frozen=True):
    """Do not take the upcard (R3.1, R3.2) or the last discard (R5.2)."""

    kind: ClassVar[Kind] = "pass"


class Take(Struct, frozen=True):
    """Take the top of the discard pile (R3.1, R4.1)."""

    kind: ClassVar[Kind] = "take"


class Draw(Struct, frozen=True):
    """Draw from the stock (R4.1)."""

    kind: ClassVar[Kind] = "draw"


class Discard(Struct, frozen=True):
    """Discard a card and end the turn (R4.2)."""

    kind: ClassVar[Kind] = "discard"
    card: Card


class Knock(Struct, frozen=True):
    """Discard a card face down and lay melds; it is gin if no deadwood is left (R6.1, R7.3)."""

    kind: ClassVar[Kind] = "knock"
    card: Card
    melds: Melds | None = None  # None: the arrangement with least deadwood (R6.2)


class BigGin(Struct, frozen=True):
    """Lay all eleven cards in melds (R8.1)."""

    kind: ClassVar[Kind] = "big_gin"
    melds: Melds | None = None  # None: any arrangement without deadwood


class LayOff(Struct, frozen=True):
    """Answer a knock: lay melds, and deadwood on the knocker's melds (R6.3)."""

    kind: ClassVar[Kind] = "lay_off"
    melds: Melds | None = None  # None: those that leave the fewest points (R6.4)
    lay_offs: LayOffs | None = None  # None: all that fit


Action = Pass | Take | Draw | Discard | Knock | BigGin | LayOff


class IllegalActionError(Exception):
    """An action that a clause of the rules forbids."""

    def __init__(self, clause: str, detail: str) -> None:
        super().__init__(f"{detail} ({clause})")
        self.clause = clause
        self.detail = detail


# The phases of a hand, and what its seats lay at the end. Source: R2-R8.


class Phase(StrEnum):
    """The decision that the acting seat has to make."""

    UPCARD = "upcard"  # take the first upcard, or pass (R3.1, R3.2)
    FIRST_DRAW = "first_draw"  # both passed: draw from the stock (R3.3)
    DRAW = "draw"  # draw or take (R4.1)
    DISCARD = "discard"  # discard, knock or go gin (R4.2)
    LAST_TAKE = "last_take"  # the stock is out: take the last discard to knock, or pass (R5.2)
    LAST_KNOCK = "last_knock"  # the last discard was taken: knock or go gin (R5.2)
    LAY_OFF = "lay_off"  # the other seat knocked: lay melds and lay off (R6.3)
    OVER = "over"


# Bound once, for the engine's use: Python 3.11 takes 150 ns to look a member up in its class.
UPCARD, FIRST_DRAW, DRAW, DISCARD, LAST_TAKE, LAST_KNOCK, LAY_OFF, OVER = Phase


class Laid(Struct, frozen=True):
    """The cards that a seat laid on the table at the end of a hand."""

    melds: Melds
    lay_offs: LayOffs  # on the other seat's melds
    deadwood: int  # points left
