"""What a bot's fault costs."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from arena.gin.deal import Seat
from arena.gin.hand import Hand
from arena.gin.melds import deadwood
from arena.gin.score import Ending, HandResult


class FaultCosts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The price of a fault: the hand at least, and so many in one fixture lose all of it."""

    costs: Literal["hand", "game", "match"] = "hand"
    at_most: Annotated[int, Meta(ge=1, le=1000)] = 3  # the fault with this number in a fixture forfeits it
    points: Annotated[int, Meta(ge=0, le=1000)] = 50  # to the opponent: a gin, 25, and what gin finds in other cards, about 25


def forfeited(hand: Hand, seat: Seat, costs: FaultCosts) -> HandResult:
    """Return the result of a hand that ``seat`` lost by a fault."""
    return HandResult(Ending.FAULT, 1 - seat, costs.points, (deadwood(hand.cards[0]), deadwood(hand.cards[1])))

