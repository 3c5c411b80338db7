"""One hand, clause by clause."""

import pytest
from msgspec.structs import replace
from support.hands.builders import cards, dealt, drained, holding, in_order, melds, played

from arena.gin.actions import Action, BigGin, Discard, Draw, IllegalActionError, Knock, LayOff, Pass, Take
from arena.gin.cards import DECK, Melds, bits, card, each
from arena.gin.match import Hand, Laid, Phase
from arena.gin.melds import deadwood, points
from arena.gin.moves import MOVES
from arena.gin.rules import Rules
from arena.gin.rulesets import PointsList
from arena.gin.score import Ending, HandResult

# Seat 0 has two melds and 13 points of deadwood, seat 1 has two melds and 28; seat 1 deals.
DEAL = dealt("3c4c5c 7d7h7s Ah2h KcTd", "2c2d2s 9h9c9s Jd Qs 5h 3h", "8d", "6c Kh Tc 4s")


def refused(hand: Hand, action: Action) -> str:
    """Return the clause that refuses an action."""
    with pytest.raises(IllegalActionError) as error:
        hand.play(action)
    return error.value.clause


# --- the deal


@pytest.mark.rule("R2.1")
def test_ten_cards_each_are_dealt_in_turn_beginning_with_the_non_dealer() -> None:
    hand = Hand.start(DEAL, Rules())
    assert hand.cards == (cards("3c4c5c7d7h7sAh2hKcTd"), cards("2c2d2s9h9c9sJdQs5h3h"))
    assert hand.pile == in_order("8d")
    assert hand.stock == 31
    assert played("pass pass draw", DEAL).drawn == card("6c")


@pytest.mark.rule("R2.1")
def test_a_hand_is_determined_by_deck_dealer_and_actions() -> None:
    line = "pass pass draw Kc take"
    assert played(line, DEAL) == played(line, DEAL)
    assert Hand.start(DEAL, Rules()).seat == 0
    assert Hand.start(dealt("3c4c5c7d7h7sAh2hKcTd", "2c2d2s9h9c9sJdQs5h3h", "8d", seat=1), Rules()).seat == 1


@pytest.mark.rule("R2.4")
def test_with_a_two_ended_stock_the_dealer_draws_from_the_bottom() -> None:
    deal = dealt("3c4c5c7d7h7sAh2hKcTd", "2c2d2s9h9c9sJdQs5h3h", "8d", "6c Kh", bottom="As Ks")
    hand = played("pass pass draw Kc draw", deal, Rules(stock="two-ended"))
    assert hand.drawn == card("Ks")
    assert played("pass pass draw Kc draw Ks draw", deal, Rules(stock="two-ended")).drawn == card("Kh")
    assert played("pass pass draw Kc draw", deal, Rules(stock="top")).drawn == card("Kh")


@pytest.mark.rule("R2.4")
def test_a_two_ended_stock_gives_a_seat_the_same_cards_whatever_the_other_draws() -> None:
    two_ended = Rules(stock="two-ended")
    after_a_draw = played("pass pass draw Kc draw Jd draw", DEAL, two_ended)
    after_a_take = played("pass pass draw Kc take Jd draw", DEAL, two_ended)
    assert after_a_draw.drawn == after_a_take.drawn == card("Kh")


# --- the upcard


@pytest.mark.rule("R3.1")
def test_the_non_dealer_may_take_the_upcard_and_continues_as_in_any_turn() -> None:
    hand = played("take", DEAL)
    assert (hand.seat, hand.phase, hand.drawn, hand.pile, hand.stock) == (0, Phase.DISCARD, card("8d"), (), 31)
    assert played("take Kc", DEAL).phase is Phase.DRAW
    assert played("take Kc", DEAL).seat == 1


@pytest.mark.rule("R3.2")
def test_after_a_pass_the_dealer_has_the_same_choice() -> None:
    hand = played("pass", DEAL)
    assert (hand.seat, hand.phase, hand.may()) == (1, Phase.UPCARD, ("pass", "take"))
    after = played("pass take Jd", DEAL)
    assert (after.seat, after.phase) == (0, Phase.DRAW)


