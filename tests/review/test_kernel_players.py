"""What a review asks of the kernel: scholar decides there as the bot does, and its worlds stay as they are."""

from collections.abc import Iterator

import numpy as np
import pytest
from support.bots.self_play import self_play

from arena.gin.actions import LAY_OFF
from arena.gin.rules import Rules
from arena.review import habits, worlds
from arena.review.hand_walks import HandStep
from arena.review.rollouts import Rollouts, states
from arena.review.sights import sight
from arena.review.worlds import SAMPLES, Worlds, sample
from arena.train.engine import number_of
from arena.train.native import TURNS
from arena_bots.greedy import Greedy
from arena_bots.scholar import Scholar


def decisions(count: int) -> Iterator[HandStep]:
    for played in self_play((Scholar("a"), Greedy("b")), count, "kernel players"):
        yield from (step for step in played if step.seat == 0 and step.hand.phase is not LAY_OFF)


@pytest.mark.process
def test_scholar_decides_as_the_bot_does() -> None:
    several = list(decisions(6))
    begun = np.concatenate([states(step, _world(step)) for step in several])
    actions = Rollouts(Rules(), habits.usual_habits(), as_scholar=True).decide(begun, np.zeros((len(several), TURNS)))
    assert actions.tolist() == [number_of(step.action) for step in several]
    assert len({type(step.action) for step in several}) > 3, "it takes, draws, throws and ends hands"


def _world(step: HandStep) -> Worlds:
    """Return the hidden cards as they are."""
    hand, other = step.hand, step.hand.cards[1 - step.seat]
    return Worlds(np.array([other]), np.array([hand.deck[hand.top : hand.bottom]]), np.zeros((1, TURNS)))


def test_worlds_that_were_sampled_stay_as_they_are_when_the_walk_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "FIRST_STEPS", 5)
    some = sample([sight(next(decisions(1)).view)], habits.usual_habits(), 2, [np.random.default_rng(1)])[0]
    assert len({*some.theirs.tolist()}) > SAMPLES
