"""Meetings: who has met whom, how often and when."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from arena.league.rules.rounds import round_of
from arena.stats.pairs import Pair

Pairing = tuple[str, str]  # of two versions, the first by name first


class Meetings:
    """Pairs of legs by their versions and rounds; the order in which they are added does not matter."""

    def __init__(self, played: Iterable[Pair] = ()) -> None:
        self.times: Counter[Pairing] = Counter()  # pairs of legs
        self.last: Counter[Pairing] = Counter()  # the last round in which two met
        self.pairs: Counter[str] = Counter()  # of legs, by version
        self.last_round: Counter[str] = Counter()  # of each version
        self._rounds: defaultdict[str, set[int]] = defaultdict(set)  # all rounds of each version
        for pair in played:
            self.add(between(pair.entrant, pair.opponent), round_of(pair.deals))

    def add(self, both: Pairing, number: int) -> None:
        """Count a pair of legs that two versions have played in a round."""
        self.times[both] += 1
        self.last[both] = max(self.last[both], number)
        for one in both:
            self.pairs[one] += 1
            self.last_round[one] = max(self.last_round[one], number)
            self._rounds[one].add(number)

    def rounds(self, one: str, first: int) -> int:
        """Return the number of rounds from round ``first`` on in which a version has played."""
        return sum(number >= first for number in self._rounds.get(one, ()))

    def met_last(self, one: str, other: str) -> bool:
        """Tell whether two versions met in the last round of one of them."""
        met = self.last[between(one, other)]
        return met > 0 and met in (self.last_round[one], self.last_round[other])

    def preference(self, one: str, other: str) -> tuple[bool, int, int, str]:
        """Return the sort key of ``other`` as the next opponent of ``one``; the least is the best opponent."""
        both = between(one, other)
        return self.met_last(one, other), self.times[both], self.last[both], other


def between(one: str, other: str) -> Pairing:
    """Return the pairing of two versions, the first by name first."""
    return (one, other) if one < other else (other, one)
