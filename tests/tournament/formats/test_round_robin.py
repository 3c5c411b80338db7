"""The round robin, and its remaining fixtures after any interruption."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.tournament.formats.round_robin import RoundRobin, Single

names = st.lists(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,6}", fullmatch=True), min_size=2, max_size=6, unique=True)
alike = st.lists(st.sampled_from(["a", "b", "a-b", "b-c", "c", "a-b-c", "a.b", "-a"]), min_size=2, max_size=6, unique=True)
fields = names | alike
leagues = st.builds(RoundRobin, pairs=st.integers(1, 3))


def played(fixture: Fixture) -> Result:
    return Result(fixture=fixture, winner=0, games=(1, 0), points=(10, 0), hands=1)


@given(field=fields, league=leagues)
def test_every_two_entrants_play_all_their_pairs(field: list[str], league: RoundRobin) -> None:
    meetings = Counter(frozenset(fixture.seats) for fixture in league.fixtures(field, []))
    assert meetings == {frozenset(two): 2 * league.pairs for two in combinations(field, 2)}
    assert league.least(len(field)) == meetings.total()


@given(field=fields, league=leagues)
def test_fixture_ids_are_unique(field: list[str], league: RoundRobin) -> None:
    ids = [fixture.id for fixture in league.fixtures(field, [])]
    assert len(set(ids)) == len(ids)


@given(field=fields, league=leagues)
def test_the_two_legs_of_a_pair_share_their_deals_and_swap_the_seats(field: list[str], league: RoundRobin) -> None:
    by_deals: dict[str, list[Fixture]] = {}
    for fixture in league.fixtures(field, []):
        by_deals.setdefault(fixture.deals, []).append(fixture)
    for legs in by_deals.values():
        assert Counter(leg.seats for leg in legs) == Counter(leg.seats[::-1] for leg in legs)
        assert len(legs) == 2


@given(field=fields, league=leagues, cut=st.integers(0, 100), order=st.randoms(use_true_random=False))
def test_after_any_part_the_rest_is_returned(field: list[str], league: RoundRobin, cut: int, order: Random) -> None:
    every = list(league.fixtures(field, []))
    finished = order.sample(every, min(cut, len(every)))
    left = list(league.fixtures(field, [played(fixture) for fixture in finished]))
    assert left == [fixture for fixture in every if fixture not in finished]


@given(field=fields, newcomer=st.just("newcomer"), league=leagues)
def test_a_new_entrant_adds_only_its_own_fixtures(field: list[str], newcomer: str, league: RoundRobin) -> None:
    before = [played(fixture) for fixture in league.fixtures(field, [])]
    added = list(league.fixtures([*field, newcomer], before))
    assert all(newcomer in fixture.seats for fixture in added)
    assert len(added) == 2 * league.pairs * len(field)


def test_all_entrants_progress_at_the_same_rate() -> None:
    half = list(RoundRobin(pairs=2).fixtures(["a", "b", "c"], []))[:6]
    assert Counter(name for fixture in half for name in fixture.seats) == {"a": 4, "b": 4, "c": 4}


def test_a_single_match_is_played_once_by_two() -> None:
    (fixture,) = Single(hands=3).fixtures(["a", "b"], [])
    assert (fixture.id, fixture.seats, fixture.deals, fixture.hands) == ("a:b/0", ("a", "b"), "a:b", 3)
    assert list(Single(hands=3).fixtures(["a", "b"], [played(fixture)])) == []
    with pytest.raises(SpecError, match=r"^format single: 3 bots; expected two$"):
        Single().fixtures(["a", "b", "c"], [])
