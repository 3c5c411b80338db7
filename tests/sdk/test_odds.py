"""Probabilities, compared with counting every case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.hands.builders import FIRST, cards, holding

from arena.gin.cards import Cards, bits, card, each
from arena.gin.deal import Deal
from arena.gin.match import Hand
from arena.gin.melds import deadwood, melds_in
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.gin.view import View
from arena.sdk import odds
from arena.sdk.positions import position

ten_cards = st.sets(st.integers(0, 51), min_size=10, max_size=10).map(bits)
melded_ten = st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 12), st.permutations(range(52))).map(
    lambda drawn: _first_ten(7 << 13 * drawn[0] + drawn[1] | 0x4002001 << drawn[2], drawn[3])
)


def _first_ten(held: Cards, order: list[int]) -> Cards:
    for one in order:
        if held.bit_count() < 10:
            held |= 1 << one
    return held


def view() -> View:
    """Return the view of a player that drew Qd and has to discard."""
    return see(holding("3c4c5c 7d7h7s Ah2h4h Ks Qd", drawn="Qd"), FIRST)


@given(ten_cards | melded_ten)
def test_completes_names_the_cards_that_would_be_in_a_meld(held: Cards) -> None:
    melding = {one for one in range(52) if not held >> one & 1 and any(meld >> one & 1 for meld in melds_in(held | 1 << one))}
    assert set(each(odds.completes(held))) == melding


@given(ten_cards | melded_ten)
def test_melded_names_the_cards_of_all_melds(held: Cards) -> None:
    assert odds.melded(held) == bits({one for meld in melds_in(held) for one in each(meld)})


@given(ten_cards | melded_ten, ten_cards)
def test_futures_are_the_deadwood_after_each_draw_and_the_best_discard(held: Cards, live: Cards) -> None:
    live &= ~held
    after = sorted(min(deadwood(held ^ 1 << came ^ 1 << thrown) for thrown in each(held | 1 << came)) for came in each(live))
    assert odds.futures(held, live) == after


@given(ten_cards | melded_ten, ten_cards)
def test_outs_and_gin_outs_are_live_cards_that_help(held: Cards, live: Cards) -> None:
    live &= ~held
    after = {came: odds.after_throw(held | 1 << came) for came in each(live & odds.completes(held))}
    assert odds.outs(held, live) == bits(came for came in after if after[came] < deadwood(held))
    assert odds.gin_outs(held, live) == bits(came for came in each(live) if odds.after_throw(held | 1 << came) == 0)


def test_a_hand_that_is_gin_stays_gin_with_every_card() -> None:
    assert odds.gin_outs(cards("3c4c5c7d8d9d2c2d2h2s"), cards("KhKs")) == cards("KhKs")


@pytest.mark.parametrize(
    ("held", "upcard", "helped"),
    [
        ("3c4c AdKh 7s7d 9hJc 2s5s", "5c", True),  # a run
        ("3c4c AdKh 7s7d 9hJc 2s5s", "7h", True),  # a set
        ("3c4c AdKh 7s7d 9hJc 2s5s", "Ac", False),  # lower than other cards, but makes no meld
    ],
)
def test_an_upcard_helps_if_it_makes_a_meld(held: str, upcard: str, *, helped: bool) -> None:
    assert odds.helps(replace(view(), cards=cards(held), pile=(card(upcard),))) is helped


def test_danger_is_certain_where_the_opponent_took_both_partners() -> None:
    plain = replace(view(), cards=cards("5c9d"), pile=(), took=(0, cards("6c7c")))
    assert odds.danger(plain, card("5c")) > 1
    assert odds.danger(plain, card("9d")) < 0.3


def test_a_card_whose_partners_are_gone_is_safe() -> None:
    gone = replace(view(), cards=cards("Kd"), pile=tuple(each(cards("KcKhKsQd"))), took=(0, 0))
    assert odds.danger(gone, card("Kd")) == 0


def test_the_opponent_holds_each_unseen_card_with_equal_probability() -> None:
    first = see(Hand.start(Deal(shuffle("odds"), 0), view().rules), FIRST)
    assert odds.opponent_has(first) == pytest.approx(10 / 41)
    assert odds.turn(first) == 0
    assert odds.turn(replace(first, threw=(cards("KcQd"), 0))) == 2


def test_the_expectation_of_a_discard_is_a_mean_of_futures() -> None:
    now = view()
    thrown = next(each(now.may_discard))
    ahead = odds.futures(now.without(thrown), now.unseen)
    assert odds.expected(now, thrown) == pytest.approx(sum(ahead) / len(ahead))
    assert odds.expected(now, thrown, draws=3) == pytest.approx(sum(ahead[:3]) / 3)


def test_a_card_comes_with_the_probability_of_the_live_cards() -> None:
    view = position("7c8c 4d4h 2s9dJhQsKcAd", phase="draw", pile="Ks")
    wanted = odds.completes(view.cards)
    assert odds.comes(view, wanted) == pytest.approx(4 / 41)
    assert odds.comes(view, wanted, draws=2) == pytest.approx(1 - 37 / 41 * 36 / 40)
    assert odds.comes(view, cards("Ks")) == 0.0
    assert odds.comes(view, view.unseen) == 1.0
