"""The curves of ratings on a bot's page."""

from arena.stats.estimate import Estimate
from arena.web.club.watch import CurvePoint, on_one_scale


def point(number: int, **ratings: float) -> CurvePoint:
    return CurvePoint(number, {name: Estimate(value, value - 1, value + 1) for name, value in ratings.items()})


def test_a_strong_newcomer_moves_no_line_of_the_others() -> None:
    before, after = point(1, ann=2.0, gone=-2.0), point(2, ann=1.0, gone=-3.0, new=2.0)  # the mean of both fields is 0
    assert on_one_scale([before, after]) == [point(1, ann=1.0, gone=-3.0), after]


def test_a_version_that_has_become_better_known_moves_against_the_others() -> None:
    first, last = on_one_scale([point(1, ann=3.0, ben=-3.0), point(2, ann=1.0, ben=-1.0)])
    assert (first.ratings["ann"].value, last.ratings["ann"].value) == (3.0, 1.0)


def test_points_without_a_common_version_stay() -> None:
    points = [point(1, ann=0.0), point(2, ben=0.0)]
    assert on_one_scale(points) == points
    assert on_one_scale([]) == []
