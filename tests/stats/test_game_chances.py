"""What hands imply for games and matches, also where rounding makes a chance 0 or 1."""

from math import isfinite

import pytest

from arena.stats import game_chances, games
from arena.stats.scales import Interval

HANDS = [12, -7, 31, -25, 8, -14, 40, 0, 5, -9] * 4
ERRORS, FORM = (0.05, 0.05), games.GameForm(250, 5)


@pytest.mark.process
@pytest.mark.parametrize("bounds", [(0.0, 0.5), (0.0, 20.0), (-20.0, 0.0), (-20.0, 20.0)])
def test_hands_imply_finite_chances_and_a_finite_number_of_hands(bounds: tuple[float, float]) -> None:
    found = game_chances.implied_chances(HANDS, Interval(4.1, -6.0, 14.0), bounds, ERRORS, FORM)
    assert found
    assert 0 <= found.matches.low <= found.matches.value <= found.matches.high <= 1
    assert isfinite(found.match_wins)


@pytest.mark.parametrize("bounds", [(20.0, 25.0), (-25.0, -20.0)])
def test_bounds_that_imply_the_same_wins_imply_nothing(bounds: tuple[float, float]) -> None:
    assert game_chances.implied_chances(HANDS, Interval(4.1, -6.0, 14.0), bounds, ERRORS, FORM) is None


@pytest.mark.parametrize("points", [[3, -2], [10], [-10], [0, 1, 0]])
def test_bounds_beyond_all_points_of_a_few_hands_imply_something_or_nothing(points: list[int]) -> None:
    found = game_chances.implied_chances(points, Interval(0.5, -30.0, 30.0), (-30.0, 30.0), ERRORS, FORM)
    assert found is None or isfinite(found.match_wins)