@pytest.mark.rule("R3.3")
def test_after_two_passes_the_non_dealer_must_draw_from_the_stock() -> None:
    hand = played("pass pass", DEAL)
    assert (hand.seat, hand.may()) == (0, ("draw",))
    assert refused(hand, Take()) == "R3.3"


@pytest.mark.rule("R3.3")
def test_after_two_passes_either_pile_is_open_under_the_option() -> None:
    hand = played("pass pass", DEAL, Rules(after_two_passes="any"))
    assert hand.may() == ("draw", "take")
    assert hand.play(Take()).drawn == card("8d")


@pytest.mark.rule("R3.4")
def test_the_stock_is_closed_during_the_pass_sequence() -> None:
    assert refused(played("", DEAL), Draw()) == "R3.4"
    assert refused(played("pass", DEAL), Draw()) == "R3.4"


@pytest.mark.rule("R3.4")
@pytest.mark.parametrize("line", ["pass pass", "pass pass draw", "take Kc", "pass pass draw Kc"])
def test_a_pass_is_illegal_in_other_phases(line: str) -> None:
    assert refused(played(line, DEAL), Pass()) == "R3.4"


@pytest.mark.rule("R3.5")
def test_without_a_pass_sequence_the_non_dealer_draws_from_either_pile() -> None:
    hand = played("", DEAL, Rules(first_turn="draw"))
    assert (hand.seat, hand.may()) == (0, ("draw", "take"))
    assert hand.play(Draw()).drawn == card("6c")
    assert hand.play(Take()).drawn == card("8d")


@pytest.mark.rule("R3.5")
def test_the_non_dealer_may_get_the_eleventh_card_and_starts_with_a_discard() -> None:
    hand = Hand.start(DEAL, Rules(first_turn="eleven"))
    assert (hand.seat, hand.phase, hand.may(), hand.pile, hand.stock) == (0, Phase.DISCARD, ("discard",), (), 31)
    assert hand.cards[0] == cards("3c4c5c 7d7h7s Ah2h KcTd 8d")
    assert hand.may_discard() == hand.cards[0]
    after = hand.play(Discard(card("8d")))
    assert (after.seat, after.phase, after.may(), after.pile) == (1, Phase.DRAW, ("draw", "take"), in_order("8d"))
    assert after.play(Draw()).drawn == card("6c")


@pytest.mark.rule("R3.5")
@pytest.mark.parametrize(("held", "kind"), [("3c4c5c 7d7h7s 8h9hTh Ad", "gin"), ("3c4c5c 7d7h7s 8h9hThJh", "big_gin")])
def test_a_first_turn_with_eleven_cards_may_end_the_hand(held: str, kind: str) -> None:
    deal = dealt(held, "2c2d2s 9d9c9s Jd Qs 5h 3h", "As" if kind == "gin" else "Qh")
    hand = Hand.start(deal, Rules(first_turn="eleven"))
    assert ("knock" in hand.may(), "big_gin" in hand.may()) == (True, kind == "big_gin")


# --- the turn


@pytest.mark.rule("R4.1")
def test_a_turn_begins_with_the_top_of_either_pile() -> None:
    hand = played("pass pass draw Kc", DEAL)
    assert hand.may() == ("draw", "take")
    assert hand.play(Draw()).drawn == card("Kh")
    assert hand.play(Take()).drawn == card("Kc")
    assert refused(hand, Discard(card("2c"))) == "R4.1"


@pytest.mark.rule("R4.2")
def test_a_turn_continues_with_one_discard() -> None:
    hand = played("pass pass draw", DEAL)
    assert refused(hand, Draw()) == "R4.2"
    assert refused(hand, Discard(card("As"))) == "R4.2"
    after = hand.play(Discard(card("Kc")))
    assert after.pile == in_order("8d Kc")
    assert after.cards[0] == cards("3c4c5c6c7d7h7sAh2hTd")


