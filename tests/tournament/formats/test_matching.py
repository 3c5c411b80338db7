"""Pairings with the fewest rematches, compared with all pairings of small fields."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.formats.matching import MaximumMatching, odd_one_out, pair_up

MOST = 8

edges = st.sets(st.tuples(st.integers(0, MOST - 1), st.integers(0, MOST - 1)).filter(lambda edge: edge[0] < edge[1]))


def graph(of: set[tuple[int, int]]) -> list[int]:
    fresh = [0] * MOST
    for one, other in of:
        fresh[one] |= 1 << other
        fresh[other] |= 1 << one
    return fresh


def pairings(entrants: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Yield every way to pair an even number of entrants, in the order of the first one's opponents."""
    if not entrants:
        yield []
        return
    first, *others = entrants
    for opponent in others:
        for rest in pairings([one for one in others if one != opponent]):
            yield [(first, opponent), *rest]


def rematches(fresh: Sequence[int], pairs: list[tuple[int, int]]) -> int:
    return sum(not fresh[one] >> other & 1 for one, other in pairs)


@given(met=edges, size=st.sampled_from([2, 4, 6, 8]))
def test_the_pairing_is_the_first_of_those_with_the_fewest_rematches(met: set[tuple[int, int]], size: int) -> None:
    fresh = graph(met)
    every = list(pairings(range(size)))
    fewest = min(rematches(fresh, pairs) for pairs in every)
    first = next(pairs for pairs in every if rematches(fresh, pairs) == fewest)
    assert pair_up(fresh, range(size), lambda _, others: others) == first


@pytest.mark.parametrize("written", ["07 12 13 24 26 35 45 56", "02 05 07 12 14 34 36 45 47 56 67"])
def test_a_pairing_that_an_odd_cycle_hides_is_found(written: str) -> None:
    fresh = graph({(int(edge[0]), int(edge[1])) for edge in written.split()})
    assert MaximumMatching(fresh, range(MOST)).size == MOST / 2
    assert rematches(fresh, pair_up(fresh, range(MOST), lambda _, others: others)) == 0


@given(met=edges, size=st.sampled_from([3, 5, 7]))
def test_the_bye_goes_to_the_first_candidate_without_whom_fewest_meet_again(met: set[tuple[int, int]], size: int) -> None:
    fresh = graph(met)

    def without(one: int) -> int:
        return min(rematches(fresh, pairs) for pairs in pairings([other for other in range(size) if other != one]))

    candidates = list(reversed(range(size)))
    assert odd_one_out(fresh, range(size), candidates) == min(candidates, key=without)


@given(met=edges, gone=st.sets(st.integers(0, MOST - 1), min_size=2, max_size=2))
def test_a_matching_stays_maximum_when_two_leave(met: set[tuple[int, int]], gone: set[int]) -> None:
    fresh = graph(met)
    rest = [one for one in range(MOST) if one not in gone]
    assert MaximumMatching(fresh, range(MOST)).without(*gone).size == MaximumMatching(fresh, rest).size
