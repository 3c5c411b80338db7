"""Who plays whom in the next round: a pure function of the active versions, the results so far and the number of the round.

- A newcomer has its first opponents at once, spread over the table from the strongest to the weakest, so that it is rated after one
  round.
- With the aim ``order`` every other version meets one opponent a round: the one that it has met least often, then the one it met
  longest ago; of an odd number one of those with the fewest byes has one.
- With the aim ``top: K`` those meet whose results say most about who belongs to the best K (:mod:`arena.league.focus`), and every
  other version plays at least once in ``every`` rounds.
- As few as possible meet an opponent of their last round again: with the aim ``order``, once it is known who has the bye, by the
  matching of the Swiss format (:mod:`arena.tournament.formats.matching`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from arena.league import focus
from arena.league.certainty import Aim
from arena.league.field import Version
from arena.league.focus import RatedStrength
from arena.league.meetings import Meetings, Pairing, between
from arena.tournament.formats import matching

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
        chosen |= focus.focused_pairings(known, waiting.due, met, strengths, aim.top)
    return tuple(sorted(chosen))


def _of_newcomers(names: Sequence[str], met: Meetings, strengths: Mapping[str, RatedStrength], most: int) -> set[Pairing]:
    """Return the pairings of all that have not played."""
    table = sorted(names, key=lambda name: (-round(strengths[name].value, focus.DIGITS) if name in strengths else 0.0, name))
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
        entrants.remove(matching.odd_one_out(fresh, entrants, fewest))

    def preferred(first: int, others: Sequence[int]) -> Iterable[int]:
        return sorted(others, key=lambda other: met.preference(names[first], names[other]))

    return {between(names[one], names[other]) for one, other in matching.pair_up(fresh, entrants, preferred)}


def _fresh(names: Sequence[str], met: Meetings) -> list[int]:
    """Return for each version the bits of those that it did not meet in the last round of either."""
    place = {name: at for at, name in enumerate(names)}
    fresh = [(1 << len(names)) - 1 - (1 << at) for at in range(len(names))]
    for one, other in met.last:
        if one in place and other in place and met.again(one, other):
            fresh[place[one]] &= ~(1 << place[other])
            fresh[place[other]] &= ~(1 << place[one])
    return fresh