@pytest.mark.rule("R4.3")
@pytest.mark.parametrize("line", ["take", "pass take", "pass pass draw Kc take"])
def test_a_card_just_taken_may_not_be_discarded_in_that_turn(line: str) -> None:
    hand = played(line, DEAL)
    assert hand.drawn is not None
    assert refused(hand, Discard(hand.drawn)) == "R4.3"
    assert not hand.may_discard() >> hand.drawn & 1
    agreed = played(line, DEAL, Rules(return_taken=True))
    assert agreed.play(Discard(hand.drawn)).pile[-1] == hand.drawn


@pytest.mark.rule("R4.3")
def test_a_card_just_taken_may_not_be_discarded_with_a_knock_either() -> None:
    knocker = holding("3c4c5c 7d7h7s AhAd2h 2d Kc", drawn="Kc", taken=True)
    assert refused(knocker, Knock(card("Kc"))) == "R4.3"
    assert knocker.may() == ("discard",)
    agreed = holding("3c4c5c 7d7h7s AhAd2h 2d Kc", drawn="Kc", taken=True, rules=Rules(return_taken=True))
    assert agreed.play(Knock(card("Kc"))).called is Ending.KNOCK


@pytest.mark.rule("R4.3")
def test_a_drawn_card_may_be_discarded_at_once_and_a_taken_one_in_the_next_turn() -> None:
    assert played("pass pass draw 6c", DEAL).pile == in_order("8d 6c")
    assert played("take Kc draw 6c draw 8d", DEAL).pile == in_order("Kc 6c 8d")


# --- the end of the stock


@pytest.mark.rule("R5.1")
def test_the_hand_is_dead_when_two_cards_are_left_in_the_stock_after_a_discard() -> None:
    last = drained(DEAL)
    assert (last.stock, last.phase) == (2, Phase.DISCARD)
    assert last.drawn is not None
    over = last.play(Discard(last.drawn))
    assert over.result is not None
    assert (over.phase, over.result.ending, over.result.winner, over.result.points) == (Phase.OVER, Ending.DEAD, None, 0)


@pytest.mark.rule("R5.1")
def test_the_player_who_drew_the_third_last_card_may_still_knock() -> None:
    last = drained(dealt("3c4c5c 7d7h7s Ah2h3d4d", "2c2d2s 9h9c9s JdQs5h3h", "8d", bottom="Ad Kh Ks"))
    assert (last.seat, last.drawn, last.stock) == (0, card("Ad"), 2)
    assert last.may() == ("discard", "knock")
    assert last.play(Knock(card("4d"))).phase is Phase.LAY_OFF


@pytest.mark.rule("R5.1")
def test_taking_the_discard_instead_does_not_use_up_the_stock() -> None:
    before = drained(DEAL, left=3)
    assert before.drawn is not None
    taken = before.play(Discard(before.drawn)).play(Take())
    thrown = next(each(taken.may_discard()))
    after = taken.play(Discard(thrown))
    assert (after.stock, after.phase) == (3, Phase.DRAW)


@pytest.mark.rule("R5.2")
def test_in_a_showdown_the_last_discarder_lays_melds_and_the_other_lays_off() -> None:
    last = drained(DEAL, Rules(stock_out="showdown"))
    assert last.drawn is not None
    over = last.play(Discard(last.drawn))
    assert over.called is Ending.SHOWDOWN
    assert over.result is not None
    laid, other = over.laid[last.seat], over.laid[1 - last.seat]
    assert laid
    assert other
    assert laid.deadwood == deadwood(over.cards[last.seat])
    assert laid.lay_offs == ()
    assert over.result.points == abs(over.result.deadwood[0] - over.result.deadwood[1])
    assert over.result.winner == (0 if over.result.deadwood[0] < over.result.deadwood[1] else 1)


LAST_TAKE = Rules(stock_out="last_take")


def last_take(cards_of_taker: str, discard: str, rules: Rules = LAST_TAKE) -> Hand:
    """Return the hand in which seat 0 may take the last discard."""
    hand = holding(cards_of_taker, phase=Phase.LAST_TAKE, rules=rules)
    return replace(hand, pile=in_order(discard), top=50)


