"""The penalties for faults: the hand, the game or the match, and a forfeit after repeated faults."""

from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec import Meta, Struct

from arena.gin.deal import Seat
from arena.gin.hand import Hand
from arena.gin.match import Contest
from arena.gin.melds import deadwood
from arena.gin.score import Ending, HandResult
from arena.records import Fault


class FaultCosts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The penalty for a fault. Every fault loses the hand; ``at_most`` faults in a fixture lose the whole fixture."""

    costs: Literal["hand", "game", "match"] = "hand"
    at_most: Annotated[int, Meta(ge=1, le=1000)] = 3  # this many faults in a fixture forfeit it
    # To the opponent. A gin is worth 25 points, and the deadwood in the other hand about 25 more.
    points: Annotated[int, Meta(ge=0, le=1000)] = 50


def forfeit(faults: Iterable[Fault], costs: FaultCosts) -> Seat | None:
    """Return the seat that forfeits the fixture by these faults, or None."""
    count = [0, 0]
    for fault in faults:
        count[fault.seat] += 1
        if count[fault.seat] >= costs.at_most or costs.costs == "match":
            return fault.seat
    return None


def forfeited(hand: Hand, seat: Seat, costs: FaultCosts) -> HandResult:
    """Return the result of a hand that ``seat`` lost by a fault."""
    return HandResult(Ending.FAULT, 1 - seat, costs.points, (deadwood(hand.cards[0]), deadwood(hand.cards[1])))


def settle(contest: Contest, result: HandResult, costs: FaultCosts) -> Contest:
    """Return the contest after one more hand, with the game conceded if a fault costs it."""
    after = contest.add(result)
    lost_game = result.ending is Ending.FAULT and costs.costs == "game" and after.standing.game == contest.standing.game
    return after.concede(1 - (result.winner or 0)) if lost_game else after
