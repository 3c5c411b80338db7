"""A Swiss tournament: in each round entrants of about the same score meet, and as few as possible of them have met before.

The order in a round is that of the scores, then of the spec. Within a score the upper half meets the lower half, the first of one
against the first of the other; who is left over meets the next score. If the number is odd, one entrant has a bye. It is chosen
among those with the fewest byes: the one whose absence forces the fewest rematches, of several the last in order. Then the others
are paired with the fewest rematches possible (``pair_up``). So a rematch is played only where an unfair bye, or another pairing in
an earlier round, would have been needed to avoid it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil, log2
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.reports.numbers import count
from arena.stats.pairs import Meeting, meeting
from arena.stats.standings import (
    TIE_BREAKS,
    Details,
    Encounter,
    Encounters,
    Places,
    PlaceTable,
    Scores,
    TieBreak,
    encounter,
    how_decided,
    place_table,
)
from arena.tournament.formats.base import Format, leg_by_leg, pair_of_legs

# Matchups: two entrants who meet in a round, the fixtures that they play, and what is known of them.
#
# The formats that play in rounds share one rule. A round is asked for as a whole, and the next one when all of it has been played,
# so its fixtures follow from complete rounds alone, and ``arena verify`` can ask for them again.

Pairs = Annotated[int, Meta(ge=1, le=100_000)]
TieBreaks = Annotated[tuple[TieBreak, ...], Meta(max_length=20)]


class Matchup(Struct, frozen=True):
    """Two entrants who meet in a round; names and numbers of rounds cannot contain a colon or a slash, so keys are unique."""

    round: int  # from 1
    one: str
    other: str

    @property
    def key(self) -> str:
        """Return the common beginning of the ids and deals of its fixtures."""
        return f"r{self.round}/{self.one}:{self.other}"

    def legs(self, pair: int) -> list[Fixture]:
        """Return the two fixtures of a pair."""
        return pair_of_legs(self.one, self.other, f"{self.key}/{pair}")


class MatchupIndex:
    """The results so far, by fixture and by matchup."""

    def __init__(self, played: Iterable[Result]) -> None:
        self._done: dict[str, Result] = {}
        self._by_matchup = defaultdict[str, list[Result]](list)
        for result in played:
            self._done[result.fixture.id] = result
            self._by_matchup[result.fixture.deals.rpartition("/")[0]].append(result)

    def missing(self, matchups: Sequence[Matchup], pairs: range) -> list[Fixture]:
        """Return the fixtures of these pairs that have not been played, leg by leg, so that neighbours have different deals."""
        legs = leg_by_leg(matchup.legs(pair) for pair in pairs for matchup in matchups)
        return [leg for leg in legs if leg.id not in self._done]

    def meeting(self, matchup: Matchup) -> Meeting:
        """Return the sum of a matchup's results so far."""
        return meeting(matchup.one, matchup.other, self._by_matchup[matchup.key])

    def meetings(self, matchups: Iterable[Matchup], pairs: int) -> list[Meeting]:
        """Return the meetings that are complete."""
        return [met for met in map(self.meeting, matchups) if met.legs == 2 * pairs]

    def encounters(self, matchup: Matchup, pairs: int) -> dict[str, Encounter]:
        """Return a matchup of ``pairs`` pairs from the point of view of each of its two entrants."""
        met = self.meeting(matchup)
        return {name: encounter(met, name, over=met.legs == 2 * pairs) for name in (matchup.one, matchup.other)}


def check_once(tie_breaks: Sequence[TieBreak]) -> None:
    """Raise ValueError for a tie-break that is named twice."""
    names = [one.name for one in tie_breaks]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"tie_breaks: {name!r} is named {names.count(name)} times; expected once")


class SwissRound(Struct, frozen=True):
    """The pairings of a round."""

    matchups: tuple[Matchup, ...]
    bye: str | None = None  # the entrant that has it; None: the number of entrants is even


