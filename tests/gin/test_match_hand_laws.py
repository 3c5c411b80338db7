"""Properties that hold for every hand, whatever is played."""

import pytest
from hypothesis import given, settings
from support.hands import strategies
from support.hands.builders import RULESETS, every_action
from support.hands.by_chance import play_out
from support.sizes import size

from arena.gin.actions import Action, Discard, IllegalActionError, Knock, Take, acting_seats, write_actions
from arena.gin.cards import DECK, each
from arena.gin.deal import Deal
from arena.gin.match import Hand, Phase, replay, walk
from arena.gin.melds import deadwood, points, union
from arena.gin.moves import check_melds
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.shuffling import shuffle


@given(strategies.play_outs())
def test_every_legal_play_out_ends(play_out: strategies.PlayOut) -> None:
    states, actions = play_out
    assert states[-1].phase is Phase.OVER
    assert states[-1].may() == ()
    takes = states[-1].rules.max_takes
    assert len(actions) <= 2 + 2 * (29 + takes) + 3  # passes; draws and takes, each with a discard; a last take, a knock, a lay-off


@given(strategies.play_outs())
def test_a_walk_shows_every_state_of_a_hand_up_to_an_illegal_action(play_out: strategies.PlayOut) -> None:
    states, actions = play_out
    deal, rules = Deal(states[0].deck, states[0].dealer), states[0].rules
    assert list(walk(deal, rules, actions)) == states
    assert replay(deal, rules, actions) == states[-1]
    steps = walk(deal, rules, (*actions, Take()))
    assert [next(steps) for _ in states] == states
    with pytest.raises(IllegalActionError):
        next(steps)


@given(strategies.play_outs())
def test_the_line_of_a_hand_says_which_seat_made_each_action(play_out: strategies.PlayOut) -> None:
    states, actions = play_out
    assert list(acting_seats(write_actions(actions), states[0].dealer)) == [state.seat for state in states[:-1]]


@given(strategies.play_outs())
def test_no_card_is_lost_or_duplicated(play_out: strategies.PlayOut) -> None:
    for hand in play_out[0]:
        places = [*hand.cards, *(1 << one for one in hand.pile), *(1 << one for one in hand.deck[hand.top : hand.bottom])]
        face_down = int(hand.called in (Ending.KNOCK, Ending.GIN))
        assert sum(place.bit_count() for place in places) == 52 - face_down
        assert union(tuple(places)).bit_count() == 52 - face_down
        assert union(tuple(places)) & ~DECK == 0


@settings(max_examples=size(15, 300))
@given(strategies.play_outs())
def test_may_names_exactly_the_kinds_of_action_that_play_accepts(play_out: strategies.PlayOut) -> None:
    for hand in play_out[0]:
        accepted = {action.kind for action in every_action() if accepts(hand, action)}
        assert set(hand.may()) == accepted
        assert len(hand.may()) == len(accepted)


@given(strategies.play_outs())
def test_may_discard_names_exactly_the_cards_that_play_accepts(play_out: strategies.PlayOut) -> None:
    for hand in play_out[0]:
        if hand.phase is Phase.DISCARD:
            assert sum(1 << one for one in range(52) if accepts(hand, Discard(one))) == hand.may_discard()
        if hand.phase in (Phase.DISCARD, Phase.LAST_KNOCK):
            assert all(hand.may_discard() >> one & 1 for one in range(52) if accepts(hand, Knock(one)))


def accepts(hand: Hand, action: Action) -> bool:
    try:
        hand.play(action)
    except IllegalActionError:
        return False
    return True


@given(strategies.play_outs())
def test_playing_an_action_does_not_change_the_earlier_hand(play_out: strategies.PlayOut) -> None:
    states, actions = play_out
    for hand, action, following in zip(states, actions, states[1:], strict=False):
        before = hash(hand)
        assert hand.play(action) == following
        assert hash(hand) == before
        assert hand != following


@given(strategies.play_outs())
def test_a_replay_of_the_actions_gives_the_same_hand(play_out: strategies.PlayOut) -> None:
    states, actions = play_out
    start = states[0]
    deal = Deal(start.deck, start.dealer)
    assert replay(deal, start.rules, actions) == states[-1]


@settings(max_examples=size(60, 300))
@given(strategies.play_outs())
def test_a_result_gives_points_to_one_seat_and_follows_from_what_was_laid(play_out: strategies.PlayOut) -> None:
    over = play_out[0][-1]
    result = over.result
    assert result is not None
    assert result.points >= 0
    assert result.winner in (0, 1, None)
    assert result.points == 0 or result.winner is not None
    for seat in (0, 1):
        laid = over.laid[seat]
        if laid:
            check_melds(laid.melds, over.cards[seat])
            rest = over.cards[seat] & ~union(laid.melds) & ~sum(1 << one for one, _ in laid.lay_offs)
            assert result.deadwood[seat] == laid.deadwood == points(rest)
        else:
            assert result.deadwood[seat] == deadwood(over.cards[seat])


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_every_play_out_ends_under_every_ruleset(rules: Rules) -> None:
    for number in range(60):
        deal = Deal(shuffle(f"play-out {number}"), number & 1)
        assert play_out(deal, rules, number)[0][-1].result is not None


@pytest.mark.rule("R5.3")
@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_a_hand_ends_even_if_both_seats_always_take_each_others_discards(rules: Rules) -> None:
    hand = Hand.start(Deal(shuffle("takers"), 0), rules)
    actions = 0
    while hand.result is None:
        hand = hand.play(Take() if "take" in hand.may() else Discard(max(each(hand.may_discard()))))
        actions += 1
    assert (hand.takes, hand.result.ending) == (50, Ending.DEAD)
    assert actions == 100
