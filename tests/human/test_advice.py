"""The hint at a table is the reviewer's: a legal move, and no better than the reviewer by the review of the hand."""

import re

import pytest
from msgspec.structs import replace
from support.hands.builders import FIRST, RULESETS, holding

from arena.gin.actions import Action, Pass, Phase, write_actions
from arena.gin.cards import card
from arena.gin.deal import Deal, Deals
from arena.gin.match import Hand, Match
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.human import advising
from arena.human.advice import hint, reason
from arena.human.advising import advise
from arena.human.table_reviews import SEED
from arena.results.review_tasks import RunHand, SeatReview, price
from arena.review import habits
from arena.review.hand_walks import step_of, steps
from arena.review.reviewer import Reviewer
from arena.review.summary import Place, errors_by_kind, mean
from arena.sdk.named_moves import moves
from arena_bots.greedy import Greedy

RULES = Rules(target=20, best_of=1)  # most matches last one to three hands


def play(number: int) -> list[RunHand]:
    """Return the hands of a match in which seat 0 follows every hint, and seat 1 is greedy."""
    match, bot, hands = Match.start(RULES, Deals(str(number), "a")), Greedy(), list[RunHand]()
    while not match.over:
        deal, standing, actions = match.deal(), match.standing, list[Action]()
        hand = Hand.start(deal, RULES)
        while hand.result is None:
            view = see(hand, standing)
            actions.append(bot.answer(view) if hand.seat else advise(view).move.action)
            hand = hand.play(actions[-1])
        place = Place("you:greedy/0/0", standing.game, standing.hand)
        hands.append(
            RunHand(place=place, seats=("you", "greedy"), deal=deal, actions=write_actions(tuple(actions)), points=0, half=0)
        )
        match = match.add(hand.result)
    return hands


def test_what_a_seat_sees_is_priced_as_the_decision_of_the_hand_is() -> None:
    deal = Deal(shuffle("a hand"), 1)
    (step,) = steps(deal, Rules(), [moves(see(Hand.start(deal, Rules()), FIRST))["pass"].action])
    reviewer = Reviewer(Rules(), SEED, walks=8)
    assert reviewer.rank(step, habits.usual_habits()) == reviewer.rank(step_of(step.view, step.action), habits.usual_habits())


def test_the_hint_is_the_reviewers_and_says_what_the_next_best_moves_give_up() -> None:
    view = see(Hand.start(Deal(shuffle("a hand"), 1), Rules()), FIRST)
    found = advise(view)
    assert found.move in moves(view).values()
    assert found.why == reason(view, found.move)
    assert (found.ranked[0].move, found.ranked[0].loss) == (found.move, 0)
    losses = [one.loss for one in found.ranked]
    assert losses == sorted(losses)
    assert all(one.se > 0 for one in found.ranked[1:])
    behind = r"(pass|take \w\w): \d+\.\d ± \d+\.\d points a hand less"
    assert re.fullmatch(f"{re.escape(found.why)}; ({behind}|all else is clearly worse)", found.text)


def test_the_reason_for_a_throw_is_what_it_leaves() -> None:
    view = see(holding("3c4c5c 7d7h7s JhQhKh Ac 9d", drawn="9d"), FIRST)
    assert reason(view, moves(view)["Ac"]).startswith("9 points of deadwood are left")


def test_where_there_is_no_choice_the_hint_says_so() -> None:
    hand = holding("3c4c5c 7d7h7s JhQhKh 4d", phase=Phase.FIRST_DRAW)
    assert advise(see(hand, FIRST)).why == "there is nothing else to do"


def test_the_quick_hint_to_take_the_last_discard_names_the_knock_and_no_meld() -> None:
    hand = holding("3c4c5c 7d7h7s JhQhKh 4d", phase=Phase.LAST_TAKE, rules=RULESETS["fiftieth-card"])
    assert hint(see(replace(hand, pile=(card("2s"),)), FIRST)).why == "it is the last chance to knock"


def test_the_quick_hint_does_not_deny_a_meld_that_would_break_another() -> None:
    hand = holding("Ac3c2d3d4h6h7h8h3s6s", phase=Phase.DRAW)
    assert hint(see(replace(hand, pile=(card("6d"),)), FIRST)).why == "6d joins no meld that leaves less deadwood"


def test_no_hint_sees_the_worlds_that_judge_it_later() -> None:
    step = step_of(see(Hand.start(Deal(shuffle("a hand"), 1), RULES), FIRST), Pass())
    hinted, reviewed = (Reviewer(RULES, seed, walks=8).rank(step, habits.usual_habits()) for seed in (advising.SEED, SEED))
    assert {one.loss for one in hinted[1:]}.isdisjoint(one.loss for one in reviewed[1:])


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_who_follows_every_hint_of_twenty_matches_plays_as_well_as_the_reviewer() -> None:
    errors = [
        sum(errors_by_kind(price(SeatReview(hand, 0, habits.usual_habits()), RULES, SEED).decisions).values())
        for number in range(20)
        for hand in play(number)
    ]
    found = mean(errors)
    assert found.se is not None
    assert abs(found.points) <= 2 * found.se
