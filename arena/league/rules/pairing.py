"""Who plays whom in the next round: a pure function of the active versions, the results so far and the number of the round.

- A newcomer has its first opponents at once, spread over the table from the strongest to the weakest, so that it is rated after
  one round.
- With the aim ``order`` every other version meets one opponent a round: the one that it has met least often, then the one it met
  longest ago; of an odd number one of those with the fewest byes has one.
- With the aim ``top: K`` those meet whose results say most about who belongs to the best K, and every other version plays at least
  once in ``every`` rounds.
- As few as possible meet an opponent of their last round again: with the aim ``order``, once it is known who has the bye, by the
  matching of the Swiss format (:mod:`arena.tournament.formats.swiss`).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from arena.league.rules.certainty import Aim
from arena.league.rules.field import Version
from arena.league.rules.rounds import round_of
from arena.stats.pairs import Pair
from arena.tournament.formats import swiss

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


# The pairings of a round that is to find out which versions are the best K.
#
# The boundary lies half-way between the ratings of the K-th and the next. A version is *near* it as far as it may stand on the
# wrong side: the chance that its true strength is on the other. A pairing is worth how much it lowers the variance of the ratings
# of its two versions, each times its nearness. With variances v and w before, and f that of the result of one pairing, v falls by
# v^2 / (v + w + f). So bots far from the boundary are left alone, as are those whose place is known.
#
# The value of a pairing could also be the expected fall of the chance that the order of its two is wrong, times the nearness of
# either. In simulations that needed more pairings: it leaves out what is learned of a bot from its other opponents.
#
# The greatest values are taken one after another, each version at most once a round, as long as they are not far below the first. A
# version that has not played for some rounds is due: it plays whatever its value is, if possible with another that is due.

Array = NDArray[np.float64]

SHARE = 0.5  # of the greatest value, below which no further pairing is taken
DIGITS = 6  # to which ratings and values count, so that another machine's last bit changes no pairing
UNKNOWN = 1.0  # standard error, relative to the largest, of a version without a rating


class RatedStrength(NamedTuple):
    """A rating with its standard error."""

    value: float
    error: float


class _Round:
    """The pairings of a round, while they are chosen."""

    def __init__(self, names: Sequence[str], met: Meetings) -> None:
        self._met = met
        self.names = names
        self.chosen: list[Pairing] = []
        self.busy: set[str] = set()

    def add(self, one: str, other: str) -> None:
        self.chosen.append(between(one, other))
        self.busy |= {one, other}

    def again(self, one: str, other: str) -> bool:
        return self._met.again(one, other) or between(one, other) in self.chosen

    def free(self, one: str, other: str) -> bool:
        return one not in self.busy and other not in self.busy and not self._met.again(one, other)


def focused_pairings(
    names: Sequence[str], due: Collection[str], met: Meetings, strengths: Mapping[str, RatedStrength], top: int
) -> set[Pairing]:
    """Return the pairings of versions that have all played, of which more than ``top`` are given; at least one."""
    ranked = sorted(names, key=lambda name: (-_round_strength(strengths, name), name))
    worth = _worth(ranked, met, strengths, top)
    found = _Round(ranked, met)
    _add_due([name for name in ranked if name in due], found, worth)
    _add_best(found, worth)
    return set(found.chosen) or {between(*ranked[top - 1 : top + 1])}


def _round_strength(strengths: Mapping[str, RatedStrength], name: str) -> float:
    return round(strengths[name].value, DIGITS) if name in strengths else 0.0


def _worth(ranked: Sequence[str], met: Meetings, strengths: Mapping[str, RatedStrength], top: int) -> Array:
    """Return the value of every pairing, as a symmetric table in the order of ``ranked``, with -1 on its diagonal."""
    values = np.array([_round_strength(strengths, name) for name in ranked])
    errors = np.array([strengths[name].error if name in strengths else np.nan for name in ranked])
    largest = float(np.nanmax(errors)) if np.isfinite(errors).any() else UNKNOWN
    variances = np.nan_to_num(errors, nan=largest) ** 2
    near = _beyond(np.abs(values - (values[top - 1] + values[top]) / 2) / np.sqrt(np.maximum(variances, 1e-12)))
    # the variance of a rating is about that of a result divided by the number of results
    result = float(np.median(variances * [met.pairs[name] for name in ranked]))
    fall = near[:, None] * variances[:, None] ** 2 / np.maximum(variances[:, None] + variances[None, :] + result, 1e-12)
    worth = fall + fall.T
    worth /= max(float(worth.max()), 1e-300)
    np.fill_diagonal(worth, -1.0)
    return np.asarray(np.round(worth, DIGITS))


def _beyond(distances: Array) -> Array:
    """Return the chance that a standard normal is greater, to 0.0003 (Page 1977, Applied Statistics 26, 75-76)."""
    return np.asarray(0.5 * (1 - np.tanh(np.sqrt(2 / np.pi) * (distances + 0.044715 * distances**3))))


def _add_due(due: Sequence[str], found: _Round, worth: Array) -> None:
    """Add a pairing for every version that is due, also where that gives another version two."""
    places = {name: place for place, name in enumerate(found.names)}
    for one in due:
        if one not in found.busy:
            others = _others(one, due, found, worth[places[one]])
            found.add(one, next(others))


def _others(one: str, due: Sequence[str], found: _Round, worth: Array) -> Iterator[str]:
    """Yield the possible opponents of a version that is due, the most suitable first."""
    yield from (other for other in due if other != one and found.free(one, other))
    best = [found.names[place] for place in np.argsort(-worth, kind="stable") if found.names[place] != one]
    yield from (other for other in best if found.free(one, other))
    yield from (other for other in best if not found.again(one, other))
    yield from best


def _add_best(found: _Round, worth: Array) -> None:
    """Add the pairings of the greatest values."""
    first, second = np.triu_indices(len(worth), 1)
    values = worth[first, second]
    least = 0.0
    for place in np.argsort(-values, kind="stable"):
        if values[place] < least:
            return
        one, other = found.names[first[place]], found.names[second[place]]
        if found.free(one, other):
            least = least or SHARE * float(values[place])
            found.add(one, other)


METHOD = 3  # version of how results become pairings; a round of another is not decided again by ``arena verify``


class PairingPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the pairings of a round are chosen."""

    newcomer: Annotated[int, Meta(ge=1, le=100)] = 8  # opponents of a bot in its first round
    every: Annotated[int, Meta(ge=1, le=1000)] = 8  # rounds, in which each bot plays at least once; for the aim ``top``