@pytest.mark.rule("R5.2")
def test_the_last_discard_may_be_taken_to_knock() -> None:
    hand = last_take("3c4c5c 7d7h Ah2h3h Kc4d", "7s")
    assert hand.may() == ("pass", "take")
    taken = hand.play(Take())
    assert (taken.phase, taken.may()) == (Phase.LAST_KNOCK, ("knock",))
    assert refused(taken, Discard(card("Kc"))) == "R5.2"
    assert taken.play(Knock(card("Kc"))).called is Ending.KNOCK


@pytest.mark.rule("R5.2")
def test_the_last_discard_may_not_be_taken_without_a_knock() -> None:
    hand = last_take("3c4c5c 7d7h Ah2h3h Kc4d", "Qs")
    assert hand.may() == ("pass",)
    assert refused(hand, Take()) == "R5.2"


@pytest.mark.rule("R5.2")
def test_the_last_discard_may_not_be_discarded_with_the_knock() -> None:
    knocks_without_it = "3c4c5c 7d7h7s Ah2h3h 4d"
    assert last_take(knocks_without_it, "Qs").may() == ("pass", "take")  # without the four, the queen leaves ten points
    forbidden = last_take("3c4c5c 7d7h7s Ah2h3h As", "Qs", Rules(stock_out="last_take", knock_limit=5))
    assert forbidden.may() == ("pass",)  # a knock would have to discard the queen again
    allowed = last_take("3c4c5c 7d7h7s Ah2h3h As", "Qs", Rules(stock_out="last_take", knock_limit=5, return_taken=True))
    assert allowed.may() == ("pass", "take")


@pytest.mark.rule("R5.2")
def test_the_last_discard_may_make_big_gin() -> None:
    taken = last_take("3c4c5c 7d7h7s AhAdAs Ac", "7c").play(Take())
    assert taken.may() == ("knock", "big_gin")
    assert taken.play(BigGin()).called is Ending.BIG_GIN


@pytest.mark.rule("R5.2")
def test_the_hand_is_dead_after_a_pass_on_the_last_discard() -> None:
    last = drained(DEAL, LAST_TAKE)
    assert last.drawn is not None
    offered = last.play(Discard(last.drawn))
    assert (offered.phase, offered.seat, offered.may()[0]) == (Phase.LAST_TAKE, 1 - last.seat, "pass")
    over = offered.play(Pass())
    assert over.result is not None
    assert over.result.ending is Ending.DEAD


@pytest.mark.rule("R5.3")
def test_the_hand_is_dead_after_the_discard_that_follows_the_last_allowed_take() -> None:
    rules = Rules(max_takes=3)
    before = played("take Kc take Jd take", DEAL, rules)
    assert (before.takes, before.phase) == (3, Phase.DISCARD)
    over = played("take Kc take Jd take Td", DEAL, rules)
    assert over.result is not None
    assert over.result.ending is Ending.DEAD
    assert played("take Kc take Jd take Td", DEAL, Rules(max_takes=4)).phase is Phase.DRAW


@pytest.mark.rule("R5.3")
@pytest.mark.parametrize("stock_out", ["showdown", "last_take"])
def test_too_many_takes_leave_the_hand_dead_under_every_stock_out(stock_out: str) -> None:
    over = played("take Kc", DEAL, Rules(max_takes=1, stock_out=stock_out))  # type: ignore[arg-type]  # one of its words
    assert over.result is not None
    assert over.result.ending is Ending.DEAD


# --- knocking


@pytest.mark.rule("R6.1")
def test_a_knock_may_leave_ten_points_and_no_more() -> None:
    knocker = holding("3c4c5c 7d7h7s 2h3h5d AcKd", drawn="Kd")
    assert "knock" not in knocker.may()  # 2 + 3 + 5 + 1 is eleven
    assert refused(knocker, Knock(card("Kd"))) == "R6.1"
    ten = holding("3c4c5c 7d7h7s 2h3h4d AcKd", drawn="Kd")
    assert ten.play(Knock(card("Kd"))).laid[0].deadwood == 10  # type: ignore[union-attr]  # the knocker has laid


