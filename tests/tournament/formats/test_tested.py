"""Duels and gauntlets: which fixtures are played, when they stop, and that they resume exactly."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import SpecError
from arena.gin.rules import Rules
from arena.gin.rulesets import Oklahoma
from arena.records import Fixture, Result, SingleHand
from arena.stats.duels import ComparisonOutcome, Verdict, of_hands
from arena.tournament.formats import growing_rounds
from arena.tournament.formats.base import Format
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet

FIELD = ("a", "b")
Play = Callable[[Fixture], Result]


def batch(fixture: Fixture, points: Sequence[int]) -> Result:
    singles = tuple(SingleHand(net, 0.0) for net in points)
    return Result(fixture=fixture, winner=None, games=(0, 0), points=(0, 0), hands=len(singles), singles=singles)


def better_by(edge: float, name: str = "a") -> Play:
    """Return play in which one bot is better by ``edge`` points a hand, with a standard deviation of 20 by deal."""

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


def outcome_of(form: Duel | Gauntlet, field: Sequence[str], results: Sequence[Result]) -> ComparisonOutcome:
    return of_hands(form.test, [form.block(legs) for legs in form.sets(field, results)], "points a hand")


def test_both_legs_play_the_same_deals_with_the_seats_swapped() -> None:
    first, second = (leg for leg in Duel(leg=7).fixtures(FIELD, []) if leg.deals == "a:b/0")
    assert (first.seats, second.seats) == (("a", "b"), ("b", "a"))
    assert first.hands == second.hands == 7


@pytest.mark.parametrize(("form", "field"), [(Duel(), FIELD), (Gauntlet(), ("a", "b", "c", "d"))], ids=["duel", "gauntlet"])
def test_neighbouring_fixtures_have_different_deals_so_that_several_can_be_in_play(form: Format, field: Sequence[str]) -> None:
    results: list[Result] = []
    while round_ := list(form.fixtures(field, results)):
        keys = len({fixture.deals for fixture in round_})
        assert all(
            len({fixture.deals for fixture in round_[start : start + keys]}) == keys for start in range(0, len(round_), keys)
        )
        results += map(better_by(0), round_)


def test_a_better_bot_gets_the_verdict_better() -> None:
    form = Duel()
    results = last(played_out(form, FIELD, better_by(6)))
    found = outcome_of(form, FIELD, results)
    assert found.verdict is Verdict.BETTER
    assert found.decided is not None
    assert found.decided <= found.hands <= 1000
    assert found.plain == pytest.approx(6, abs=3)


def test_a_worse_bot_gets_the_verdict_not_as_good() -> None:
    form = Duel()
    assert outcome_of(form, FIELD, last(played_out(form, FIELD, better_by(-6)))).verdict is Verdict.NOT_AS_GOOD


def test_at_the_limit_of_hands_the_verdict_is_undecided_and_no_fixture_follows() -> None:
    form = Duel(hands=150, leg=10)
    results = last(played_out(form, FIELD, better_by(0.2)))
    found = outcome_of(form, FIELD, results)
    assert (found.verdict, found.hands) == (Verdict.UNDECIDED, 160), "whole pairs of legs, up to the limit"
    assert not list(form.fixtures(FIELD, results))


def test_a_pair_of_legs_is_an_observation_with_the_luck_of_each_deal() -> None:
    one, other = Fixture("a:b/0/0", ("a", "b"), "a:b/0", 2), Fixture("a:b/0/1", ("b", "a"), "a:b/0", 2)
    first = replace(batch(one, [90, 10]), singles=(SingleHand(90, 4.0), SingleHand(10, 0.0)))
    second = replace(batch(other, [30, 10]), singles=(SingleHand(30, -2.0), SingleHand(10, 0.0)))
    block = Duel(leg=2).block([first, second])
    assert [(deal.y, deal.luck, deal.same) for deal in block.deals] == [((40 - 30) / 2, 3.0, False), (0.0, 0.0, True)]
    assert (block.y, block.luck, block.hands) == (2.5, 1.5, 4)


def test_equity_is_the_change_of_the_chance_to_win_the_game() -> None:
    first, second = (leg for leg in Duel(statistic="equity", leg=1).fixtures(FIELD, []) if leg.deals == "a:b/0")
    assert first.scored
    won = replace(batch(first, [20]), singles=(SingleHand(20, None, (240, 240)),))
    dead = replace(batch(second, [0]), singles=(SingleHand(0, None, (240, 240)),))
    score = Duel(statistic="equity", leg=1).block([won, dead])
    assert score.y == pytest.approx(10.0), "half of the remaining 50 %, which is held to 20"
    begun = replace(won, singles=(SingleHand(20, None, (0, 0)),))
    assert 0 < Duel(statistic="equity", leg=1).block([begun, dead]).y < 5


def test_matches_are_judged_by_their_pairs() -> None:
    form = Duel(statistic="matches", bounds=(0, 40))

    def a_wins(fixture: Fixture) -> Result:
        seat = fixture.seats.index("a")
        return Result(fixture=fixture, winner=seat, games=(0, 0), points=(0, 0), hands=70)

    results = last(played_out(form, FIELD, a_wins))
    state = form.wins(form.sets(FIELD, results))
    assert state.verdict is Verdict.BETTER
    assert state.counts[4] == len(results) // 2
    assert all(result.fixture.hands is None for result in results)
    drawn = [replace(result, winner=None) for result in results[:2]]
    assert form.wins([drawn]).counts[2] == 1, "a half of each leg"
    assert form.wins([[replace(drawn[0], winner=1), drawn[1]]]).counts[1] == 1


@pytest.mark.process
@given(cut=st.integers(0, 60), order=st.randoms(use_true_random=False), edge=st.sampled_from([0.0, 3.0, -8.0]))
def test_the_same_fixtures_are_played_after_any_interruption(cut: int, order: Random, edge: float) -> None:
    form, play = Duel(hands=1200, leg=10), better_by(edge)
    whole = last(played_out(form, FIELD, play))
    ended_before = next(results for results in played_out(form, FIELD, play) if len(results) >= min(cut, len(whole)))
    part = order.sample(ended_before, min(cut, len(ended_before)))
    rest = list(form.fixtures(FIELD, part))
    assert {fixture.id for fixture in rest} <= {result.fixture.id for result in whole}
    resumed = last(played_out(form, FIELD, play, part)) if rest else part
    assert {result.fixture.id for result in resumed} == {result.fixture.id for result in whole}
    assert outcome_of(form, FIELD, resumed) == outcome_of(form, FIELD, whole)


def test_the_order_of_results_does_not_matter() -> None:
    form = Duel()
    results = last(played_out(form, FIELD, better_by(4)))
    assert outcome_of(form, FIELD, list(reversed(results))) == outcome_of(form, FIELD, results)


def test_the_first_round_of_short_legs_has_more_of_them() -> None:
    assert [next(growing_rounds.round_ends(500, growing_rounds.first_round_size(leg))) for leg in (1, 2, 4, 20, 50)] == [
        16,
        8,
        4,
        2,
        2,
    ]


def test_a_block_with_a_lost_leg_counts_its_hands_and_says_what_is_unknown() -> None:
    form = Duel()
    one, other = form.legs(FIELD, 0)
    block = form.block([batch(one, [20, 8]), Result(fixture=other, winner=None, games=(0, 0), points=(0, 0), hands=0, lost=True)])
    assert (block.lost, block.hands, block.y, block.same) == (0.5, 4, 7.0, 0)


@pytest.mark.rule("R2.5")
def test_the_bounds_of_a_hand_are_those_of_the_rules() -> None:
    doubled = Oklahoma(double="spades")
    duel, gauntlet, equity = (form.under(doubled) for form in (Duel(), Gauntlet(), Duel(statistic="equity")))
    assert [(form.scale.most, form.scale.most_luck) for form in (duel, gauntlet)] == [(80, 120), (160, 240)]
    assert (equity.scale.most, equity.scale.most_luck) == (20, 120)
    legs = [batch(leg, points) for leg, points in zip(Duel().legs(FIELD, 0), ([100, 130], [-30, 0]), strict=True)]
    assert [deal.y for deal in duel.block(legs).deals] == [55, 40]
    assert [deal.y for deal in Duel().block(legs).deals] == [35, 20]
    assert Duel().under(Rules()) == Duel()
    assert Duel().under(Oklahoma()) == Duel()


def test_a_duel_until_its_limit_plays_all_hands_and_is_judged_at_their_end() -> None:
    form = Duel(until="limit", hands=1000, bounds=(-0.5, 0.0))
    results = last(played_out(form, FIELD, better_by(6)))
    found = outcome_of(form, FIELD, results)
    assert (found.verdict, found.hands, found.decided) == (Verdict.BETTER, 1000, 1000)
    sooner = Duel(bounds=(-0.5, 0.0))
    assert sooner.verdict(sooner.sets(FIELD, results[:200])).is_final, "a test until the verdict needs fewer"


def test_a_duel_on_matches_ends_at_its_verdict() -> None:
    with pytest.raises(ValueError, match="until: found 'limit'"):
        Duel(until="limit", statistic="matches", bounds=(0, 20))


def test_rounds_grow_by_a_twelfth_and_end_at_the_limit() -> None:
    ends = list(growing_rounds.round_ends(500))
    assert ends[:4] == [2, 4, 6, 8]
    assert ends[-1] == 500
    assert all(end - start <= max(2, start // 12) for start, end in pairwise(ends))
    assert len(ends) < 60


@pytest.mark.parametrize("bounds", [(0.5, 0.5), (0.5, 0.0), (0.0, 40.0), (float("nan"), 1.0)])
def test_invalid_bounds_are_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="bounds"):
        Duel(bounds=bounds)


def test_a_duel_needs_two_bots() -> None:
    with pytest.raises(SpecError, match="3 bots; expected two"):
        list(Duel().fixtures(("a", "b", "c"), []))


# --- the gauntlet


def test_all_fixtures_of_a_set_share_their_deals() -> None:
    fixtures = list(Gauntlet(leg=5).fixtures(("new", "old", "x", "y"), []))
    first = [fixture for fixture in fixtures if fixture.deals == fixtures[0].deals]
    assert {frozenset(fixture.seats) for fixture in first} == {frozenset((bot, other)) for bot in ("new", "old") for other in "xy"}
    assert len(first) == 8
    assert len({fixture.id for fixture in fixtures}) == len(fixtures)


@pytest.mark.parametrize(("edge", "verdict"), [(6.0, Verdict.BETTER), (-6.0, Verdict.NOT_AS_GOOD)])
def test_a_gauntlet_compares_results_against_the_same_opponents(edge: float, verdict: Verdict) -> None:
    form, field = Gauntlet(), ("new", "old", "x", "y")
    results = last(played_out(form, field, better_by(edge, "new")))
    found = outcome_of(form, field, results)
    assert found.verdict is verdict
    assert found.plain == pytest.approx(edge, abs=3)
    assert found.hands == len(results) * 2


def test_a_copy_of_the_baseline_is_found_not_weaker() -> None:
    form, field = Gauntlet(), ("new", "old", "x")

    def alike(fixture: Fixture) -> Result:
        chance = Random(f"{fixture.deals} {fixture.seats.index('x')}")
        return batch(fixture, [round(chance.gauss(0, 25)) for _ in range(fixture.hands or 0)])

    found = outcome_of(form, field, last(played_out(form, field, alike)))
    assert found.verdict is Verdict.BETTER
    assert found.same == found.pairs


def test_a_gauntlet_needs_an_opponent() -> None:
    with pytest.raises(SpecError, match="expected a candidate, a baseline and at least one opponent"):
        list(Gauntlet().fixtures(("new", "old"), []))


@pytest.mark.parametrize(
    ("form", "size", "cost"),
    [
        (Duel(), 2, "988 hands: 247 sets of 2 legs, 988 processes"),
        (Duel(leg=4), 2, "1,936 hands: 242 sets of 2 legs, 968 processes"),
        (Gauntlet(), 3, "1,944 hands: 243 sets of 4 legs, 1,944 processes"),
        (Gauntlet(bounds=(-0.5, 0.0)), 3, "3,880 hands: 485 sets of 4 legs, 3,880 processes"),
    ],
)
def test_a_plan_shows_what_a_verdict_costs_if_the_bots_play_alike(form: Duel | Gauntlet, size: int, cost: str) -> None:
    assert list(form.explain(size)) == [f"if the bots play alike, a verdict takes {cost}"]


def test_a_plan_says_if_the_limit_is_too_low_for_a_verdict() -> None:
    _, warning = Gauntlet(hands=1000).explain(3)
    assert warning == "the limit is 1,000 hands, so it would be undecided then; bounds further apart need fewer"


def test_a_plan_of_a_test_of_fixed_length_promises_no_earlier_verdict() -> None:
    assert list(Duel(until="limit").explain(2)) == []
    (warning,) = Duel(until="limit", hands=900).explain(2)
    assert warning == "if the bots play alike, 900 hands leave it undecided; bounds further apart need fewer"
    assert list(Duel(statistic="matches", bounds=(0, 20)).explain(2)) == []


def test_a_plan_does_not_warn_of_a_limit_that_is_just_enough() -> None:
    for form in (Duel(until="limit"), Duel(), Gauntlet()):
        size = 2 + isinstance(form, Gauntlet)
        enough = form.test.blocks_if_alike(form.leg) * len(form.legs("abc"[:size], 0)) * form.leg
        lines = len(list(form.explain(size)))
        assert [len(list(replace(form, hands=hands).explain(size))) for hands in (enough - 1, enough)] == [lines + 1, lines]


def test_the_most_pairs_reach_the_limit_of_hands_even_if_each_match_has_only_one() -> None:
    assert Duel(statistic="matches", bounds=(0, 20), hands=101).most_sets(FIELD) == 51
    assert Duel(hands=101, leg=2).most_sets(FIELD) == 26
