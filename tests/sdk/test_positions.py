"""Views built for the tests of a bot."""

import pytest
from support.hands.builders import cards

from arena.gin.cards import card
from arena.gin.match import Phase
from arena.gin.rules import Rules
from arena.gin.view import Knocker
from arena.sdk import Bot, LayOff
from arena.sdk.positions import position


def test_every_card_is_in_one_place() -> None:
    view = position("3c4c5c 7d8d9d 2h2s2d Ks", phase="draw", pile="Kc", threw=("Qh", "Qs"), took=("", "5h"))
    assert (view.stock, len(view.pile)) == (52 - 10 - 3 - 10, 3)
    assert view.opponent_holds == cards("5h")
    assert view.unseen.bit_count() == view.stock + 9
    assert view.upcard == card("Kc")


def test_of_eleven_cards_the_last_was_drawn() -> None:
    view = position("3c4c5c 7d8d9d 2h2s2d Ks Kd")
    assert (view.phase, view.drawn, view.may) == (Phase.DISCARD, card("Kd"), ("discard", "knock"))
    assert view.may_discard == view.cards


@pytest.mark.rule("R4.3")
def test_a_card_just_taken_may_not_be_discarded() -> None:
    view = position("3c4c5c 7d8d9d 2h2s2d Ks Kd", took=("Kd", ""))
    assert view.may_discard == view.without(card("Kd"))


def test_the_legal_actions_follow_from_the_rules() -> None:
    held = "3c4c5c 7d8d9d 2h2s2d Ts Kd"
    assert "knock" in position(held).may
    assert "knock" not in position(held, rules=Rules(knock_limit=9)).may


def test_a_knock_is_shown_to_its_defender() -> None:
    view = position("6c9c 2d8d 5h8h9h 2s9sQs", phase="lay_off", laid="3c4c5c 7d7h7s", deadwood=8)
    assert view.knocker is not None
    assert (view.knocker.melds, view.knocker.deadwood, view.knocker.lay_offs) == ((cards("3c4c5c"), cards("7d7h7s")), 8, True)
    assert Bot().answer(view) == LayOff()


def test_a_defender_always_sees_what_the_knocker_laid() -> None:
    view = position("6c9c 2d8d 5h8h9h 2s9sQs", phase="lay_off", rules=Rules(knock_limit=100), deadwood=60)
    assert view.knocker == Knocker((), 60, lay_offs=True)


def test_a_laid_card_that_was_thrown_before_is_not_in_the_pile() -> None:
    held = "6c9c 2d8d 5h8h9h 2s9sQs"
    view = position(held, phase="lay_off", laid="7c7d7h", took=("", "7c"), threw=("7c", "7c"), deadwood=8)
    assert view.pile == ()


@pytest.mark.parametrize(
    "places",
    [
        {"cards": "3c 3c"},
        {"cards": "3c", "pile": "3c"},
        {"cards": "5h", "took": ("", "5h")},
        {"cards": "5h", "laid": "2c2d2h Ac2c3c"},
        {"cards": "1c"},
    ],
)
def test_a_card_in_two_places_or_an_invalid_one_is_refused(places: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="'1c' is not a card" if places["cards"] == "1c" else "is in two places"):
        position(**places)  # type: ignore[arg-type] # each of the dicts is well typed


def test_a_card_that_both_have_thrown_lies_in_the_pile_once() -> None:
    view = position("4c5c6c7d8d9dThJhKs2s", phase="draw", threw=("3c", "3c"), took=("", "3c"))
    assert view.pile == (card("3c"),)


@pytest.mark.parametrize("phase", ["upcard", "draw", "last_take"])
def test_a_phase_that_offers_the_upcard_needs_one(phase: str) -> None:
    with pytest.raises(ValueError, match=f"phase {phase}: the discard pile is empty"):
        position("4c5c6c7d8d9dThJhKs2s", phase=phase)