class _Waiting(Struct, frozen=True):
    """The versions that are to be paired, those that have waited most first."""

    names: tuple[str, ...]
    byes: Mapping[str, int]  # rounds without an opponent
    due: frozenset[str]  # that must play now

    @staticmethod
    def before(number: int, active: Iterable[Version], met: Meetings, every: int) -> "_Waiting":
        joined = {version.id: version.joined for version in active}
        byes = {name: number - first - met.rounds(name) for name, first in joined.items()}
        names = sorted(byes, key=lambda name: (-byes[name], met.pairs[name], name))
        due = (name for name in names if number - max(met.latest.get(name, 0), joined[name] - 1) >= every)
        return _Waiting(tuple(names), byes, frozenset(due))


def pairings(
    active: Iterable[Version], met: Meetings, strengths: Mapping[str, RatedStrength], number: int, policy: PairingPolicy, aim: Aim
) -> tuple[Pairing, ...]:
    """Return the pairings of round ``number``, in an order that depends on nothing else; none for fewer than two versions.

    ``strengths`` are the ratings of the table; a version that has not played needs none.
    """
    waiting = _Waiting.before(number, active, met, policy.every)
    known = [name for name in waiting.names if met.pairs[name]]
    chosen = _of_newcomers(waiting.names, met, strengths, policy.newcomer)
    if aim == "order" or aim.top >= len(known):
        chosen |= _matching(waiting, met)
    else:
        chosen |= focused_pairings(known, waiting.due, met, strengths, aim.top)
    return tuple(sorted(chosen))


def _of_newcomers(names: Sequence[str], met: Meetings, strengths: Mapping[str, RatedStrength], most: int) -> set[Pairing]:
    """Return the pairings of all that have not played."""
    table = sorted(names, key=lambda name: (-round(strengths[name].value, DIGITS) if name in strengths else 0.0, name))
    opponents: dict[str, set[str]] = {name: set() for name in names}
    for newcomer in (name for name in names if not met.pairs[name]):
        for other in _first_opponents(newcomer, table, opponents, most):
            opponents[newcomer].add(other)
            opponents[other].add(newcomer)
    return {between(one, other) for one, others in opponents.items() for other in others}


def _first_opponents(newcomer: str, table: Sequence[str], opponents: Mapping[str, set[str]], most: int) -> list[str]:
    """Return the missing opponents of a newcomer: one of each part of the table, of those with the fewest in this round."""
    has = opponents[newcomer]
    others = [name for name in table if name != newcomer and name not in has]

    def suits(place: int, best: int) -> tuple[int, int]:
        return len(opponents[others[place]]), abs(place - best)

    parts = _parts(len(others), most - len(has))
    return [others[min(part, key=lambda place: suits(place, best))] for part, best in parts]


def _parts(size: int, wanted: int) -> Iterator[tuple[range, int]]:
    """Yield equal parts of a table with the place in each that is best, so that these are at equal distances from end to end."""
    count = min(wanted, size)
    for part in range(count):
        best = round(part * (size - 1) / (count - 1)) if count > 1 else size // 2
        yield range(size * part // count, size * (part + 1) // count), best


def _matching(waiting: _Waiting, met: Meetings) -> set[Pairing]:
    """Return pairings in which every version that has played has one opponent; of an odd number one version has none."""
    names = [name for name in waiting.names if met.pairs[name]]
    fresh, entrants = _fresh(names, met), list(range(len(names)))
    if len(names) % 2:
        fewest = [at for at in reversed(entrants) if waiting.byes[names[at]] == waiting.byes[names[-1]]]
        entrants.remove(swiss.odd_one_out(fresh, entrants, fewest))

    def by_preference(first: int, others: Sequence[int]) -> Iterable[int]:
        return sorted(others, key=lambda other: met.preference(names[first], names[other]))

    return {between(names[one], names[other]) for one, other in swiss.pair_up(fresh, entrants, by_preference)}


def _fresh(names: Sequence[str], met: Meetings) -> list[int]:
    """Return for each version the bits of those that it did not meet in the last round of either."""
    place = {name: at for at, name in enumerate(names)}
    fresh = [(1 << len(names)) - 1 - (1 << at) for at in range(len(names))]
    for one, other in met.last:
        if one in place and other in place and met.again(one, other):
            fresh[place[one]] &= ~(1 << place[other])
            fresh[place[other]] &= ~(1 << place[one])
    return fresh
