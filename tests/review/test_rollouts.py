"""Hands that are played on arrays end as the referee's engine ends them."""

import numpy as np
import pytest
from reference import Reference, starts

from arena.gin.deal import Deal, Deals
from arena.gin.hand import Hand
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.review import habits
from arena.review.own_play import own_action
from arena.review.rollouts import TURNS, Rollouts
from arena.review.walking import NOWHERE

RULES = {
    "the usual rules": Rules(stock="two-ended"),
    "a showdown": Rules(stock="two-ended", stock_out="showdown", knock_limit=3),
    "a last take": Rules(stock="two-ended", stock_out="last_take", knock_limit=4),
    "lay-offs on gin": Rules(stock="two-ended", layoff_on_gin=True, big_gin_bonus=None),
    "taken cards that may be thrown": Rules(stock="two-ended", return_taken=True, tie="nothing"),
    "a free first turn": Rules(stock="two-ended", first_turn="draw", max_takes=4),
    "any draw after two passes": Rules(stock="two-ended", after_two_passes="any", undercut_bonus=10),
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_a_hand_ends_as_the_engine_ends_it(rules: Rules) -> None:
    random = np.random.default_rng(18)
    deals = [Deal(Deals("rollouts", "key").deck(0, number), number % 2) for number in range(60)]
    chance = random.random((len(deals), TURNS))
    knocking = np.stack([np.where(np.arange(TURNS) < 3, 1.0, 0.0)[:, None].repeat(101, axis=1), np.full((TURNS, 101), 0.5)])
    expected = [Reference(rules, knocking, chance[number]).points(deal) for number, deal in enumerate(deals)]
    assert Rollouts(rules, knocking).points(starts(deals, chance, rules)).tolist() == expected


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_the_own_play_of_the_policy_is_that_of_the_rollouts(rules: Rules) -> None:
    deals = [Deal(Deals("rollouts", "own").deck(0, number), number % 2) for number in range(30)]
    rollouts = Rollouts(rules, np.stack([habits.own(TURNS)] * 2))
    expected = rollouts.points(starts(deals, np.ones((len(deals), TURNS)) / 2, rules)).tolist()
    assert [played(deal, rules) for deal in deals] == expected


def played(deal: Deal, rules: Rules) -> int:
    """Return the points of the dealer's opponent if the engine asks the policy for each decision."""
    hand = Hand.start(deal, rules)
    while hand.result is None:
        hand = hand.play(own_action(see(hand, NOWHERE)))
    sign = {None: 0, deal.dealer: -1}.get(hand.result.winner, 1)
    return sign * hand.result.points
