"""``bots/common/equity.py``: what points are worth in a game to a number of points."""

import numpy as np
import pytest
from msgspec.structs import replace

from arena.gin.rulesets import Standard
from arena.sdk.positions import position
from arena_bots.common.equity import EQUALS, STRONGER, Curve, chances, counts_games, in_points

VIEW = position("2c3c4c7d8d9dThJhQhKh5s", rules=Standard())
CURVES = pytest.mark.parametrize("curve", [EQUALS, STRONGER], ids=["equals", "stronger"])


@CURVES
@pytest.mark.parametrize("score", [(0, 0), (90, 40), (40, 90)])
def test_more_points_are_a_higher_chance_to_win_the_game_up_to_its_end(curve: Curve, score: tuple[int, int]) -> None:
    left = [VIEW.rules.target - points for points in score]
    chance = chances(replace(VIEW, score=score), np.arange(-left[1], left[0] + 1, dtype=np.float64), curve)
    assert (chance[0], chance[-1]) == (0, 1)
    assert (np.diff(chance) > 0).all()


@CURVES
def test_points_beyond_the_end_of_a_game_change_nothing(curve: Curve) -> None:
    one_short = replace(VIEW, score=(VIEW.rules.target - 1,) * 2)
    assert chances(one_short, np.array([-60.0, -1.0, 1.0, 60.0]), curve).tolist() == [0, 0, 1, 1]


def test_a_point_at_the_beginning_of_a_game_is_worth_a_point() -> None:
    assert np.diff(in_points(VIEW, np.array([-1.0, 1.0]))) == pytest.approx(2, abs=0.1)


def test_a_player_who_is_far_behind_values_a_big_win_more_than_points_say() -> None:
    behind = in_points(replace(VIEW, score=(10, 90)), np.array([0.0, 20.0, 60.0]))
    assert behind[2] - behind[0] > 3 * (behind[1] - behind[0])


def test_hands_that_count_by_themselves_are_no_games() -> None:
    assert counts_games(replace(VIEW, game=1, hand=0, games=(0, 1)))
    assert counts_games(replace(VIEW, game=0, hand=2, games=(0, 0)))
    assert not counts_games(replace(VIEW, game=1, hand=0, games=(0, 0)))