class Swiss(Format, frozen=True, kw_only=True, tag="swiss"):
    """In each round every entrant plays ``pairs`` pairs of matches against one of about the same score, if possible a new opponent.

    A pairing is won by more matches, then more games, and scores 1, a draw a half, a bye 1. There are by default as many ``rounds``
    as in a knockout: three for 5 to 8 entrants. Entrants of equal score are separated by ``tie_breaks``.
    """

    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None
    pairs: Pairs = 1
    tie_breaks: TieBreaks = TIE_BREAKS

    def __post_init__(self) -> None:
        """Raise ValueError for a tie-break that is named twice."""
        check_once(self.tie_breaks)

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current round, or the next round. Raises: SpecError, for too many rounds."""
        self._check(len(field))
        index = MatchupIndex(played)
        return index.missing(self._rounds(field, index)[-1].matchups, range(self.pairs))

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> Places:
        """Return the order by score and tie-breaks, on the pairings that are complete."""
        return self._table(field, played).places

    def details(self, field: Sequence[str], played: Sequence[Result]) -> Details:
        """Return the ranking with its rounds and tie-breaks."""
        table = self._table(field, played)
        stage = f"round {len(table.encounters)} of {self._count(len(field))}"
        return Details(decided=how_decided(table), stage=stage, title="Rounds", tables=[table])

    def least(self, size: int) -> int:
        """Return the number of fixtures."""
        return 2 * self.pairs * (size // 2) * self._count(size)

    def explain(self, size: int) -> Iterator[str]:
        """Yield what is played, and what it can tell."""
        bye = ", and one entrant has a bye" if size % 2 else ""
        each = f"{count(self.pairs, 'pair')} of matches"
        rounds = self._count(size)
        played = f"{count(rounds, 'round')} of {count(size // 2, 'pairing')}"
        yield f"{played}, each {each}{bye}; a round begins when the one before it is over"
        met = f"{self._opponent_count(size)} of its {count(size - 1, 'opponent')}"
        yield f"each entrant meets {met}: the first and the last places are the most reliable"

    def _opponent_count(self, size: int) -> str:
        """Return the number of opponents of an entrant, if none meet again; the number of byes differs by at most one."""
        rounds = self._count(size)
        if size % 2 == 0:
            return f"{rounds}"
        return f"{rounds - 1}" if rounds == size else f"{rounds}, or {rounds - 1} and has a bye,"

    def _count(self, size: int) -> int:
        return self.rounds or max(1, ceil(log2(size)))

    def _check(self, size: int) -> None:
        most = size - 1 + size % 2
        if self._count(size) > most:
            found = f"{self.rounds} rounds for {size} bots"
            raise SpecError(f"format swiss: {found}; expected at most {most}, in which all can meet once")

    def _rounds(self, field: Sequence[str], index: MatchupIndex) -> list[SwissRound]:
        """Return the rounds whose pairings are known: those that are over, and the one in play."""
        rounds: list[SwissRound] = []
        for number in range(1, self._count(len(field)) + 1):
            known = self._scores(field, rounds, index)
            rounds.append(_pair_round(number, field, known, rounds))
            if index.missing(rounds[-1].matchups, range(self.pairs)):
                break
        return rounds

    def _scores(self, field: Sequence[str], rounds: Sequence[SwissRound], index: MatchupIndex) -> Scores:
        meetings = index.meetings((one for each in rounds for one in each.matchups), self.pairs)
        return Scores(field, meetings, Counter(each.bye for each in rounds if each.bye))

    def _table(self, field: Sequence[str], played: Sequence[Result]) -> PlaceTable:
        index = MatchupIndex(played)
        rounds = self._rounds(field, index)
        title = f"Swiss, round {len(rounds)} of {self._count(len(field))}"
        met = [Encounters(f"round {number}", self._met(one, index)) for number, one in enumerate(rounds, 1)]
        return replace(place_table(title, self._scores(field, rounds, index), self.tie_breaks), encounters=met)

    def _met(self, played: SwissRound, index: MatchupIndex) -> dict[str, Encounter]:
        """Return the meetings of a round by entrant."""
        bye = {played.bye: Encounter("", outcome=1)} if played.bye else {}
        return bye | {name: met for one in played.matchups for name, met in index.encounters(one, self.pairs).items()}


def _pair_round(number: int, field: Sequence[str], scores: Scores, rounds: Sequence[SwissRound]) -> SwissRound:
    """Return the pairings of the next round."""
    order = sorted(field, key=lambda name: -scores.score(name))  # stable: equal scores stay in the order of the spec
    unmet = unmet_masks(order, ((one.one, one.other) for each in rounds for one in each.matchups))
    bye = _bye(order, unmet, rounds) if len(order) % 2 else None
    entrants = [one for one in range(len(order)) if one != bye]
    half_points = [scores.score(name) for name in order]
    pairs = pair_up(unmet, entrants, lambda first, others: _preference(half_points, first, others))
    return SwissRound(tuple(Matchup(number, order[one], order[other]) for one, other in pairs), None if bye is None else order[bye])


def _bye(order: Sequence[str], unmet: Sequence[int], rounds: Sequence[SwissRound]) -> int:
    """Return the place of the bye: of those with the fewest byes the last one whose absence leaves the fewest rematches."""
    byes = Counter(each.bye for each in rounds)
    fewest = min(byes[name] for name in order)
    candidates = [at for at in reversed(range(len(order))) if byes[order[at]] == fewest]
    return odd_one_out(unmet, range(len(order)), candidates)


def _preference(scores: Sequence[int], first: int, others: Sequence[int]) -> list[int]:
    """Return the opponents in the order in which the first entrant prefers them.

    Of its own score it prefers the first of the lower half, then those nearest to it; then come the other scores in their order.
    """
    same = sum(scores[one] == scores[first] for one in others)
    middle = (same - 1) // 2
    own = sorted(range(same), key=lambda at: abs(at - middle))
    return [others[at] for at in own] + list(others[same:])


# Pairs entrants so that as few as possible meet again: a maximum matching, kept maximum while its vertices are paired one by one.
#
# The vertices are entrants, 0 for the first; an edge joins two that have not met. ``pair_up`` takes the first entrant that is left
# and pairs it with the opponent that it prefers most among those that do not cost a rematch. A choice costs a rematch if fewer new
# pairings are possible after it, its own included. No choice is ever taken back, because the one before it has ensured that the
# rest can be paired. So the result is well defined: the fewest rematches possible; among those pairings the
# best opponent for the first entrant, then for the next one that is left, and so on.
#
# When two entrants leave the graph, their former partners look for others. A search for a path between them almost always ends at
# once, since few entrants have met; about 250 searches pair 250 entrants.
#
# Source of the search, which contracts odd cycles: Edmonds (1965), Paths, trees, and flowers.

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
        return [one for one in _bits(self._left) if self._mates[one] == UNMATCHED]

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
        free = sum(1 << one for one in _bits(left) if self._mates[one] == UNMATCHED and one != self._root)
        for one in self._queue:  # it grows in the loop
            # a free neighbour first, because it ends the search
            for other in _bits(edges[one] & free or edges[one] & left):
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


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
