"""A view holds what a seat may know (R4.4) and nothing else, in every hand."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.hands import strategies
from support.hands.builders import FIRST, cards, dealt, in_order, melds, played
from support.sizes import size

from arena.gin.cards import VALUES, bits, card, each
from arena.gin.match import Hand, Phase, Scoreline
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult
from arena.gin.seeing import disclose, see, watch
from arena.protocol.codec import encode
from arena.protocol.notation import turn

DEAL = dealt("3c4c5c 7d7h7s Ah2h KcTd", "2c2d2s 9h9c9s Jd Qs 5h 3h", "8d", "6c Kh Tc 4s")


@pytest.mark.rule("R4.4")
def test_a_view_shows_the_open_cards_with_the_seats_own_values_first() -> None:
    hand = played("take Kc take Jd draw", DEAL)
    view = see(hand, Scoreline(game=1, hand=3, score=(20, 70), games=(1, 0)))
    assert (view.game, view.hand, view.score, view.games, view.dealer) == (1, 3, (20, 70), (1, 0), False)
    assert (view.phase, view.may, view.rules) == (Phase.DISCARD, ("discard",), Rules())
    assert view.cards == cards("3c4c5c 7d7h7s Ah2h Td 8d 6c")
    assert (view.drawn, view.pile, view.stock) == (card("6c"), in_order("Jd"), 30)
    assert view.took == (cards("8d"), cards("Kc"))
    assert view.threw == (cards("Kc"), cards("Jd"))
    assert view.opponent_holds == cards("Kc")
    assert view.knocker is None


@pytest.mark.rule("R4.4")
def test_the_other_seat_sees_the_same_with_its_own_values_first() -> None:
    view = see(played("take Kc", DEAL), Scoreline(game=0, hand=0, score=(20, 70), games=(1, 0)))
    assert (view.score, view.games, view.dealer) == ((70, 20), (0, 1), True)
    assert view.cards == cards("2c2d2s 9h9c9s Jd Qs 5h 3h")
    assert (view.took, view.threw) == ((0, cards("8d")), (0, cards("Kc")))
    assert view.upcard == card("Kc")
    assert view.may_discard == 0


@pytest.mark.rule("R4.4")
def test_the_seat_that_waits_sees_its_own_cards_and_nothing_of_the_turn() -> None:
    view = watch(played("take Kc draw", DEAL), Scoreline(game=0, hand=0, score=(20, 70), games=(1, 0)))
    assert (view.score, view.games, view.dealer, view.may) == ((20, 70), (1, 0), False, ())
    assert view.cards == cards("3c4c5c 7d7h7s Ah2h Td 8d")
    assert (view.drawn, view.may_discard, view.knocker) == (None, 0, None)
    assert view.opponent_holds == 0


@pytest.mark.rule("R4.4")
def test_a_knock_shows_the_knockers_melds_and_points_but_not_its_deadwood() -> None:
    deal = dealt("3c4c5c 7d7h7s 2h3h4d Ac", "2c2d2s 9h9c9s Jd Qs 5h 8h", "8d", "Kd")
    hand = played("pass pass draw knock:Kd", deal)
    view = see(hand, FIRST)
    assert watch(hand, FIRST).knocker is None, "the knocker itself faces no melds"
    assert view.knocker is not None
    assert (view.knocker.melds, view.knocker.deadwood, view.knocker.lay_offs) == (melds("3c4c5c 7d7h7s"), 10, True)
    assert view.unseen & cards("2h3h4dAcKd") == cards("2h3h4dAcKd")


def shuffle_unseen(hand: Hand, chance: Random) -> Hand:
    """Return the hand with all cards shuffled that the acting seat has not seen; after a knock the deadwood keeps its points."""
    seat, other = hand.seat, 1 - hand.seat
    laid = hand.laid[other]
    shown = bits(one for meld in (laid.melds if laid else ()) for one in each(meld))
    known = hand.cards[seat] | bits(hand.pile) | shown | (hand.took[other] & hand.cards[other] if not laid else 0)
    order = [one for one in range(52) if not known >> one & 1]
    mixed = list(order)
    if laid:
        mixed.sort(key=lambda one: (VALUES[one], chance.random()))
        order.sort(key=lambda one: (VALUES[one], one))
    else:
        chance.shuffle(mixed)
    becomes = dict(zip(order, mixed, strict=True))
    held = bits(becomes.get(one, one) for one in each(hand.cards[other]))
    both = (hand.cards[seat], held) if seat == 0 else (held, hand.cards[seat])
    return replace(hand, cards=both, deck=tuple(becomes.get(one, one) for one in hand.deck))


@pytest.mark.rule("R4.4")
@settings(max_examples=size(60, 200))
@given(strategies.play_outs(), st.integers(0, 1 << 32))
def test_no_hidden_card_changes_a_byte_of_a_turn(play_out: strategies.PlayOut, seed: int) -> None:
    chance = Random(seed)
    for hand in play_out[0][:-1]:
        line = encode(turn(see(hand, FIRST)))
        other = shuffle_unseen(hand, chance)
        assert encode(turn(see(other, FIRST))) == line


@pytest.mark.process
def test_the_play_outs_of_these_tests_reach_every_phase() -> None:
    reached: set[Phase] = set()

    @settings(max_examples=size(60, 200))
    @given(strategies.play_outs())
    def collect(play_out: strategies.PlayOut) -> None:
        reached.update(hand.phase for hand in play_out[0])

    collect()
    assert reached == set(Phase)


@given(strategies.play_outs())
def test_known_and_unseen_cards_make_up_the_deck(play_out: strategies.PlayOut) -> None:
    for hand in play_out[0][:-1]:
        view = see(hand, FIRST)
        assert view.opponent_holds & ~hand.cards[1 - hand.seat] == 0 or hand.phase is Phase.LAY_OFF
        in_stock = bits(hand.deck[hand.top : hand.bottom])
        assert in_stock & ~view.unseen == 0
        assert (view.cards | bits(view.pile) | view.opponent_holds | view.unseen).bit_count() == 52


@pytest.mark.rule("R4.4")
@given(strategies.play_outs())
def test_no_outcome_is_disclosed_before_the_end_of_a_hand(play_out: strategies.PlayOut) -> None:
    states, _ = play_out
    result = states[-1].result
    assert result is not None
    for hand in states[:-1]:
        with pytest.raises(ValueError, match=f"the hand is not over; its phase is {hand.phase}"):
            disclose(hand, result, FIRST, (0, 0), 0)


@pytest.mark.rule("R4.4")
@given(strategies.play_outs())
def test_after_the_end_both_seats_see_everything_with_their_own_values_first(play_out: strategies.PlayOut) -> None:
    over = play_out[0][-1]
    assert over.result is not None
    standing = Scoreline(game=1, hand=2, score=(30, 40), games=(0, 2))
    zero, one = (disclose(over, over.result, standing, (0, 3), seat) for seat in (0, 1))
    assert (zero.cards, one.cards) == (over.cards, over.cards[::-1])
    assert (zero.melds, zero.deadwood) == (one.melds[::-1], one.deadwood[::-1])
    gained = [over.result.points if over.result.winner == seat else 0 for seat in (0, 1)]
    assert zero.score == one.score[::-1] == (30 + gained[0], 40 + gained[1])
    assert (zero.games, one.games) == ((0, 3), (3, 0))
    assert zero.points == one.points == over.result.points
    assert (zero.won is None) == (one.won is None) == (over.result.winner is None)
    assert zero.won is None or zero.won is not one.won
    assert zero.lay_offs == one.lay_offs


def test_a_hand_ended_by_a_fault_is_disclosed_as_it_stands() -> None:
    hand = played("take", DEAL)
    outcome = disclose(hand, HandResult(Ending.FAULT, 1, 25, (0, 0)), FIRST, (0, 0), 0)
    assert (outcome.ending, outcome.won, outcome.melds, outcome.cards) == (Ending.FAULT, False, ((), ()), hand.cards)


# --- repr


def test_a_view_is_printed_with_its_cards_in_notation() -> None:
    hand = played("take Kc take Jd draw", DEAL)
    assert str(see(hand, Scoreline(game=1, hand=3, score=(20, 70), games=(1, 0)))) == (
        "View(rules='tournament', game=1, hand=3, score=(20, 70), columns=(), games=(1, 0), knock_limit=10, multiplier=1, "
        "dealer=False, phase='discard', may=('discard',), cards='3c4c5c6c7d8dTdAh2h7h7s', "
        "may_discard='3c4c5c6c7d8dTdAh2h7h7s', drawn='6c', pile='Jd', stock=30, "
        "took=('8d', 'Kc'), threw=('Kc', 'Jd'), knocker=None)"
    )


def test_a_knock_and_an_outcome_are_printed_with_their_cards_in_notation() -> None:
    deal = dealt("3c4c5c 7d7h7s 2h3h4d Ac", "2c2d2s 9h9c9s Jd Qs 5h 8h", "8d", "Kd")
    asked = played("pass pass draw knock:Kd", deal)
    assert "drawn=None, pile='8d'" in str(see(asked, FIRST))
    assert "knocker=Knocker(melds=('3c4c5c', '7d7h7s'), deadwood=10, lay_offs=True))" in str([see(asked, FIRST)])
    over = played("pass pass draw knock:Kd lay_off:melds=9c9h9s:on=2c0", deal)
    assert over.result is not None
    assert str(disclose(over, over.result, FIRST, (0, 0), 0)) == (
        "Outcome(game=0, hand=0, ending='knock', won=True, points=27, multiplier=1, "
        "cards=('Ac3c4c5c4d7d2h3h7h7s', '2c9c2dJd5h8h9h2s9sQs'), "
        "melds=(('3c4c5c', '7d7h7s'), ('9c9h9s',)), lay_offs=(('2c', 0),), deadwood=(10, 37), score=(27, 0), columns=(), "
        "games=(0, 0))"
    )
