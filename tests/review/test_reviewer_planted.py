"""A planted weakness is found, measured and named (point 3d of reviews); ``python tests/studies/reviews.py`` prints the tables."""

from functools import cache

import pytest
from planted import NeverLaysOff, Plain
from reviews import Compared, Sizes, StudiedBot, compared, studied
from support.bots.self_play import points, self_play
from support.sizes import size

from arena.gin.actions import LAY_OFF
from arena.review.hand_walks import HandStep
from arena.review.reviewer import exact
from arena.review.summary import KINDS
from arena_bots.greedy import Greedy


def test_lay_offs_that_are_never_made_cost_in_each_hand_what_play_loses() -> None:
    both = (self_play((one("a"), Greedy("b")), 40, "lay-offs") for one in (Plain, NeverLaysOff))
    found = [(points(plain, 0) - points(weak, 0), defended(weak)) for plain, weak in zip(*both, strict=True)]
    assert sum(cost for _, cost in found) > 0
    assert [by_play for by_play, _ in found] == [cost for _, cost in found]


def defended(played: list[HandStep]) -> float:
    """Return what the defence of seat 0 costs in a hand."""
    return sum(exact(one).total.points for one in played if one.seat == 0 and one.hand.phase is LAY_OFF)


def beside_plain(name: str) -> Compared:
    """Return a planted bot beside the one without a weakness."""
    return compared(against_greedy(name), against_greedy("plain"))


@cache
def against_greedy(name: str) -> StudiedBot:
    return studied(name, "greedy", Sizes(played=size(1000, 2000), reviewed=size(60, 120), walks=12))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("name", "kind"),
    [("throws-badly", "discard"), ("takes-too-much", "draw"), pytest.param("breaks-pairs", "discard", marks=pytest.mark.nightly)],
)
def test_the_planted_kind_rises_most(name: str, kind: str) -> None:
    found = beside_plain(name)
    assert KINDS[found.kinds.index(max(found.kinds))] == kind


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_error_rate_rises_by_what_play_loses() -> None:
    found = beside_plain("throws-badly")
    assert abs(found.error.points - found.lost.points) <= 2 * (found.error.se**2 + found.lost.se**2) ** 0.5


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_bot_that_differs_without_being_weaker_is_not_blamed() -> None:
    found = beside_plain("knocks-low")
    assert found.error.points <= 2 * found.error.se
