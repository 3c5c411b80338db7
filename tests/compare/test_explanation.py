"""What changed decisions gain: added up by hand and by kind."""

import pytest

from arena.compare.explanation import ExplainedDecision, Explanation, explanation, lines


def changed(hand: int, points: float, kind: str = "discard") -> ExplainedDecision:
    values = {
        "seed": "s",
        "hand": hand,
        "turn": 5,
        "seat": 0,
        "old": "Kd",
        "new": "2c",
        "gain": points,
        "se": 0.5,
        "replay": "shown",
    }
    return ExplainedDecision(kind=kind, **values)  # type: ignore[arg-type]


def found() -> Explanation:
    return explanation([changed(0, 2.0), changed(0, -6.0, "draw"), changed(1, -4.0)], hands=4, differ=5)


def test_gains_are_points_a_hand_of_one_seat_and_hands_are_independent() -> None:
    total = found()
    assert total.gain == -1.0  # -4 and -4 points of two seats, in four hands
    assert total.se == pytest.approx(0.5774, abs=1e-4)
    assert [(kind, one.decisions, one.gain) for kind, one in total.kinds.items()] == [
        ("draw", 1, -0.75),
        ("discard", 2, -0.25),
        ("knock", 0, 0.0),
        ("lay_off", 0, 0.0),
    ]
    assert total.unpriced == 2
    assert [one.gain for one in total.decisions] == [-6.0, -4.0, 2.0]


def test_the_text_lists_what_cost_and_what_gained_then_the_sums_and_what_they_leave_out() -> None:
    text = list(lines(found(), "old", "new", 80))
    assert text[:3] == [
        "costliest changes:",
        "    -6.0 ± 1.0  draw or take: old throw Kd, new throw 2c",
        "           turn 5: shown",
    ]
    assert text[5:8] == ["most useful changes:", "    +2.0 ± 1.0  discard: old throw Kd, new throw 2c", "           turn 5: shown"]
    assert text[8] == "the changed decisions cost 1.00 ± 1.15 points a hand, over 4 hands"
    assert text[9:11] == ["  draw or take  -0.75 ± 1.50, 1 decisions", "  discard       -0.25 ± 1.26, 2 decisions"]
    assert text[11] == "  without a price: 2"


def test_no_difference_gains_nothing() -> None:
    none = explanation([], hands=3, differ=0)
    assert (none.gain, none.se, none.decisions) == (0.0, 0.0, ())
    assert next(lines(none, "old", "new", 80)) == "the changed decisions gain 0.00 ± 0.00 points a hand, over 3 hands"
