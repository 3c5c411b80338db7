"""What changed decisions gain: priced in the same worlds, added up by hand and by kind."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from support.bots.self_play import self_play

from arena.compare.explaining import ExplainedDecision, Explanation, explanation, lines
from arena.gin.actions import DISCARD, DRAW, LAY_OFF, Action, BigGin, Discard, Draw, Knock, LayOff, Take
from arena.gin.cards import each
from arena.gin.rules import Rules
from arena.review import worlds
from arena.review.hand_walks import HandStep
from arena.review.pricing import Reviewer
from arena_bots.greedy import Greedy

REVIEWER = Reviewer(Rules(), "seed", walks=6)


def steps() -> Iterator[HandStep]:
    for played in self_play((Greedy("a"), Greedy("b")), 60, "explained"):
        yield from played


def gain(step: HandStep, other: Action) -> tuple[float, float]:
    (found,) = REVIEWER.gains([(step, other)], worlds.usual_habits())
    assert found is not None
    return found.points, found.se


@pytest.mark.process
def test_what_one_answer_gains_the_other_loses() -> None:
    step = next(one for one in steps() if one.hand.phase is DISCARD and isinstance(one.action, Discard))
    other = Discard(next(card for card in each(step.view.may_discard) if Discard(card) != step.action))
    points, se = gain(step, other)
    assert gain(replace(step, action=other), step.action) == (-points, se)
    assert se > 0


@pytest.mark.process
def test_both_answers_are_priced_however_bad_they_are() -> None:
    step = next(one for one in steps() if isinstance(one.action, Knock) and one.hand.play(one.action).called == "gin")
    assert isinstance(step.action, Knock)
    broken = Discard(next(card for card in each(step.view.without(step.action.card)) if step.view.may_discard >> card & 1))
    points, se = gain(step, broken)
    assert points < -3 * se < 0
    draw = next(one for one in steps() if one.hand.phase is DRAW and isinstance(one.action, Draw))
    assert gain(draw, Take())[1] > 0


def test_what_nothing_hidden_decides_is_exact() -> None:
    step = next(one for one in steps() if one.hand.phase is LAY_OFF)
    laid, nothing = (step.hand.play(action).result for action in (step.action, LayOff((), ())))
    assert laid is not None
    assert nothing is not None
    (found,) = REVIEWER.gains([(step, LayOff((), ()))], worlds.usual_habits())
    points = [one.points if one.winner == step.seat else -one.points for one in (laid, nothing)]
    assert found is not None
    assert (found.points, found.se) == (points[1] - points[0], 0.0)


def test_an_answer_that_is_not_legal_has_no_price() -> None:
    step = next(one for one in steps() if one.hand.phase is DISCARD and "big_gin" not in one.view.may)
    assert REVIEWER.gains([(step, BigGin())], worlds.usual_habits()) == [None]


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
