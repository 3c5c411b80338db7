"""Single hands between every two entrants, each deal from both seats."""

import pytest

from arena.records import Fixture, Result
from arena.tournament.formats.base import plays_batches
from arena.tournament.formats.round_robin import Batches, RoundRobin


def played(fixture: Fixture) -> Result:
    return Result(fixture=fixture, winner=None, games=(0, 0), points=(0, 0), hands=fixture.hands or 0)


def test_every_deal_is_played_from_both_seats() -> None:
    fixtures = list(Batches(hands=240).fixtures(("a", "b"), ()))
    assert [fixture.hands for fixture in fixtures] == [50, 50, 50, 50, 20, 20]
    assert [fixture.seats for fixture in fixtures[:2]] == [("a", "b"), ("b", "a")]
    assert fixtures[0].deals == fixtures[1].deals != fixtures[2].deals
    assert sum(fixture.hands or 0 for fixture in fixtures) == 240


def test_every_two_entrants_meet() -> None:
    fixtures = list(Batches(hands=2).fixtures(("a", "b", "c"), ()))
    assert len({fixture.id for fixture in fixtures}) == len(fixtures) == 6
    assert {frozenset(fixture.seats) for fixture in fixtures} == {frozenset("ab"), frozenset("ac"), frozenset("bc")}


@pytest.mark.parametrize(("hands", "size", "batches"), [(2, 2, 2), (100, 3, 6), (102, 3, 12), (240, 4, 36)])
def test_the_plan_counts_the_batches(hands: int, size: int, batches: int) -> None:
    form = Batches(hands=hands)
    assert plays_batches(form, ["a", "b"])
    assert not plays_batches(RoundRobin(), ["a", "b"])
    assert form.least(size) == batches == len(list(form.fixtures([f"b{number}" for number in range(size)], ())))


def test_a_league_resumes_with_the_remaining_fixtures_from_any_point() -> None:
    whole = list(Batches(hands=300).fixtures(("a", "b", "c"), ()))
    for number in range(len(whole) + 1):
        assert list(Batches(hands=300).fixtures(("a", "b", "c"), [played(one) for one in whole[:number]])) == whole[number:]
