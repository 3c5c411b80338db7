"""Who has met whom in the rounds of a league, and when."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from arena.league.rules.rounds import round_of
from arena.stats.pairs import Pair

Pairing = tuple[str, str]  # of two versions, the first by name first


class Meetings:
    """Pairs of legs by their versions and rounds; the order in which they are added does not matter."""

    def __init__(self, played: Iterable[Pair] = ()) -> None:
        self.times: Counter[Pairing] = Counter()  # pairs of legs
        self.last: dict[Pairing, int] = {}  # the last round in which two met
        self.pairs: Counter[str] = Counter()  # of legs, by version
        self.latest: dict[str, int] = {}  # the last round of each version
        self._rounds: defaultdict[str, set[int]] = defaultdict(set)  # in which each version has played
        for pair in played:
            self.add(between(pair.entrant, pair.opponent), round_of(pair.deals))

    def add(self, both: Pairing, number: int) -> None:
        """Count a pair of legs that two versions have played in a round."""
        self.times[both] += 1
        self.last[both] = max(self.last.get(both, 0), number)
        for one in both:
            self.pairs[one] += 1
            self.latest[one] = max(self.latest.get(one, 0), number)
            self._rounds[one].add(number)

    def rounds(self, one: str) -> int:
        """Return in how many rounds a version has played."""
        return len(self._rounds[one]) if one in self._rounds else 0

    def again(self, one: str, other: str) -> bool:
        """Tell whether two met in the last round of one of them."""
        met = self.last.get(between(one, other), 0)
        return met > 0 and met in (self.latest[one], self.latest[other])

    def preference(self, one: str, other: str) -> tuple[bool, int, int, str]:
        """Return the sort key of ``other`` as the next opponent of ``one``: the least suits best."""
        both = between(one, other)
        return self.again(one, other), self.times.get(both, 0), self.last.get(both, 0), other


def between(one: str, other: str) -> Pairing:
    """Return the pairing of two versions, the first by name first."""
    return (one, other) if one < other else (other, one)
