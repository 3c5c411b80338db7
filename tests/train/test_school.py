"""A pupil of the kernel plays as the bot does that it trains, and its examples are positions of its hands."""

import numpy as np
import pytest
from support.kernel.source import interpreted

from arena.gin.match import Scoreline
from arena.gin.seeing import see
from arena.sdk.network import load
from arena.train import Hands, native
from arena.train.engine import hand_of
from arena_bots.common.taught import LEARNED
from arena_bots.professor import Professor
from arena_bots.training import teach

START = Scoreline()
HANDS = 2


def test_a_pupil_plays_as_professor_does() -> None:
    hands = Hands(HANDS, teach.PAIRED)
    hands.reset(5)
    states, bot = hands.states.copy(), Professor()
    student = teach.pupil(load(LEARNED), explores=False)
    teach.play(states, (student, student))
    for before, after in zip(hands.states, states, strict=True):
        hand = hand_of(before, teach.PAIRED)
        while hand.result is None:
            hand = hand.play(bot.answer(see(hand, START)))
        assert hand.result.points == after["points"]
        assert hand.cards == tuple(after["held"].tolist())


@pytest.mark.process
def test_an_example_is_a_position_with_the_points_of_its_hand_and_the_same_seed_gives_the_same_ones() -> None:
    networks, learned = load(LEARNED), interpreted("learned")
    examples = teach.study(networks, 14, seed=3)
    assert set(examples["kind"]) <= {learned.AFTER, learned.BEFORE, learned.KNOCKING}
    assert np.abs(examples["points"]).max() < native.PENDING
    assert (examples["inputs"][examples["kind"] == learned.AFTER][:, 12] <= 10).all()  # cards in a possible meld
    assert (teach.study(networks, 14, seed=3) == examples).all()


@pytest.mark.process
def test_a_fitted_network_follows_the_points() -> None:
    random = np.random.default_rng(1)
    inputs = random.normal(size=(200_000, 3)).astype(np.float32)
    network = teach.fit(inputs, 10 * np.abs(inputs[:, 0]) - 5 * inputs[:, 1], units=16)
    assert network.value((1.0, 0.0, 0.0)) == pytest.approx(10, abs=1)
    assert network.value((-1.0, 1.0, 0.0)) == pytest.approx(5, abs=1)
