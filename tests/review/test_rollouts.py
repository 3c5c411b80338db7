"""Hands that the rollouts play end as the referee's engine ends them."""

import numpy as np
import pytest
from msgspec.structs import replace
from support.hands.reference import Reference, starts
from support.sizes import mostly_nightly

from arena.gin.actions import Action
from arena.gin.deal import Deal, Deals
from arena.gin.match import Hand
from arena.gin.rules import Rules
from arena.gin.view import View
from arena.review import habits
from arena.review.arrays import Floats
from arena.review.habits import KNOCKS, Habits
from arena.review.rollouts import Rollouts, own_action
from arena.train.native import ASK, TURNS
from arena_bots.scholar import Scholar

RULES = {
    "the usual rules": Rules(stock="two-ended"),
    "a showdown": Rules(stock="two-ended", stock_out="showdown", knock_limit=3),
    "a last take": Rules(stock="two-ended", stock_out="last_take", knock_limit=4),
    "lay-offs on gin": Rules(stock="two-ended", layoff_on_gin=True, big_gin_bonus=None),
    "taken cards that may be thrown": Rules(stock="two-ended", return_taken=True, tie="nothing"),
    "a free first turn": Rules(stock="two-ended", first_turn="draw", max_takes=4),
    "any draw after two passes": Rules(stock="two-ended", after_two_passes="any", undercut_bonus=10),
}


THROWING = (-1.5, 0.4, -0.2, -2.0, 0.1, 1.0, 0.3)
OTHER = replace(habits.usual_habits(), knocks=((0.5,) * KNOCKS,) * habits.TURNS, throwing=THROWING)


def dealt(key: str, count: int) -> list[Deal]:
    return [Deal(Deals("rollouts", key).deck(0, number), 1) for number in range(count)]


def points(rules: Rules, other: Habits, deals: list[Deal], chance: Floats) -> list[float]:
    """Return the points of the reviewed seat in each hand."""
    asked = np.full(len(deals), ASK)
    found: list[float] = Rollouts(rules, other).points(starts(deals, rules), chance, np.arange(len(deals)), asked).tolist()
    return found


@pytest.mark.process
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_a_hand_ends_as_the_engine_ends_it(rules: Rules) -> None:
    deals = dealt("key", 20)
    chance = np.random.default_rng(18).random((len(deals), TURNS))
    knocking = np.stack([habits.own_knocking(TURNS), OTHER.knocking(TURNS)])
    expected = [Reference(rules, knocking, np.array(THROWING), chance[number]).points(deal) for number, deal in enumerate(deals)]
    assert points(rules, OTHER, deals, chance) == expected


class AsksPolicy(Reference):
    """Asks the policy for each decision of the reviewed seat."""

    def answer(self, hand: Hand, view: View) -> Action:
        return own_action(view) if hand.seat != hand.dealer else super().answer(hand, view)


@pytest.mark.parametrize("rules", mostly_nightly(RULES.values(), *list(RULES.values())[::3]), ids=RULES)
def test_what_the_policy_says_of_a_decision_is_what_the_rollouts_do(rules: Rules) -> None:
    deals = dealt("own", 8)
    chance = np.random.default_rng(19).random((len(deals), TURNS))
    knocking = np.stack([habits.own_knocking(TURNS), habits.usual_habits().knocking(TURNS)])
    throwing = np.array(habits.usual_habits().throwing)
    expected = [AsksPolicy(rules, knocking, throwing, chance[number]).points(deal) for number, deal in enumerate(deals)]
    assert points(rules, habits.usual_habits(), deals, chance) == expected


class Scholars(Reference):
    """Asks the bot scholar for each decision of either seat."""

    def answer(self, hand: Hand, view: View) -> Action:
        found: Action = Scholar("a").answer(view)
        return found


@pytest.mark.parametrize("rules", [RULES["the usual rules"], RULES["a last take"]], ids=["the usual rules", "a last take"])
def test_both_seats_may_play_as_the_bot_scholar_does(rules: Rules) -> None:
    deals = dealt("scholar", 6)
    chance, asked = np.zeros((len(deals), TURNS)), np.full(len(deals), ASK)
    unused = np.zeros((2, TURNS, 101))
    expected = [Scholars(rules, unused, np.array(THROWING), chance[0]).points(deal) for deal in deals]
    play = Rollouts(rules, replace(OTHER, as_scholar=True), as_scholar=True)
    assert play.points(starts(deals, rules), chance, np.arange(len(deals)), asked).tolist() == expected