@pytest.mark.rule("R6.1")
def test_a_knock_limit_of_nine_is_less_than_ten() -> None:
    ten = holding("3c4c5c 7d7h7s 2h3h4d AcKd", drawn="Kd", rules=Rules(knock_limit=9))
    assert ten.may() == ("discard",)
    assert refused(ten, Knock(card("Kd"))) == "R6.1"


@pytest.mark.rule("R6.1")
def test_a_knock_is_never_forced_and_possible_in_the_first_turn() -> None:
    deal = dealt("3c4c5c 7d7h7s 2h3h4d Ac", "2c2d2s 9h9c9s Jd Qs 5h 8h", "8d", "Kd")
    hand = played("pass pass draw", deal)
    assert hand.may() == ("discard", "knock")
    assert hand.play(Discard(card("Kd"))).phase is Phase.DRAW
    knocked = hand.play(Knock(card("Kd")))
    assert (knocked.phase, knocked.seat, knocked.called) == (Phase.LAY_OFF, 1, Ending.KNOCK)
    assert knocked.pile == in_order("8d"), "the discard of a knock is face down"


@pytest.mark.rule("R6.2")
def test_a_knocker_may_declare_any_melds_within_the_limit() -> None:
    knocker = holding("2c3c4c5c 7d7h7s Ah2hAd Kd", drawn="Kd")
    best, declared = knocker.play(Knock(card("Kd"))), knocker.play(Knock(card("Kd"), melds("3c4c5c 7d7h7s")))
    assert best.laid[0] == Laid(melds("2c3c4c5c 7d7h7s"), (), 4)
    assert declared.laid[0] == Laid(melds("3c4c5c 7d7h7s"), (), 6)


@pytest.mark.rule("R6.2")
def test_declared_melds_that_leave_too_much_make_a_knock_illegal_though_better_ones_are_held() -> None:
    knocker = holding("2c3c4c5c 7d7h7s Ah2hAd Kd", drawn="Kd")
    assert refused(knocker, Knock(card("Kd"), melds("2c3c4c5c"))) == "R6.1"


@pytest.mark.rule("R6.2")
def test_wrong_melds_make_a_knock_illegal() -> None:
    knocker = holding("3c4c5c6c 7d7h7s 2h3h Ac Kd", drawn="Kd")
    assert refused(knocker, Knock(card("Kd"), melds("3c4c5c6c 7d7h"))) == "R1.3"
    assert refused(knocker, Knock(card("Kd"), melds("3c4c5c6c 8d8h8s"))) == "R6.2"
    assert refused(knocker, Knock(card("Kd"), melds("3c4c5c 5c6c"))) == "R1.3"
    assert refused(knocker, Knock(card("6c"), melds("3c4c5c6c"))) == "R6.2"


def knock_against(defender: str, *, rules: Rules | None = None, knocker: str = "3c4c5c 7d7h7s 2h3h4d AcKd") -> Hand:
    """Return the hand after seat 0 has knocked with its king of diamonds, seat 1 holding the cards of a text."""
    before = holding(knocker, drawn="Kd", rules=rules)
    held = replace(before, cards=(before.cards[0], cards(defender)))
    return held.play(Knock(card("Kd")))


@pytest.mark.rule("R6.3")
def test_a_defender_lays_melds_and_lays_off_a_chain() -> None:
    hand = knock_against("9d9h9s 6c7c8c Qs Jh 2s Th")
    over = hand.play(LayOff(melds("9d9h9s"), ((card("6c"), 0), (card("7c"), 0), (card("8c"), 0))))
    assert over.laid[1] is not None
    assert over.laid[1].deadwood == points(cards("Qs Jh 2s Th"))


