"""Who plays whom: newcomers at once, nobody starved, nobody twice running."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leagues import pair, versions

from arena.league.field import Version
from arena.league.pairing import Pairing, PairingPolicy, pairings
from arena.stats.pairs import Pair

POLICY = PairingPolicy()


def play(active: list[Version], rounds: int, played: list[Pair]) -> list[tuple[Pairing, ...]]:
    """Play rounds after those that were played, and return their pairings."""
    found = []
    start = max((int(one.deals[1:].partition("/")[0]) for one in played), default=0)
    for number in range(start + 1, start + rounds + 1):
        found.append(pairings(active, played, {}, number, POLICY))
        played += [pair(*both, number) for both in found[-1]]
    return found


@pytest.mark.parametrize("count", [4, 5, 6, 7, 12, 20, 33])
def test_nobody_meets_an_opponent_of_its_last_round_again(count: int) -> None:
    _, *rounds = play(versions(count), 60, [])
    for before, now in pairwise(rounds):
        assert not set(before) & set(now)


@pytest.mark.parametrize("count", [3, 4, 7, 20, 51])
def test_every_bot_plays_in_every_round_but_one_of_an_odd_number_which_changes(count: int) -> None:
    active = versions(count)
    _, *rounds = play(active, 40, [])
    byes: Counter[str] = Counter()
    for chosen in rounds:
        playing = [one for both in chosen for one in both]
        assert len(set(playing)) == len(playing) == count // 2 * 2
        byes.update({version.id for version in active} - set(playing))
    assert max(byes.values(), default=0) - min((byes[one.id] for one in active), default=0) <= 1


def test_all_opponents_are_met_before_one_is_met_much_more_often() -> None:
    active = versions(8)
    met = Counter(both for chosen in play(active, 71, []) for both in chosen)
    assert len(met) == 28
    assert max(met.values()) - min(met.values()) <= 2


@pytest.mark.parametrize("count", [2, 5, 9, 30])
def test_a_newcomer_meets_its_first_opponents_in_its_first_round(count: int) -> None:
    active, played = versions(count + 1), list[Pair]()
    play(active[:-1], 10, played)
    (chosen,) = play(active, 1, played)
    assert sum(active[-1].id in both for both in chosen) == min(POLICY.newcomer, count)


def test_the_first_opponents_are_spread_over_the_table() -> None:
    active, played = versions(31), list[Pair]()
    play(active[:-1], 3, played)
    ratings = {version.id: -place for place, version in enumerate(active[:-1])}
    chosen = pairings(active, played, ratings, 4, POLICY)
    places = sorted(-int(ratings[one]) for both in chosen if active[-1].id in both for one in both if one in ratings)
    assert places == [0, 4, 8, 12, 17, 21, 25, 29]


@settings(max_examples=50)
@given(st.integers(2, 12), st.integers(0, 1000))
def test_pairings_depend_on_the_results_and_not_on_their_order(count: int, seed: int) -> None:
    active, played = versions(count), list[Pair]()
    play(active, 5, played)
    shuffled = played.copy()
    Random(seed).shuffle(shuffled)
    Random(seed).shuffle(active)
    assert pairings(active, shuffled, {}, 6, POLICY) == pairings(versions(count), played, {}, 6, POLICY)


def test_fewer_than_two_bots_have_nobody_to_meet() -> None:
    assert pairings(versions(1), (), {}, 1, POLICY) == pairings((), (), {}, 1, POLICY) == ()


def test_two_bots_meet_every_time() -> None:
    assert all(len(chosen) == 1 for chosen in play(versions(2), 5, []))
