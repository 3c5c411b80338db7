"""What a review says to a person about its own play."""

import pytest
from msgspec.structs import replace

from arena.human.persons_review import NOTHING, in_words
from arena.review.summary import DecisionPrice, Place, ReviewedHand


def hand(number: int, *decisions: DecisionPrice, points: int = 0, luck: float = 0.0) -> ReviewedHand:
    return ReviewedHand(place=Place("x", 0, number), bot="you", seat=0, points=points, luck=luck, decisions=decisions)


def decision(turn: int, price: float, error: float) -> DecisionPrice:
    return DecisionPrice(turn, "Kd", "2c", price, 0.5, {"discard": price}, {"discard": error}, 0.0)


FIRST = hand(0, decision(3, 0.9, 0.2), points=8)
SECOND = hand(1, decision(3, 2.5, 1.0), decision(9, 8.5, 4.2), points=-19, luck=-6.04)


@pytest.mark.parametrize(
    ("reviewed", "text"),
    [
        (FIRST, "You played as well as the reviewer would have; the draws favoured neither player."),
        (SECOND, "You played 5.2 points worse than the reviewer would have; the draws cost you 6.0 points."),
        (
            hand(2, decision(1, -1.0, -1.5), luck=2.0),
            "You played 1.5 points better than the reviewer would have; the draws brought you 2.0 points.",
        ),
    ],
)
def test_a_hand_is_reviewed_in_words(reviewed: ReviewedHand, text: str) -> None:
    last = in_words([reviewed]).last
    assert (last.title, last.text) == (f"Review of game 1, hand {reviewed.place.hand + 1}", text)


def test_the_dearest_decision_of_a_hand_is_that_which_cost_most_beyond_doubt() -> None:
    last = in_words([FIRST, SECOND]).last
    assert (
        last.dearest
        == "Your costliest decision: game 1, hand 2, turn 9: throw K♦; better: throw 2♣, by 8.5 ± 1.0 points, a blunder."
    )
    assert last.place == "0.1/8"
    doubtful = replace(decision(5, 3.0, 3.0), se=2.0)
    doubted = in_words([hand(0, decision(3, 0.0, 0.0), doubtful)]).last
    assert doubted.dearest.endswith("turn 5: throw K♦; better: throw 2♣, by 3.0 ± 4.0 points.")
    denied = replace(decision(5, 9.0, 3.0), confirmed=-4.0)  # by a stronger player's play
    assert in_words([hand(0, denied, doubtful)]).last.place == "0.0/4"
    assert in_words([hand(0, denied)]).last.dearest == NOTHING
    nothing = in_words([FIRST]).last
    assert (nothing.dearest, nothing.place) == (NOTHING, "")


def test_a_match_is_reviewed_over_all_its_hands_in_their_order() -> None:
    third = hand(2, points=-1, luck=0.1)
    found = in_words([SECOND, FIRST, third])
    assert found.match.title == "Review of the match"
    assert found.match.text == (
        "In 3 hands you lost 12 points; the draws cost you 5.9 points, and you played 5.4 points worse than the reviewer would"
        " have: −1.80\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}3.40 points a hand."
    )
    assert found.match.place == "0.1/8"
    assert [(one.hand, one.result, one.luck, one.play) for one in found.hands] == [
        ("0.0", "+8", "+0.0", "−0.2"),
        ("0.1", "−19", "−6.0", "−5.2"),
        ("0.2", "−1", "+0.1", "+0.0"),
    ]


def test_of_a_single_hand_there_is_no_mean() -> None:
    assert in_words([SECOND]).match.text.endswith("worse than the reviewer would have.")