@pytest.mark.rule("R6.3")
@pytest.mark.parametrize("declared", [(), None], ids=["no melds", "melds left to the referee"])
def test_a_lay_off_on_deadwood_or_from_melds_or_that_does_not_fit_is_refused(declared: Melds | None) -> None:
    hand = knock_against("9d9h9s 6c7c Qs Jh 2s Th 8h")
    assert refused(hand, LayOff(declared, ((card("7c"), 0),))) == "R6.3"  # it needs the six
    assert refused(hand, LayOff(declared, ((card("2s"), 2),))) == "R6.3"  # there is no third meld
    assert refused(hand, LayOff(melds("9d9h9s"), ((card("9d"), 0),))) == "R6.3"
    assert refused(hand, LayOff(declared, ((card("Kd"), 0),))) == "R6.3"


@pytest.mark.rule("R6.2")
@pytest.mark.parametrize(("declared", "clause"), [("6c7c8h", "R1.3"), ("9d9h9s 9d9h9s", "R1.5"), ("KcKdKh", "R6.2")])
def test_a_defender_declares_melds_of_its_own_cards(declared: str, clause: str) -> None:
    hand = knock_against("9d9h9s 6c7c Qs Jh 2s Th 8h")
    assert refused(hand, LayOff(melds(declared))) == refused(hand, LayOff(melds(declared), ())) == clause


@pytest.mark.rule("R6.3")
def test_only_the_defender_answers_a_knock_and_only_by_laying() -> None:
    hand = knock_against("9d9h9s 6c7c Qs Jh 2s Th 8h")
    assert hand.may() == ("lay_off",)
    assert refused(hand, Draw()) == "R6.3"
    assert refused(hand.play(LayOff()), LayOff()) == "R5.1"


@pytest.mark.rule("R6.4")
def test_a_defender_who_declares_nothing_keeps_the_fewest_points_over_melds_and_lay_offs() -> None:
    hand = knock_against("6c7c8c 8d8h 9d Qs Jh 2s Th")
    over = hand.play(LayOff())
    assert over.laid[1] is not None
    assert over.laid[1].lay_offs == ((card("6c"), 0), (card("7c"), 0))
    assert over.laid[1].melds == melds("8c8d8h")


@pytest.mark.rule("R6.4")
def test_a_partial_declaration_is_completed_at_its_best() -> None:
    hand = knock_against("6c7c8c 8d8h 9d Qs Jh 2s Th")
    run_alone = hand.play(LayOff(melds("6c7c8c"))).laid[1]
    assert run_alone is not None
    assert run_alone.lay_offs == ()
    six_alone = hand.play(LayOff(None, ((card("6c"), 0),))).laid[1]
    assert six_alone is not None
    assert (six_alone.melds, six_alone.lay_offs) == (melds("8c8d8h"), ((card("6c"), 0),))


@pytest.mark.rule("R6.4")
def test_an_empty_declaration_is_a_declaration() -> None:
    hand = knock_against("6c7c8c 8d8h 9d Qs Jh 2s Th")
    bare = hand.play(LayOff((), ())).laid[1]
    assert bare is not None
    assert (bare.melds, bare.lay_offs, bare.deadwood) == ((), (), points(cards("6c7c8c8d8h9dQsJh2sTh")))


def test_a_lay_off_is_refused_when_the_knocker_has_no_meld() -> None:
    hand = knock_against("9d9h9s6c7cQsJh2sTh8h", knocker="Ac3c5c7c9dJdAh3h5h7hKd", rules=Rules(knock_limit=100))
    assert hand.laid[0] is not None
    assert hand.laid[0].melds == ()
    with pytest.raises(IllegalActionError, match=r"the knocker has no meld number 0, only 0, counted from 0 \(R6.3\)"):
        hand.play(LayOff((), ((card("6c"), 0),)))


@pytest.mark.rule("R6.5")
def test_the_knocker_scores_the_difference_after_lay_offs() -> None:
    over = knock_against("9d9h9s 6c QsJh2sTd8h4s").play(LayOff())
    assert over.result is not None
    assert (over.result.ending, over.result.winner) == (Ending.KNOCK, 0)
    assert over.result.points == points(cards("QsJh2sTd8h4s")) - 10


