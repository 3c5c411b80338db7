"""Who plays whom in the next round: a pure function of the active versions, the results so far and the number of the round.

- A newcomer has its first opponents at once, spread over the table from the strongest to the weakest, so that it is rated after one
  round. Every other version meets one opponent a round; of an odd number the one that has had the fewest byes has one.
- A bot does not meet an opponent of its last round again, as long as the others can be arranged around that.
- Among the opponents that are left, a bot meets the one that it has met least often, then the one it met longest ago.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Annotated

from msgspec import Meta, Struct

from arena.league.field import Version
from arena.league.rounds import round_of
from arena.stats.pairs import Pair

Pairing = tuple[str, str]


class PairingPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the pairings of a round are chosen."""

    newcomer: Annotated[int, Meta(ge=1, le=100)] = 8  # opponents of a bot in its first round


class Meetings:
    """Who has met whom, and when."""

    def __init__(self, played: Iterable[Pair]) -> None:
        self.times: Counter[Pairing] = Counter()  # pairs of legs
        self.last: dict[Pairing, int] = {}  # the last round in which two met
        self.pairs: Counter[str] = Counter()  # of legs, by version
        self.rounds: defaultdict[str, set[int]] = defaultdict(set)  # in which each version has played
        for pair in played:
            self._add(pair)

    def _add(self, pair: Pair) -> None:
        both, number = between(pair.entrant, pair.opponent), round_of(pair.deals)
        self.times[both] += 1
        self.last[both] = max(self.last.get(both, 0), number)
        for one in both:
            self.pairs[one] += 1
            self.rounds[one].add(number)

    def again(self, one: str, other: str) -> bool:
        """Return whether two met in the last round of one of them."""
        met = self.last.get(between(one, other), 0)
        return met > 0 and met in (max(self.rounds[one]), max(self.rounds[other]))

    def preference(self, one: str, other: str) -> tuple[bool, int, int, str]:
        """Return how little ``other`` suits as the next opponent of ``one``: the least value suits best."""
        both = between(one, other)
        return self.again(one, other), self.times[both], self.last.get(both, 0), other


def pairings(
    active: Iterable[Version], played: Iterable[Pair], ratings: Mapping[str, float], number: int, policy: PairingPolicy
) -> tuple[Pairing, ...]:
    """Return the pairings of round ``number``, in an order that depends on nothing else; none for fewer than two versions.

    ``ratings`` are those of the table; a version that has not played has none.
    """
    met = Meetings(played)
    byes = {version.id: number - version.joined - len(met.rounds[version.id]) for version in active}
    names = sorted(byes, key=lambda name: (-byes[name], met.pairs[name], name))
    chosen: set[Pairing] = set()
    for newcomer in (name for name in names if not met.pairs[name]):
        chosen |= _first_pairings(newcomer, names, ratings, chosen, policy.newcomer)
    chosen |= _matching([name for name in names if met.pairs[name]], met)
    return tuple(sorted(chosen))


def between(one: str, other: str) -> Pairing:
    """Return the pairing of two versions, the first by name first."""
    return (one, other) if one < other else (other, one)


def _first_pairings(
    newcomer: str, names: Sequence[str], ratings: Mapping[str, float], chosen: set[Pairing], most: int
) -> set[Pairing]:
    """Return the pairings of a newcomer that are not chosen yet: with opponents at equal distances in the table."""
    has = {name for pairing in chosen if newcomer in pairing for name in pairing} - {newcomer}
    others = [name for name in names if name != newcomer and name not in has]
    table = sorted(others, key=lambda name: (-ratings.get(name, 0.0), name))
    wanted = min(most - len(has), len(table))
    return {between(newcomer, table[place]) for place in _spread(len(table), wanted)}


def _spread(size: int, wanted: int) -> list[int]:
    """Return places from 0 to ``size`` - 1 at equal distances, the first and the last among them."""
    if wanted <= 0:
        return []
    if wanted == 1:
        return [size // 2]
    return [round(number * (size - 1) / (wanted - 1)) for number in range(wanted)]


def _matching(names: Sequence[str], met: Meetings) -> set[Pairing]:
    """Return pairings in which every version has one opponent; of an odd number the last by ``names`` has none."""
    left = list(names[: len(names) // 2 * 2])
    chosen: list[Pairing] = []
    while left:
        one = left.pop(0)
        other = min(left, key=lambda name: met.preference(one, name))
        left.remove(other)
        chosen.append(between(one, other))
    return set(_without_repeats(chosen, met))


def _without_repeats(chosen: list[Pairing], met: Meetings) -> list[Pairing]:
    """Exchange opponents between two pairings where that leaves fewer that met in their last round."""
    exchanged = True
    while exchanged:
        exchanged = False
        for first, second in combinations(range(len(chosen)), 2):
            best = min(_arrangements(chosen[first], chosen[second]), key=lambda both: sum(met.again(*pairing) for pairing in both))
            if sum(met.again(*pairing) for pairing in best) < met.again(*chosen[first]) + met.again(*chosen[second]):
                chosen[first], chosen[second] = best
                exchanged = True
    return chosen


def _arrangements(one: Pairing, other: Pairing) -> list[tuple[Pairing, Pairing]]:
    """Return the other two ways in which four versions can meet."""
    (a, b), (c, d) = one, other
    return [(between(a, c), between(b, d)), (between(a, d), between(b, c))]
