import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hands import strategies

from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult, Showdown, dead

TOURNAMENT = Rules()


def knocked(knocker: int, defender: int, *, called: Ending = Ending.KNOCK) -> Showdown:
    """Return a showdown in which seat 0 has called."""
    return Showdown(called, 0, (knocker, defender))


@pytest.mark.rule("R6.5")
def test_a_knocker_scores_the_difference() -> None:
    assert TOURNAMENT.score(knocked(7, 30)) == HandResult(Ending.KNOCK, 0, 23, (7, 30))


@pytest.mark.rule("R6.6")
def test_an_undercut_pays_the_defender_the_difference_and_the_bonus() -> None:
    assert TOURNAMENT.score(knocked(7, 4)) == HandResult(Ending.UNDERCUT, 1, 28, (7, 4))
    assert Rules(undercut_bonus=10).score(knocked(7, 4)).points == 13


@pytest.mark.rule("R6.6")
def test_a_tie_is_an_undercut_with_the_undercut_bonus() -> None:
    assert TOURNAMENT.score(knocked(7, 7)) == HandResult(Ending.UNDERCUT, 1, 25, (7, 7))


@pytest.mark.rule("R6.6")
def test_a_tie_has_a_separate_bonus_under_the_option() -> None:
    rules = Rules(tie_bonus=10)
    assert rules.score(knocked(7, 7)).points == 10
    assert rules.score(knocked(7, 6)).points == 26
    assert Rules(tie_bonus=0).score(knocked(7, 7)) == HandResult(Ending.UNDERCUT, 1, 0, (7, 7))


@pytest.mark.rule("R6.6")
def test_a_tie_may_be_a_knock_without_points() -> None:
    rules = Rules(tie="nothing")
    assert rules.score(knocked(7, 7)) == HandResult(Ending.KNOCK, None, 0, (7, 7))
    assert rules.score(knocked(7, 6)).ending is Ending.UNDERCUT


@pytest.mark.rule("R7.1")
def test_gin_pays_its_bonus_and_the_defenders_deadwood() -> None:
    assert TOURNAMENT.score(knocked(0, 31, called=Ending.GIN)) == HandResult(Ending.GIN, 0, 56, (0, 31))
    assert Rules(gin_bonus=20).score(knocked(0, 31, called=Ending.GIN)).points == 51


@pytest.mark.rule("R7.1")
def test_gin_pays_only_its_bonus_under_the_option() -> None:
    flat = Rules(gin_bonus=20, gin_deadwood=False)
    assert flat.score(knocked(0, 31, called=Ending.GIN)) == HandResult(Ending.GIN, 0, 20, (0, 31))
    assert flat.score(knocked(0, 31, called=Ending.BIG_GIN)).points == 62


@pytest.mark.rule("R8.1")
def test_big_gin_pays_only_its_bonus_under_the_option() -> None:
    flat = Rules(big_gin_deadwood=False)
    assert flat.score(knocked(0, 12, called=Ending.BIG_GIN)) == HandResult(Ending.BIG_GIN, 0, 31, (0, 12))
    assert flat.score(knocked(0, 12, called=Ending.GIN)).points == 37


@pytest.mark.rule("R5.2")
def test_a_showdown_pays_the_difference_even_if_gin_pays_only_its_bonus() -> None:
    flat = Rules(gin_deadwood=False, big_gin_deadwood=False)
    assert flat.score(Showdown(Ending.SHOWDOWN, 0, (0, 30))).points == 55


@pytest.mark.rule("R7.3")
def test_gin_is_not_undercut_by_a_defender_without_deadwood() -> None:
    assert TOURNAMENT.score(knocked(0, 0, called=Ending.GIN)) == HandResult(Ending.GIN, 0, 25, (0, 0))


@pytest.mark.rule("R8.1")
def test_big_gin_pays_its_own_bonus_and_the_defenders_deadwood() -> None:
    assert TOURNAMENT.score(knocked(0, 12, called=Ending.BIG_GIN)) == HandResult(Ending.BIG_GIN, 0, 43, (0, 12))
    assert [Rules(big_gin_bonus=bonus).score(knocked(0, 12, called=Ending.BIG_GIN)).points for bonus in (50, 0)] == [62, 12]


@pytest.mark.rule("R5.1")
def test_a_dead_hand_scores_nothing_and_records_both_deadwoods() -> None:
    assert dead((12, 50)) == HandResult(Ending.DEAD, None, 0, (12, 50))


@pytest.mark.rule("R5.2")
@pytest.mark.parametrize(
    ("zero", "one", "winner", "points"),
    [(12, 30, 0, 18), (30, 12, 1, 18), (12, 12, None, 0), (0, 30, 0, 55), (8, 0, 1, 33), (0, 0, None, 0)],
)
@pytest.mark.parametrize("caller", [0, 1])
def test_a_showdown_pays_the_lower_total_without_undercut_bonus(
    zero: int, one: int, winner: int | None, points: int, caller: int
) -> None:
    show = Showdown(Ending.SHOWDOWN, caller, (zero, one))
    assert TOURNAMENT.score(show) == HandResult(Ending.SHOWDOWN, winner, points, (zero, one))


@given(
    strategies.rules(), strategies.seats, st.tuples(st.integers(0, 98), st.integers(0, 98)), st.sampled_from(["knock", "showdown"])
)
def test_swapping_the_seats_swaps_the_score(rules: Rules, caller: int, deadwood: tuple[int, int], called: str) -> None:
    here = rules.score(Showdown(Ending(called), caller, deadwood))
    there = rules.score(Showdown(Ending(called), 1 - caller, (deadwood[1], deadwood[0])))
    assert (here.points, here.ending) == (there.points, there.ending)
    assert there.winner == (None if here.winner is None else 1 - here.winner)
