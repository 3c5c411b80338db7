"""What a person is offered, and what is advised: legal all of it, under every ruleset."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hands.builders import FIRST, RULESETS, holding
from support.hands.by_chance import play_out
from support.hands.strategies import PlayOut, play_outs

from arena.gin.deal import Deal
from arena.gin.match import Phase
from arena.gin.melds import deadwood
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.human.advice import hint
from arena.sdk.named_moves import moves


@pytest.mark.process
@given(play_outs())
def test_every_move_that_is_offered_is_legal_and_so_is_the_hint(played: PlayOut) -> None:
    states, _ = played
    for state in states[:-1]:
        offered = moves(see(state, FIRST))
        assert offered
        for move in offered.values():
            state.play(move.action)
        assert hint(see(state, FIRST)).move in offered.values()


@given(st.integers(0, 1000), st.sampled_from(list(RULESETS.values())))
def test_every_kind_of_action_that_the_rules_allow_is_offered(number: int, rules: Rules) -> None:
    states, _ = play_out(Deal(shuffle(str(number)), number & 1), rules, number)
    for state in states[:-1]:
        view = see(state, FIRST)
        assert {move.action.kind for move in moves(view).values()} == set(view.may)


def test_the_hint_knocks_as_soon_as_it_may_and_says_why() -> None:
    advice = hint(see(holding("3c4c5c 7d7h7s JhQhKh Ac 9d", drawn="9d"), FIRST))
    assert advice.move.name == "knock:9d"
    assert advice.why == "1 of at most 10 points are left"


def test_the_hint_takes_an_upcard_that_makes_a_meld() -> None:
    hand = holding("3c4c 7d7h 9sJsKd 2h5h8h", phase=Phase.DRAW)
    upcard = hand.pile[-1]
    assert deadwood(hand.cards[0] | 1 << upcard) <= deadwood(hand.cards[0]) + 10
    assert hint(see(hand, FIRST)).move.name in ("take", "draw")


def test_gin_is_called_gin() -> None:
    offered = moves(see(holding("3c4c5c 7d7h7s JhQhKhTh 9d", drawn="9d"), FIRST))
    assert offered["knock:9d"].message == "gin, throwing 9d"
