"""A sampled hand is consistent with the view and continues by the referee's rules."""

from collections import Counter
from random import Random

import pytest
from support.hands.builders import FIRST, RULESETS
from support.hands.by_chance import play_out

from arena.gin.cards import DECK, bits, each
from arena.gin.deal import Deal
from arena.gin.match import Hand, Phase
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.sdk import Bot, simulate

every_ruleset = pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)


def states(rules: Rules) -> list[Hand]:
    """Return states with hidden cards from some hands of random play."""
    hands = [hand for n in range(12) for hand in play_out(Deal(shuffle(f"sampled {n}"), n & 1), rules, n)[0]]
    return [hand for hand in hands if hand.phase not in (Phase.LAY_OFF, Phase.OVER)]


@every_ruleset
def test_a_sampled_hand_shows_what_was_seen(rules: Rules) -> None:
    for hand in states(rules):
        view = see(hand, FIRST)
        assert see(simulate.sample_hand(view, Random(1)), simulate.standing_of(view)) == view


@every_ruleset
def test_a_sampled_hand_holds_each_card_once(rules: Rules) -> None:
    for hand in states(rules):
        sampled = simulate.sample_hand(see(hand, FIRST), Random(1))
        places = [*each(sampled.cards[0]), *each(sampled.cards[1]), *sampled.pile, *sampled.deck[sampled.top : sampled.bottom]]
        assert bits(places) == DECK
        assert len(places) == 52
        assert sampled.cards[1].bit_count() == 10


def test_every_unseen_card_is_equally_often_with_the_opponent() -> None:
    view = see(Hand.start(Deal(shuffle("fair"), 0), Rules()), FIRST)
    chance = Random(1)
    held = Counter(card for _ in range(4100) for card in each(simulate.sample_hand(view, chance).cards[1]))
    assert set(held) == set(each(view.unseen))
    assert all(abs(times - 1000) < 140 for times in held.values())  # five standard deviations


@every_ruleset
def test_a_playout_ends_every_state(rules: Rules) -> None:
    for hand in states(rules)[::5]:
        view = see(hand, FIRST)
        result = simulate.playout(simulate.sample_hand(view, Random(1)), Bot().answer, Bot().answer, simulate.standing_of(view))
        assert result.ending in set(Ending) - {Ending.FAULT}


def test_a_view_after_a_knock_cannot_be_sampled() -> None:
    knocked = next(
        hand for n in range(20) for hand in play_out(Deal(shuffle(f"{n}"), 0), Rules(), n)[0] if hand.phase is Phase.LAY_OFF
    )
    with pytest.raises(ValueError, match="no hidden cards"):
        simulate.sample_hand(see(knocked, FIRST), Random(1))


@pytest.mark.parametrize(("winner", "points"), [(0, 30), (1, -30), (None, 0)])
def test_points_are_those_of_seat_0(winner: int | None, points: int) -> None:
    assert simulate.points(HandResult(Ending.KNOCK, winner, abs(points), (0, 0))) == points
