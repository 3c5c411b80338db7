"""What a review says to a person about its own play."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.human.persons_review import NOTHING, in_words
from arena.review.summary import DecisionPrice, Place, ReviewedHand


def hand(number: int, *decisions: DecisionPrice, points: int = 0, luck: float = 0.0) -> ReviewedHand:
    return ReviewedHand(place=Place("x", 0, number), bot="you", seat=0, points=points, luck=luck, decisions=decisions)


def decision(turn: int, price: float, error: float) -> DecisionPrice:
    return DecisionPrice(turn, "Kd", "2c", price, 0.5, {"discard": price}, {"discard": error}, 0.0)


FIRST = hand(0, decision(3, 0.9, 0.2), points=8)
BETTER = "You played 1.5 points better than the reviewer would have"
REST = "the cards dealt and the other player's play"
SECOND = hand(1, decision(3, 2.5, 1.0), decision(9, 8.5, 4.2), points=-19, luck=-6.04)


@pytest.mark.parametrize(
    ("reviewed", "text"),
    [
        (FIRST, "You played as well as the reviewer would have; the draws favoured neither player; {rest} brought you 8.2 points."),
        (
            SECOND,
            "You played 5.2 points worse than the reviewer would have; the draws cost you 6.0 points; {rest} cost you 7.8 points.",
        ),
        (
            hand(2, decision(1, -1.0, -1.5), luck=2.0),
            f"{BETTER}; the draws brought you 2.0 points; {{rest}} cost you 3.5 points.",
        ),
    ],
)
def test_a_hand_is_reviewed_in_words(reviewed: ReviewedHand, text: str) -> None:
    last = in_words([reviewed]).last
    assert (last.title, last.text) == (f"Review of game 1, hand {reviewed.place.hand + 1}", text.format(rest=REST))


def test_the_dearest_decision_of_a_hand_is_that_which_cost_most_beyond_doubt() -> None:
    last = in_words([FIRST, SECOND]).last
    assert (
        last.worst_decision
        == "Your costliest decision: game 1, hand 2, turn 9: throw K♦; better: throw 2♣, by 8.5 ± 1.0 points, a blunder."
    )
    assert last.place == "0.1/9"
    doubtful = replace(decision(5, 3.0, 3.0), se=2.0)
    doubted = in_words([hand(0, decision(3, 0.0, 0.0), doubtful)]).last
    assert doubted.worst_decision.endswith("turn 5: throw K♦; better: throw 2♣, by 3.0 ± 4.0 points.")
    denied = replace(decision(5, 9.0, 3.0), confirmed=-4.0)  # by a stronger player's play
    assert in_words([hand(0, denied, doubtful)]).last.place == "0.0/5"
    assert in_words([hand(0, denied)]).last.worst_decision == NOTHING
    nothing = in_words([FIRST]).last
    assert (nothing.worst_decision, nothing.place) == (NOTHING, "")


def test_a_match_is_reviewed_over_all_its_hands_in_their_order() -> None:
    third = hand(2, points=-1, luck=0.1)
    found = in_words([SECOND, FIRST, third])
    assert found.match.title == "Review of the match"
    assert found.match.text == (
        f"In 3 hands you lost 12 points; the draws cost you 5.9 points, {REST} cost you 0.7 points,"
        " and you played as well as the reviewer would have: −1.80\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}3.40 points a hand."
    )
    assert found.match.place == "0.1/9"
    assert [(one.hand, one.result, one.luck, one.play, one.rest) for one in found.hands] == [
        ("0.0", "+8", "+0.0", "−0.2", "+8.2"),
        ("0.1", "−19", "−6.0", "−5.2", "−7.8"),
        ("0.2", "−1", "+0.1", "+0.0", "−1.1"),
    ]


@given(st.integers(-120, 120), st.floats(-60, 60), st.floats(-60, 60))
def test_luck_play_and_the_rest_add_up_to_the_result_as_they_are_shown(points: int, luck: float, error: float) -> None:
    (line,) = in_words([hand(0, decision(1, 0.0, error), points=points, luck=luck)]).hands
    result, *parts = (float(text.replace("−", "-")) for text in (line.result, line.luck, line.play, line.rest))
    assert sum(parts) == pytest.approx(result)


def test_a_match_says_that_play_was_worse_only_where_its_hands_can_tell() -> None:
    worse = [hand(number, decision(3, 2.0, error)) for number, error in enumerate((2.0, 3.0, 2.5))]
    assert "you played 7.5 points worse than the reviewer would have: −2.50" in in_words(worse).match.text
    assert "you played as well as the reviewer would have: −1.00" in in_words([*worse, hand(3, decision(3, 0.0, -3.5))]).match.text


def test_of_a_single_hand_there_is_no_mean() -> None:
    assert in_words([SECOND]).match.text.endswith("worse than the reviewer would have.")