@pytest.mark.rule("R6.6")
def test_lay_offs_may_make_an_undercut() -> None:
    over = knock_against("9c9d9h9s 6c7c 2sAsAd4s").play(LayOff())
    assert over.result is not None
    assert (over.result.ending, over.result.winner, over.result.points) == (Ending.UNDERCUT, 1, 10 - 8 + 25)


@pytest.mark.rule("R6.6")
def test_equal_deadwood_is_an_undercut_unless_a_tie_scores_nothing() -> None:
    ten = "9d9h9s 6s6h6d 2s As 3d 4s"
    over = knock_against(ten).play(LayOff())
    assert over.result is not None
    assert (over.result.ending, over.result.winner, over.result.points) == (Ending.UNDERCUT, 1, 25)
    nothing = knock_against(ten, rules=Rules(tie="nothing")).play(LayOff())
    assert nothing.result is not None
    assert (nothing.result.ending, nothing.result.winner, nothing.result.points) == (Ending.KNOCK, None, 0)


# --- gin


GIN = "3c4c5c 7d7h7s AcAdAhAs Kd"


@pytest.mark.rule("R7.1")
@pytest.mark.parametrize("shape", [GIN, "3c4c5c6c7c 7d8d9dTdJd Kd", "3c4c5c6c7c8c9cTcJcQc Kd"])
def test_ten_melded_cards_are_gin_in_any_shape(shape: str) -> None:
    hand = holding(shape, drawn="Kd").play(Knock(card("Kd")))
    assert hand.called is Ending.GIN
    over = hand.play(LayOff())
    assert over.result is not None
    assert (over.result.ending, over.result.points) == (Ending.GIN, 25 + over.result.deadwood[1])


@pytest.mark.rule("R7.2")
def test_nothing_is_laid_off_on_gin_unless_the_option_allows_it() -> None:
    defender = "9d9h9s 6c QsJh2sTh8h4s"
    hand = knock_against(defender, knocker=GIN)
    assert refused(hand, LayOff((), ((card("6c"), 0),))) == "R7.2"
    strict, lenient = (
        hand.play(LayOff()).result,
        knock_against(defender, knocker=GIN, rules=Rules(layoff_on_gin=True)).play(LayOff()),
    )
    assert strict is not None
    assert lenient.result is not None
    assert lenient.result.points == strict.points - 6


@pytest.mark.rule("R7.3")
def test_a_knock_that_leaves_nothing_is_gin_and_cannot_be_undercut() -> None:
    over = knock_against("9c9d9h9s 6d6h6s 2c2h2s", knocker=GIN).play(LayOff())
    assert over.result is not None
    assert over.result.deadwood == (0, 0)
    assert (over.result.ending, over.result.winner, over.result.points) == (Ending.GIN, 0, 25)


@pytest.mark.rule("R7.3")
def test_gin_with_too_few_declared_melds_is_a_knock() -> None:
    hand = holding(GIN, drawn="Kd").play(Knock(card("Kd"), melds("3c4c5c 7d7h7s")))
    assert hand.called is Ending.KNOCK
    assert hand.laid[0] is not None
    assert hand.laid[0].deadwood == 4


BIG = "3c4c5c6c 7d7h7s AcAdAhAs"


@pytest.mark.rule("R8.1")
def test_eleven_melded_cards_may_be_laid_without_a_discard() -> None:
    hand = holding(BIG, drawn="6c")
    assert hand.may() == ("discard", "knock", "big_gin")
    over = hand.play(BigGin()).play(LayOff())
    assert over.result is not None
    assert over.cards[0].bit_count() == 11
    assert (over.result.ending, over.result.points) == (Ending.BIG_GIN, 31 + over.result.deadwood[1])


