"""Games and matches from hands: against simulation, and where the answer is known."""

from math import comb, log
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats import games

POINTS = st.lists(st.integers(-90, 90).filter(bool), min_size=2, max_size=30)


def test_a_hand_a_game_and_best_of_three() -> None:
    found = games.chances(games.gather([10, 10, 10, -10]), 10, 3)
    assert found.game == pytest.approx(0.75)
    assert found.match == pytest.approx(0.75**2 * (1 + 2 * 0.25))
    assert found.game_hands == pytest.approx(1.0)
    assert found.match_hands == pytest.approx(2 * (0.75**2 + 0.25**2) + 3 * 2 * 0.75 * 0.25)


def test_three_hands_to_a_game_are_the_problem_of_points() -> None:
    table = games.equity(games.gather([1, -1]), 3)
    ways = [[sum(comb(5 - a - b, n) for n in range(3 - a, 6 - a - b)) / 2 ** (5 - a - b) for b in range(3)] for a in range(3)]
    assert table == pytest.approx(np.array(ways))


@given(points=POINTS)
def test_what_one_wins_the_other_loses(points: list[int]) -> None:
    hands = games.gather(points)
    other = games.gather([-net for net in points])
    assert games.chances(hands, 50, 5).game == pytest.approx(1 - games.chances(other, 50, 5).game)


def test_dead_hands_make_games_longer_and_nobody_better() -> None:
    live, dead = (games.chances(games.gather(points), 250, 5) for points in ([20, -10], [20, -10, 0, 0]))
    assert dead.game == pytest.approx(live.game)
    assert dead.game_hands == pytest.approx(2 * live.game_hands)


def test_simulated_games_end_as_often_and_as_soon() -> None:
    chance, points = Random(1), [25, 31, 8, -12, -40, 0, 3, -25]
    won = hands = 0
    for _ in range(4000):
        score = [0, 0]
        while max(score) < 250:
            net = chance.choice(points)
            score[net < 0] += abs(net)
            hands += 1
        won += score[0] >= 250
    found = games.chances(games.gather(points), 250, 5)
    assert found.game == pytest.approx(won / 4000, abs=0.03)
    assert found.game_hands == pytest.approx(hands / 4000, rel=0.02)


@given(points=POINTS, share=st.floats(0.05, 0.95))
def test_hands_can_be_tilted_to_any_mean_within_their_reach(points: list[int], share: float) -> None:
    hands = games.mirrored(games.gather(points))
    mean = (2 * share - 1) * 0.9 * float(hands.points.max())
    assert games.tilted(hands, mean).mean == pytest.approx(mean, abs=1e-6)


def test_hands_that_are_tilted_to_where_they_are_stay_as_they_are() -> None:
    hands = games.gather([1, 2, 3, -30])
    assert games.tilted(hands, hands.mean).chances == pytest.approx(hands.chances, abs=1e-9)


@pytest.mark.parametrize("chance", [0.45, 0.5, 0.525, 0.55, 0.7])
def test_walds_test_takes_as_long_as_it_is_said_to(chance: float) -> None:
    random, taken = Random(1), 0
    for _ in range(300):
        evidence = 0.0
        while abs(evidence) < log(19):
            evidence += log(0.55 / 0.5) if random.random() < chance else log(0.45 / 0.5)
            taken += 1
    assert games.wald(chance, 0.5, 0.55, 0.05, 0.05) == pytest.approx(taken / 300, rel=0.15)


@pytest.mark.parametrize("chance", [0.0, 1e-9, 1 - 1e-9, 1.0])
def test_where_one_always_wins_the_test_ends_at_the_wall_it_goes_to(chance: float) -> None:
    assert 0 < games.wald(chance, 0.499, 0.501, 0.05, 0.05) < 1000


def test_hands_that_nobody_scores_make_no_game() -> None:
    assert np.isnan(games.equity(games.gather([0, 0]), 10)).all()
