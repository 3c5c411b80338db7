"""What faults cost: a hand, a game, or the fixture."""

from collections.abc import Iterable

from arena import records
from arena.gin.facts import Seat
from arena.gin.match import Contest, Hand
from arena.gin.melds import deadwood
from arena.gin.score import Ending, HandResult
from arena.limits import FaultCosts


def forfeit(faults: Iterable[records.Fault], costs: FaultCosts) -> Seat | None:
    """Return the seat that forfeits the fixture by these faults, or None."""
    count = [0, 0]
    for fault in faults:
        count[fault.seat] += 1
        if count[fault.seat] >= costs.at_most or costs.costs == "match":
            return fault.seat
    return None


def lost_hand(hand: Hand, seat: Seat, costs: FaultCosts) -> HandResult:
    """Return the result of a hand that ``seat`` lost by a fault."""
    return HandResult(Ending.FAULT, 1 - seat, costs.points, (deadwood(hand.cards[0]), deadwood(hand.cards[1])))


def settle(contest: Contest, result: HandResult, costs: FaultCosts) -> Contest:
    """Return the contest after one more hand, and after the loss of the game if a fault costs it."""
    after = contest.add(result)
    lost_game = result.ending is Ending.FAULT and costs.costs == "game" and after.standing.game == contest.standing.game
    return after.lose_game(1 - (result.winner or 0)) if lost_game else after
