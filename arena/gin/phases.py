"""The phases of a hand, and what its seats lay at the end. Source: R2-R8."""

from enum import StrEnum

from msgspec import Struct

from arena.gin.cards import LayOffs, Melds


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