@pytest.mark.rule("R8.1")
def test_big_gin_is_not_forced_takes_no_lay_offs_and_needs_all_eleven() -> None:
    hand = holding(BIG, drawn="6c", rules=Rules(layoff_on_gin=True))
    assert hand.play(Discard(card("6c"))).phase is Phase.DRAW
    assert hand.play(Knock(card("6c"))).called is Ending.GIN
    called = hand.play(BigGin(melds("3c4c5c6c 7d7h7s AcAdAhAs")))
    assert refused(called, LayOff((), ((card("2c"), 0),))) == "R8.1"
    assert refused(hand, BigGin(melds("3c4c5c 7d7h7s AcAdAhAs"))) == "R8.1"
    assert refused(holding(GIN, drawn="Kd"), BigGin()) == "R8.1"


@pytest.mark.rule("R7.1")
@pytest.mark.rule("R8.1")
def test_the_points_list_pays_gin_20_and_big_gin_31_whatever_the_defender_holds() -> None:
    deal = dealt("3c4c5c 7d7h7s AcAdAhAs", "KcKh QdQs JcJh 2h 3h 4d 5s", "8d", "6c")
    gin, big = (played(f"draw {called} lay_off", deal, PointsList()).result for called in ("knock:6c", "big_gin"))
    assert gin == HandResult(Ending.GIN, 0, 20, (0, 74))
    assert big == HandResult(Ending.BIG_GIN, 0, 31, (0, 74))


@pytest.mark.rule("R8.1")
def test_big_gin_is_refused_under_rules_without_it() -> None:
    hand = holding(BIG, drawn="6c", rules=Rules(big_gin_bonus=None))
    assert hand.may() == ("discard", "knock")
    assert refused(hand, BigGin()) == "R8.1"


# --- the worked knocks of S1, in which every card counts as deadwood

SMALL = "AcAd 2h2s 3c3d 4h4s 9c Kd"
LARGE = "KcKh QdQs JcJh Ah 3h 4c 5d"
ANY_KNOCK = PointsList(knock_limit=100)
STRAY = "6s"  # drawn, and discarded with the knock


def knocked_unmelded(knocker: str, defender: str) -> HandResult:
    """Return the result of a knock after the first draw, which discards the drawn card."""
    line = f"draw knock:{STRAY} lay_off"
    result = played(line, dealt(knocker, defender, "8d", STRAY), ANY_KNOCK).result
    assert result is not None
    return result


@pytest.mark.rule("R1.2")
def test_the_worked_hands_of_s1_without_a_meld_count_39_and_73() -> None:
    assert (points(cards(SMALL)), points(cards(LARGE))) == (39, 73)
    assert (deadwood(cards(SMALL)), deadwood(cards(LARGE))) == (39, 73)


@pytest.mark.rule("R6.5")
def test_a_knock_of_39_against_73_scores_34() -> None:
    assert knocked_unmelded(SMALL, LARGE) == HandResult(Ending.KNOCK, 0, 34, (39, 73))


@pytest.mark.rule("R6.6")
def test_a_knock_of_73_against_39_is_undercut_for_34_and_the_bonus_of_10() -> None:
    assert knocked_unmelded(LARGE, SMALL) == HandResult(Ending.UNDERCUT, 1, 44, (73, 39))


# --- the value


def test_a_hand_has_no_field_that_can_be_set() -> None:
    with pytest.raises(AttributeError):
        Hand.start(DEAL, Rules()).seat = 1  # type: ignore[misc]  # that it is refused is the point


@pytest.mark.parametrize("held", ["3c4c5c 7d7h7s JhQhKh Ac", "3c4c5c 7d7h7s JhQhKh Ac 9d"])
def test_a_hand_that_is_built_has_each_card_in_one_place(held: str) -> None:
    hand = holding(held)
    places = (*hand.cards, bits(hand.pile), bits(hand.deck[hand.top : hand.bottom]))
    assert sum(places) == DECK


def test_an_action_in_the_wrong_phase_is_refused_with_its_clause() -> None:
    with pytest.raises(IllegalActionError, match=r"^draw in phase discard \(R4.2\)$"):
        played("pass pass draw", DEAL).play(Draw())


def test_every_phase_has_moves() -> None:
    assert MOVES.keys() == set(Phase)
