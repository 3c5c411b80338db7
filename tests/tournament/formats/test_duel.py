"""Two bots until it is known which is stronger: what is played, when it is enough, and that it resumes exactly."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import SpecError
from arena.records import Fixture, Result, Single
from arena.stats.duels import Course, Wins
from arena.stats.sequential import Verdict
from arena.tournament.formats import rounds
from arena.tournament.formats.base import Format
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet

FIELD = ("a", "b")
Play = Callable[[Fixture], Result]


def batch(fixture: Fixture, points: Sequence[int]) -> Result:
    singles = tuple(Single(net, 0.0) for net in points)
    return Result(fixture=fixture, winner=None, games=(0, 0), points=(0, 0), hands=len(singles), singles=singles)


def better_by(edge: float, name: str = "a") -> Play:
    """Return play in which one bot is better by so many points a hand, give or take 20, and the deals are the same for both."""

    def play(fixture: Fixture) -> Result:
        deal, own = Random(fixture.deals), Random(fixture.id)
        sign = {0: 1, 1: -1}.get(fixture.seats.index(name)) if name in fixture.seats else 0
        return batch(fixture, [round(deal.gauss(0, 20) + own.gauss(0, 10) + (sign or 0) * edge) for _ in range(fixture.hands or 0)])

    return play


def played_out(form: Format, field: Sequence[str], play: Play, start: Sequence[Result] = ()) -> Iterator[list[Result]]:
    """Yield all results after every round, until the format asks for nothing more."""
    results = list(start)
    while fixtures := list(form.fixtures(field, results)):
        results += map(play, fixtures)
        yield results


def last(rounds_: Iterator[list[Result]]) -> list[Result]:
    *_, results = rounds_
    return results


def course_of(form: Duel | Gauntlet, field: Sequence[str], results: Sequence[Result]) -> Course:
    course = form.course(field, results)
    assert isinstance(course, Course)
    return course


def test_both_legs_play_the_same_deals_with_the_seats_swapped() -> None:
    first, second, *_ = Duel(leg=7).fixtures(FIELD, [])
    assert first.deals == second.deals
    assert (first.seats, second.seats) == (("a", "b"), ("b", "a"))
    assert first.hands == second.hands == 7


def test_a_bot_that_is_better_is_found_to_be() -> None:
    form = Duel()
    results = last(played_out(form, FIELD, better_by(6)))
    course = course_of(form, FIELD, results)
    assert course.verdict is Verdict.BETTER
    assert course.decided is not None
    assert course.decided <= course.hands <= 1000
    assert course.total / course.scores == pytest.approx(6, abs=3)


def test_a_bot_that_is_worse_is_found_not_to_be_as_good() -> None:
    form = Duel()
    assert course_of(form, FIELD, last(played_out(form, FIELD, better_by(-6)))).verdict is Verdict.NOT_AS_GOOD


def test_at_the_limit_of_hands_it_is_undecided_and_nothing_more_is_asked_for() -> None:
    form = Duel(hands=150, leg=10)
    results = last(played_out(form, FIELD, better_by(0.2)))
    course = course_of(form, FIELD, results)
    assert (course.verdict, course.hands) == (Verdict.UNDECIDED, 160), "whole pairs of legs, up to the limit"
    assert not list(form.fixtures(FIELD, results))


def test_each_deal_is_an_observation_and_luck_is_taken_off_it() -> None:
    one, other = Fixture("a:b/0/0", ("a", "b"), "a:b/0", 2), Fixture("a:b/0/1", ("b", "a"), "a:b/0", 2)
    first = replace(batch(one, [90, 10]), singles=(Single(90, 4.0), Single(10, 0.0)))
    second = replace(batch(other, [30, 10]), singles=(Single(30, -2.0), Single(10, 0.0)))
    scores = list(Duel(leg=2).scores(FIELD, [first, second]))
    assert [(score.y, score.luck, score.same) for score in scores] == [((60 - 30) / 2, 3.0, False), (0.0, 0.0, True)]


def test_equity_is_the_share_of_a_game_that_a_hand_wins_from_its_score() -> None:
    first, second, *_ = Duel(statistic="equity", leg=1).fixtures(FIELD, [])
    assert first.scored
    won = replace(batch(first, [20]), singles=(Single(20, None, (240, 240)),))
    dead = replace(batch(second, [0]), singles=(Single(0, None, (240, 240)),))
    (score,) = Duel(statistic="equity", leg=1).scores(FIELD, [won, dead])
    assert score.y == pytest.approx(25.0), "half of the 50 % that were open"


def test_matches_are_judged_by_their_pairs() -> None:
    form = Duel(statistic="matches", bounds=(0, 40))

    def a_wins(fixture: Fixture) -> Result:
        seat = fixture.seats.index("a")
        return Result(fixture=fixture, winner=seat, games=(0, 0), points=(0, 0), hands=70)

    results = last(played_out(form, FIELD, a_wins))
    course = form.course(FIELD, results)
    assert isinstance(course, Wins)
    assert course.verdict is Verdict.BETTER
    assert course.counts[4] == len(results) // 2
    assert all(result.fixture.hands is None for result in results)


@given(cut=st.integers(0, 60), order=st.randoms(use_true_random=False), edge=st.sampled_from([0.0, 3.0, -8.0]))
def test_however_it_was_interrupted_the_same_fixtures_are_played(cut: int, order: Random, edge: float) -> None:
    form, play = Duel(hands=1200, leg=10), better_by(edge)
    whole = last(played_out(form, FIELD, play))
    ended_before = next(results for results in played_out(form, FIELD, play) if len(results) >= min(cut, len(whole)))
    part = order.sample(ended_before, min(cut, len(ended_before)))
    rest = list(form.fixtures(FIELD, part))
    assert {fixture.id for fixture in rest} <= {result.fixture.id for result in whole}
    resumed = last(played_out(form, FIELD, play, part)) if rest else part
    assert {result.fixture.id for result in resumed} == {result.fixture.id for result in whole}
    assert form.course(FIELD, resumed) == form.course(FIELD, whole)


def test_what_comes_back_out_of_order_is_judged_in_order() -> None:
    form = Duel()
    results = last(played_out(form, FIELD, better_by(4)))
    assert form.course(FIELD, list(reversed(results))) == form.course(FIELD, results)


def test_rounds_grow_by_an_eighth_and_end_at_the_limit() -> None:
    ends = list(rounds.ends(500))
    assert ends[:4] == [2, 4, 6, 8]
    assert ends[-1] == 500
    assert all(end - start <= max(2, start // 8) for start, end in pairwise(ends))
    assert len(ends) < 45


@pytest.mark.parametrize("bounds", [(0.5, 0.5), (0.5, 0.0), (0.0, 60.0), (float("nan"), 1.0)])
def test_bounds_that_cannot_be_told_apart_are_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="bounds"):
        Duel(bounds=bounds)


def test_a_duel_has_two_sides() -> None:
    with pytest.raises(SpecError, match="3 bots; expected two"):
        list(Duel().fixtures(("a", "b", "c"), []))


# --- the gauntlet


def test_in_a_gauntlet_all_meet_on_the_same_deals() -> None:
    fixtures = list(Gauntlet(leg=5).fixtures(("new", "old", "x", "y"), []))
    first = [fixture for fixture in fixtures if fixture.deals == fixtures[0].deals]
    assert {frozenset(fixture.seats) for fixture in first} == {frozenset((bot, other)) for bot in ("new", "old") for other in "xy"}
    assert len(first) == 8
    assert len({fixture.id for fixture in fixtures}) == len(fixtures)


@pytest.mark.parametrize(("edge", "verdict"), [(6.0, Verdict.BETTER), (-6.0, Verdict.NOT_AS_GOOD)])
def test_a_gauntlet_compares_what_both_make_of_the_same_opponents(edge: float, verdict: Verdict) -> None:
    form, field = Gauntlet(), ("new", "old", "x", "y")
    results = last(played_out(form, field, better_by(edge, "new")))
    course = course_of(form, field, results)
    assert course.verdict is verdict
    assert 2 * course.total / course.scores == pytest.approx(edge, abs=3), "scores are half of the difference"
    assert course.hands == len(results) * 20


def test_a_copy_of_the_baseline_is_soon_found_not_to_be_weaker() -> None:
    form, field = Gauntlet(), ("new", "old", "x")

    def alike(fixture: Fixture) -> Result:
        chance = Random(f"{fixture.deals} {fixture.seats.index('x')}")
        return batch(fixture, [round(chance.gauss(0, 25)) for _ in range(20)])

    course = course_of(form, field, last(played_out(form, field, alike)))
    assert course.verdict is Verdict.BETTER
    assert course.same == course.scores


def test_a_gauntlet_needs_somebody_to_meet() -> None:
    with pytest.raises(SpecError, match="expected a candidate, a baseline and at least one opponent"):
        list(Gauntlet().fixtures(("new", "old"), []))
