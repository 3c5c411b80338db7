"""Pairs a round so that the later ones need no rematch either.

Without rematches, rounds are disjoint perfect matchings of the graph of pairs that have not met; with an odd number, the bye is one
more vertex. A round that is paired by itself can leave a graph without such a matching. By Dirac's theorem that cannot happen while
each has half of the others left to meet, so only later rounds are checked. What shows that the rest can be paired is a *plan*: a
matching for each round that is left. A round that is not of the plan is taken only if a plan for the rest is found; otherwise the
best round of the plan is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from arena.tournament.formats.matching import MaximumMatching, Preference

Pairing = frozenset[tuple[int, int]]  # the lower vertex of each pair first
Graph = tuple[int, ...]  # for each vertex the mask of those that it has not met

LARGEST: Final = 24  # vertices; the search for a plan of more takes too long
TRIED: Final = 24  # pairings of a round that are tried, the preferred ones first
TRIED_A_BYE: Final = 6  # of them with the same bye
STEPS: Final = 400  # matchings that are tried to find a plan


def avoids_rematches(size: int, rounds: int) -> bool:
    """Tell whether ``rounds`` rounds of an even number of vertices are paired without a rematch, by Dirac's theorem or a plan."""
    return rounds <= size // 2 or size <= LARGEST


def is_needed(size: int, number: int, rounds: int) -> bool:
    """Tell whether round ``number`` must be paired with a view to the later ones."""
    return size <= LARGEST and size // 2 < rounds and size // 2 <= number


def as_pairing(pairs: Iterable[tuple[int, int]]) -> Pairing:
    """Return pairs as a pairing."""
    return frozenset((min(pair), max(pair)) for pair in pairs)


def pairings(unmet: Sequence[int], entrants: Iterable[int], prefer: Preference) -> Iterator[list[tuple[int, int]]]:
    """Yield the pairings of all entrants without a rematch: the preferred one first, then those that differ in the last pairs."""
    first, *others = entrants
    for opponent in prefer(first, others):
        rest = [one for one in others if one != opponent]
        if not unmet[first] >> opponent & 1 or 2 * MaximumMatching(unmet, rest).size < len(rest):
            continue
        if rest:
            yield from ([(first, opponent), *more] for more in pairings(unmet, rest, prefer))
        else:
            yield [(first, opponent)]


def choose(
    size: int,
    played: Sequence[Pairing],
    later: int,
    candidates: Callable[[Sequence[int]], Iterable[Pairing]],
    cost: Callable[[Pairing], Any],
) -> Pairing | None:
    """Return the first candidate after which ``later`` rounds can be paired, else the cheapest of the plan; None: there is none."""
    graph = _graph(size, played)
    for candidate in islice(candidates(graph), TRIED):
        if _plan(_without(graph, candidate), later) is not None:
            return candidate
    return min(_known(size, played, later + 1), key=cost, default=None)


def _known(size: int, played: Sequence[Pairing], rounds: int) -> tuple[Pairing, ...]:
    """Return the plan for the ``rounds`` that are left: one from before, without what was played since; () if unknown."""
    for since in range(len(played), size // 2 - 2, -1):
        plan = _plan(_graph(size, played[:since]), rounds + len(played) - since) or ()
        if plan and all(one in plan for one in played[since:]):
            return tuple(one for one in plan if one not in played[since:])
    return ()


def _graph(size: int, played: Iterable[Pairing]) -> Graph:
    graph: Graph = tuple((1 << size) - 1 - (1 << one) for one in range(size))
    for pairing in played:
        graph = _without(graph, pairing)
    return graph


def _without(graph: Graph, pairing: Pairing) -> Graph:
    """Return a graph without the edges of a pairing."""
    left = list(graph)
    for one, other in pairing:
        left[one] &= ~(1 << other)
        left[other] &= ~(1 << one)
    return tuple(left)


@lru_cache(maxsize=4096)
def _plan(graph: Graph, rounds: int) -> tuple[Pairing, ...] | None:
    """Return disjoint perfect matchings, one for each of ``rounds``; None: none were found in STEPS trials."""
    steps = iter(range(STEPS))

    def search(graph: Graph, left: int) -> tuple[Pairing, ...] | None:
        if left == 0:
            return ()
        for found in map(as_pairing, pairings(graph, range(len(graph)), lambda _, others: others)):
            if next(steps, None) is None:
                return None
            rest = search(_without(graph, found), left - 1)
            if rest is not None:
                return (found, *rest)
        return None

    return search(graph, rounds)
