"""Each rule is decided in one place: an override of ``terms`` takes effect everywhere."""

import re
from pathlib import Path

import pytest
from support.hands.builders import FIRST, cards, dealt, played

import arena
import arena_bots
from arena.gin.actions import IllegalActionError, Knock
from arena.gin.cards import card
from arena.gin.deal import Deal
from arena.gin.facts import HandFacts
from arena.gin.match import Hand
from arena.gin.rules import HandTerms, Rules
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.protocol import notation
from arena.sdk.named_moves import knocks, moves
from arena.sdk.positions import position
from arena.stats.luck_1 import inputs
from arena.tournament.sparring import partner
from arena_bots.random_legal import RandomLegal

HELD = "3c4c5c 7d7h7s 2h3h 4d Kd Ac"  # without Kd it has 10 points of deadwood, without 4d 16
KNOCK_INPUT = 6  # of the inputs of the value function: whether the hand may knock


class Strict(Rules, frozen=True, kw_only=True, tag="strict"):
    """Knocks with five points at most, whatever ``knock_limit`` says."""

    def terms(self, facts: HandFacts) -> HandTerms:
        return HandTerms(5)


@pytest.mark.rule("R6.1")
def test_code_compares_with_the_limit_of_the_hand_and_not_with_the_option() -> None:
    folders = (Path(arena.__file__).parent, Path(arena_bots.__file__).parent)
    sources = [path for folder in folders for end in ("*.py", "*.js") for path in folder.rglob(end) if "vendor" not in path.parts]
    comparing = [
        path.name
        for path in sources
        if re.search(r"[<>]=? *[\w.]*rules\.knock_limit|rules\.knock_limit *[<>]", path.read_text("utf-8"))
    ]
    assert comparing == []


@pytest.mark.rule("R6.1")
def test_a_view_names_the_cards_that_may_be_discarded_with_a_knock() -> None:
    assert position(HELD).may_knock == cards("Kd")
    assert position(HELD, rules=Strict()).may_knock == 0
    assert position("3c4c5c 7d7h7s 2h3h Ac 2d Kd", rules=Strict()).may_knock == 0
    assert position("3c4c5c 7d7h7s 2h3h4h Ac Kd", rules=Strict()).may_knock == cards("Kd")


@pytest.mark.rule("R6.1")
def test_a_bot_sees_the_same_cards_as_the_referee() -> None:
    view = position("3c4c5c 7d7h7s 2h3h4h 5d 6s", rules=Strict())
    received = notation.view(notation.turn(view), notation.rules_message(view.rules))
    assert received.may_knock == view.may_knock == cards("6s")


@pytest.mark.rule("R6.1")
def test_no_card_may_be_discarded_with_a_knock_before_the_draw() -> None:
    assert position("3c4c5c 7d7h7s 2h3h4h Ac", phase="draw", pile="Kd").may_knock == 0


@pytest.mark.rule("R6.1")
def test_the_hand_asks_the_rules_whether_a_knock_is_legal() -> None:
    deal = dealt("3c4c5c 7d7h7s 2h3h 4d Ac", "2c2d2s 9h9c9s Jd Qs 5h 8h", "8d", "Kd")
    assert "knock" in played("pass pass draw", deal, Rules()).may()
    strict = played("pass pass draw", deal, Strict())
    assert "knock" not in strict.may()
    with pytest.raises(IllegalActionError, match="a knock with 10 points of deadwood; the limit is 5"):
        strict.play(Knock(card("Kd")))


@pytest.mark.rule("R6.1")
def test_the_moves_offered_to_a_person_ask_the_rules() -> None:
    assert knocks(position(HELD)) == [card("Kd")]
    view = position("3c4c5c 7d7h7s 2h3h4h 2d Jd", rules=Strict())
    assert [name for name in moves(view) if name.startswith("knock")] == ["knock:Jd"]


@pytest.mark.rule("R6.1")
def test_the_luck_of_a_draw_asks_the_rules() -> None:
    deal = dealt("3c4c5c 7d7h7s 2h3h 4d Ac", "2c2d2s 9h9c9s Jd Qs 5h 8h", "8d", "Kd")
    assert inputs(played("pass pass", deal, Rules()), card("Kd"))[KNOCK_INPUT] == 1.0
    assert inputs(played("pass pass", deal, Strict()), card("Kd"))[KNOCK_INPUT] == 0.0


@pytest.mark.rule("R6.1")
@pytest.mark.parametrize("seed", range(20))
def test_the_partner_of_auditions_and_the_random_bot_never_knock_against_the_rules(seed: int) -> None:
    answers = (partner(str(seed)), RandomLegal(str(seed)).answer)
    hand = Hand.start(Deal(shuffle(f"one judge {seed}"), seed & 1), Strict())
    while hand.result is None:
        hand = hand.play(answers[hand.seat](see(hand, FIRST)))
