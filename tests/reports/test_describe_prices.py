"""A decision and its price, as a replay says them."""

import pytest
from msgspec.structs import replace

from arena.reports.priced_turns import priced_turns, worst_decision
from arena.reports.reviewed import review_lines
from arena.review.summary import KINDS, BotReview, DecisionPrice, ListedDecision, Review, TriedPrice

BLUNDER = ListedDecision(
    bot="you",
    fixture="you:greedy/0",
    hand="0.3",
    turn=12,
    seat=1,
    kind="discard",
    action="7h",
    best="knock:Kd:melds=3c4c5c",
    price=9.24,
    se=0.5,
    error=8.0,
    worth=-2.0,
    confirmed=8.4,
    mark="blunder",
    tried=(
        TriedPrice("knock:Kd", 0.0, 0.0),
        TriedPrice("knock:Kd:melds=3c4c5c", 0.0, 0.0),
        TriedPrice("2c", 1.0, 0.6),
        TriedPrice("9d", 4.5, 0.5),
        TriedPrice("7h", 9.4, 0.5),
    ),
)
NOTHING = "The review found nothing better than this."


@pytest.mark.parametrize(
    ("one", "verdict"),
    [
        (BLUNDER, "This was a blunder: it gave up 9.2 ± 1.0 points (8.4 with a stronger player's play); better: knock with K♦."),
        (
            replace(BLUNDER, mark="inaccuracy", confirmed=None),
            "This was an inaccuracy: it gave up 9.2 ± 1.0 points; better: knock with K♦.",
        ),
        (replace(BLUNDER, mark="", confirmed=None, price=1.5), "It gave up 1.5 ± 1.0 points; better: knock with K♦."),
        (replace(BLUNDER, mark="", confirmed=None, price=0.5), "It may have given up 0.5 ± 1.0 points; better: knock with K♦."),
        (replace(BLUNDER, mark="", price=-0.5), NOTHING),
        (replace(BLUNDER, mark="", confirmed=-0.5), NOTHING),
        (replace(BLUNDER, mark="", best="7h"), NOTHING),
    ],
)
def test_a_replay_says_what_a_decision_gave_up_and_what_was_better(one: ListedDecision, verdict: str) -> None:
    (turn,) = priced_turns([one])
    assert turn.verdict == verdict
    assert (turn.advice == "") is (verdict == NOTHING)


def test_a_replay_says_before_a_turn_what_would_be_best_in_it() -> None:
    (turn,) = priced_turns([BLUNDER])
    assert turn.advice == "best in turn 12: knock with K♦, 9.2 points better"
    assert (turn.hand, turn.turn, turn.seat, turn.mark, turn.worth) == ("0.3", 12, 1, "blunder", -2.0)


def test_each_choice_of_a_marked_decision_has_a_verdict_and_their_order_does_not_tell_the_best() -> None:
    (turn,) = priced_turns([BLUNDER])
    assert [(one.words, one.mark, one.verdict) for one in turn.choices] == [
        ("knock with K♦", "", "This is the best that the review found."),
        ("throw 2♣", "", "The review cannot tell this from the best, knock with K♦: it gives up 1.0 ± 1.2 points."),
        ("throw 7♥", "blunder", f"This was played. {turn.verdict}"),
        ("throw 9♦", "mistake", "This gives up 4.5 ± 1.0 points; better: knock with K♦."),
    ]
    (unmarked,) = priced_turns([replace(BLUNDER, mark="")])
    assert unmarked.choices == ()


def test_a_knock_that_is_worse_only_by_its_melds_differs_in_words_from_the_best() -> None:
    one = replace(BLUNDER, action="knock:Kd:melds=7c7d7h", best="knock:Kd", confirmed=None)
    (turn,) = priced_turns([one])
    assert turn.verdict.endswith("better: knock with K♦ with other melds.")
    assert turn.advice == "best in turn 12: knock with K♦ with other melds, 9.2 points better"
    price = DecisionPrice(12, one.action, one.best, one.price, one.se, {"knock": one.price}, {}, one.worth)
    assert worst_decision(price).startswith("knock with K♦; better: knock with K♦ with other melds, by ")
    lines = list(review_lines(Review(bots={"you": EVEN}, decisions=(one,)), "run"))
    assert any("knock with Kd, better knock with Kd with other melds, blunder" in line for line in lines)


EVEN = BotReview(
    hands=1,
    priced_hands=1,
    decisions=1,
    error_rate=0.0,
    se=None,
    kinds=dict.fromkeys(KINDS, 0.0),
    kinds_se=dict.fromkeys(KINDS),
    price=0.0,
    points=-0.001,
    luck=-0.001,
    points_less_luck=-0.001,
    marks={},
)


def test_zero_has_no_minus_sign_in_a_review() -> None:
    lines = list(review_lines(Review(bots={"you": EVEN}, decisions=()), "run"))
    assert "  result +0.00 points a hand: luck of the draws +0.00, the rest +0.00" in lines
