"""Prices of another answer to the same decision: both are tried in the same worlds."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from support.bots.self_play import self_play

from arena.gin.actions import DISCARD, DRAW, LAY_OFF, Action, BigGin, Discard, Draw, Knock, LayOff, Take
from arena.gin.cards import each
from arena.gin.rules import Rules
from arena.review import habits
from arena.review.hand_walks import HandStep
from arena.review.reviewer import Reviewer
from arena_bots.greedy import Greedy

REVIEWER = Reviewer(Rules(), "seed", walks=6)


def steps() -> Iterator[HandStep]:
    for played in self_play((Greedy("a"), Greedy("b")), 60, "explained"):
        yield from played


def gain(step: HandStep, other: Action) -> tuple[float, float]:
    (found,) = REVIEWER.gains([(step, other)], habits.usual_habits())
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
    (found,) = REVIEWER.gains([(step, LayOff((), ()))], habits.usual_habits())
    points = [one.points if one.winner == step.seat else -one.points for one in (laid, nothing)]
    assert found is not None
    assert (found.points, found.se) == (points[1] - points[0], 0.0)


def test_an_answer_that_is_not_legal_has_no_price() -> None:
    step = next(one for one in steps() if one.hand.phase is DISCARD and "big_gin" not in one.view.may)
    assert REVIEWER.gains([(step, BigGin())], habits.usual_habits()) == [None]
