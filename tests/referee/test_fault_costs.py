"""The penalties for faults."""

import pytest
from support.hands.builders import dealt
from support.matches.in_process import SEED

from arena.gin.deal import Deals
from arena.gin.match import Batch, Hand, Match
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult
from arena.limits import FaultCosts
from arena.records import Fault
from arena.referee.fault_costs import forfeit, lost_hand, settle

DEALS = Deals(SEED, "a-b/0")
FAULT = HandResult(Ending.FAULT, 1, 50, (30, 40))
PLAYED = HandResult(Ending.KNOCK, 1, 50, (30, 40))


def test_a_forfeited_hand_goes_to_the_other_seat_with_the_deadwood_of_both() -> None:
    hand = Hand.start(dealt("AcAdAh 2c2d2h 3c3d3h Ks", "Kc Qd Jh Ts 8c 7d 6h 5s 4c Jc", "Qc"), Rules())
    assert lost_hand(hand, 0, FaultCosts(points=33)) == HandResult(Ending.FAULT, 1, 33, (10, 80))
    assert lost_hand(hand, 1, FaultCosts()).winner == 0


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_forfeits_with_its_own_last_fault_alone(seat: int) -> None:
    ours, theirs = (Fault(seat=at, kind="crash", game=0, hand=0, detail="") for at in (seat, 1 - seat))
    assert forfeit([ours, theirs, ours, theirs], FaultCosts(at_most=3)) is None
    assert forfeit([ours, theirs, ours, theirs, ours, theirs], FaultCosts(at_most=3)) == seat
    assert forfeit([ours], FaultCosts(costs="match")) == seat


def test_a_fault_may_cost_only_the_hand() -> None:
    after = settle(Match.start(Rules(), DEALS), FAULT, FaultCosts(costs="hand"))
    assert (after.standing.game, after.standing.score) == (0, (0, 50))


def test_a_fault_may_cost_the_game() -> None:
    after = settle(Match.start(Rules(), DEALS), FAULT, FaultCosts(costs="game"))
    assert (after.standing.game, after.standing.games) == (1, (0, 1))


def test_a_game_that_ends_by_the_points_of_the_fault_is_lost_once() -> None:
    after = settle(Match.start(Rules(target=50), DEALS), FAULT, FaultCosts(costs="game"))
    assert after.standing.games == (0, 1)


def test_a_hand_lost_by_play_does_not_cost_the_game() -> None:
    assert settle(Match.start(Rules(), DEALS), PLAYED, FaultCosts(costs="game")).standing.game == 0


def test_in_a_batch_a_fault_always_costs_one_hand() -> None:
    after = settle(Batch(Rules(), DEALS, 3), FAULT, FaultCosts(costs="game"))
    assert after.standing.game == 1
