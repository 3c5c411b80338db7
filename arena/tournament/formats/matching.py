"""Pairs entrants so that as few as possible meet again: a maximum matching, kept maximum while its vertices are paired one by one.

The vertices are entrants, 0 for the first; an edge joins two that have not met. ``pair_up`` takes the first entrant that is left
and pairs it with the opponent that it prefers most among those that do not cost a rematch. A choice costs a rematch if fewer new
pairings are possible after it, its own included. No choice is ever taken back, because the one before it has ensured that the
rest can be paired. So the result is well defined: the fewest rematches possible; among those pairings the
best opponent for the first entrant, then for the next one that is left, and so on.

When two entrants leave the graph, their former partners look for others. A search for a path between them almost always ends at
once, since few entrants have met; about 250 searches pair 250 entrants.

Source of the search, which contracts odd cycles: Edmonds (1965), Paths, trees, and flowers.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

UNMATCHED = -1

Preference = Callable[[int, Sequence[int]], Iterable[int]]  # of the first entrant and the others left: opponents, best first


def unmet_masks(order: Sequence[str], met: Iterable[tuple[str, str]]) -> list[int]:
    """Return for each place in the order a bit mask of the places of the entrants that it has not met; ``met``: those that have."""
    place = {name: at for at, name in enumerate(order)}
    unmet = [(1 << len(order)) - 1 - (1 << at) for at in range(len(order))]
    for one, other in met:
        unmet[place[one]] &= ~(1 << place[other])
        unmet[place[other]] &= ~(1 << place[one])
    return unmet


def pair_up(unmet: Sequence[int], entrants: Iterable[int], prefer: Preference) -> list[tuple[int, int]]:
    """Return pairs of all ``entrants``, an even number of them, in their order, with as few rematches as possible.

    Bit ``j`` of ``unmet[i]`` says that ``i`` and ``j`` have not met. ``prefer`` must return each of the others that are left
    once.
    """
    left = list(entrants)
    matching = MaximumMatching(unmet, left)
    pairs = []
    while left:
        first, *others = left
        opponent, matching = _best(matching, first, prefer(first, others))
        left = [one for one in others if one != opponent]
        pairs.append((first, opponent))
    return pairs


def odd_one_out(unmet: Sequence[int], entrants: Sequence[int], candidates: Iterable[int]) -> int:
    """Return the first candidate without whom the other ``entrants`` can be paired with the fewest rematches."""
    matching = MaximumMatching(unmet, entrants)
    tried = [*candidates]
    without_loss = (one for one in tried if matching.without(one).size == matching.size)
    return next(without_loss, tried[0])


def _best(matching: "MaximumMatching", first: int, opponents: Iterable[int]) -> "tuple[int, MaximumMatching]":
    """Return the first opponent that does not cost a rematch, and the matching of the rest."""
    for opponent in opponents:
        rest = matching.without(first, opponent)
        if rest.size + matching.joins(first, opponent) == matching.size:
            return opponent, rest
    raise AssertionError("some opponent leaves a maximum matching: the partner, or another entrant without one")


class MaximumMatching:
    """A matching with as many edges as possible."""

    def __init__(self, unmet: Sequence[int], entrants: Iterable[int]) -> None:
        """Find a matching among ``entrants``; other vertices of the graph are left out."""
        self._unmet = unmet
        self._left = sum(1 << one for one in entrants)
        self._mates = [UNMATCHED] * len(unmet)
        self.size = 0  # edges
        for one in self._free():
            self._augment_if_free(one)

    def joins(self, one: int, other: int) -> bool:
        """Tell whether two have not met."""
        return bool(self._unmet[one] >> other & 1)

    def without(self, *entrants: int) -> "MaximumMatching":
        """Return a maximum matching of the graph without some vertices."""
        rest = MaximumMatching(self._unmet, ())
        rest._left, rest._mates, rest.size = self._left, self._mates.copy(), self.size
        for one in entrants:
            rest._leave(one)
        for one in rest._free():
            rest._augment_if_free(one)
        return rest

    def _leave(self, one: int) -> None:
        """Remove a vertex from the graph, and its edge from the matching."""
        self._left &= ~(1 << one)
        mate = self._mates[one]
        if mate != UNMATCHED:
            self._mates[one] = self._mates[mate] = UNMATCHED
            self.size -= 1

    def _free(self) -> list[int]:
        """Return the vertices without a partner."""
        return [one for one in bits(self._left) if self._mates[one] == UNMATCHED]

    def _augment_if_free(self, root: int) -> None:
        """Enlarge the matching by an augmenting path from a vertex, if it has no partner and there is such a path."""
        if self._mates[root] != UNMATCHED:
            return
        tree = _Tree(self._mates, root)
        end = tree.grow(self._unmet, self._left)
        self.size += end != UNMATCHED
        while end != UNMATCHED:
            before = tree.parents[end]
            following = self._mates[before]
            self._mates[end], self._mates[before] = before, end
            end = following


class _Tree:
    """The vertices that alternating paths from a root reach; an odd cycle (a blossom) counts as one vertex, its base."""

    def __init__(self, mates: Sequence[int], root: int) -> None:
        self._mates = mates
        self._root = root
        self._bases = list(range(len(mates)))
        self._outer = 1 << root  # vertices at an even distance from the root
        self._queue = [root]
        self.parents = [UNMATCHED] * len(mates)  # of vertices at an odd distance, and of those in a blossom

    def grow(self, edges: Sequence[int], left: int) -> int:
        """Return the free end of an augmenting path; UNMATCHED if there is no such path."""
        free = sum(1 << one for one in bits(left) if self._mates[one] == UNMATCHED and one != self._root)
        for one in self._queue:  # it grows in the loop
            # a free neighbour first, because it ends the search
            for other in bits(edges[one] & free or edges[one] & left):
                if self._bases[one] == self._bases[other] or self._mates[one] == other:
                    continue
                if self._outer >> other & 1:
                    self._contract(one, other)
                elif self.parents[other] == UNMATCHED:
                    self.parents[other] = one
                    if self._mates[other] == UNMATCHED:
                        return other
                    self._reach(self._mates[other])
        return UNMATCHED

    def _reach(self, one: int) -> None:
        if not self._outer >> one & 1:
            self._outer |= 1 << one
            self._queue.append(one)

    def _contract(self, one: int, other: int) -> None:
        """Make one vertex of the odd cycle that the edge between two outer vertices closes."""
        base = self._common_base(one, other)
        cycle = {*self._up_to(base, one, other), *self._up_to(base, other, one)}
        for vertex, its_base in enumerate(self._bases):
            if its_base in cycle:
                self._bases[vertex] = base
                self._reach(vertex)

    def _common_base(self, one: int, other: int) -> int:
        above = set(self._way_up(one))
        return next(base for base in self._way_up(other) if base in above)

    def _way_up(self, one: int) -> Iterator[int]:
        """Yield the bases on the path to the root."""
        while True:
            one = self._bases[one]
            yield one
            if self._mates[one] == UNMATCHED:
                return
            one = self.parents[self._mates[one]]

    def _up_to(self, base: int, one: int, child: int) -> Iterator[int]:
        """Yield the bases from ``one`` to below ``base``, and let the path be followed downwards as well, through ``child``."""
        while self._bases[one] != base:
            mate = self._mates[one]
            yield from (self._bases[one], self._bases[mate])
            self.parents[one] = child
            child = mate
            one = self.parents[mate]


def bits(mask: int) -> Iterator[int]:
    """Yield the places of the bits of a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
