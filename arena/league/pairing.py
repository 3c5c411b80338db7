"""Who plays whom in the next round: a pure function of the active versions, the results so far and the number of the round.

- A newcomer has its first opponents at once, spread over the table from the strongest to the weakest, so that it is rated after one
  round.
- With the aim ``order`` every other version meets one opponent a round: the one that it has met least often, then the one it met
  longest ago; of an odd number the one that has had the fewest byes has one.
- With the aim ``top: K`` those meet whose results say most about who belongs to the best K (:mod:`arena.league.focus`), and every
  other version plays at least once in ``every`` rounds.
- A bot does not meet an opponent of its last round again, as long as the others can be arranged around that.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from arena.league import focus
from arena.league.certainty import Aim
from arena.league.field import Version
from arena.league.focus import RatedStrength
from arena.league.meetings import Meetings, Pairing, between

METHOD = 2  # version of how results become pairings; a round of another is not decided again by ``arena verify``


class PairingPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the pairings of a round are chosen."""

    newcomer: Annotated[int, Meta(ge=1, le=100)] = 8  # opponents of a bot in its first round
    every: Annotated[int, Meta(ge=1, le=1000)] = 8  # rounds, in which each bot plays at least once; for the aim ``top``


class _Waiting(Struct, frozen=True):
    """The versions that are to be paired, those that have waited most first."""

    names: tuple[str, ...]
    due: frozenset[str]  # that must play now

    @staticmethod
    def before(number: int, active: Iterable[Version], met: Meetings, every: int) -> "_Waiting":
        joined = {version.id: version.joined for version in active}
        byes = {name: number - first - met.rounds(name) for name, first in joined.items()}
        names = sorted(byes, key=lambda name: (-byes[name], met.pairs[name], name))
        due = (name for name in names if number - max(met.latest.get(name, 0), joined[name] - 1) >= every)
        return _Waiting(tuple(names), frozenset(due))


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
        chosen |= _matching(known, met)
    else:
        chosen |= focus.pairings(known, waiting.due, met, strengths, aim.top)
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
    while any(_exchange(chosen, place, met) for place in range(len(chosen)) if met.again(*chosen[place])):
        pass
    return chosen


def _exchange(chosen: list[Pairing], place: int, met: Meetings) -> bool:
    """Exchange the opponents of a pairing with those of the one where that helps most; return whether it helped."""
    least, best = 0, None
    for other in range(len(chosen)):
        if other != place:
            before = met.again(*chosen[place]) + met.again(*chosen[other])
            for both in _arrangements(chosen[place], chosen[other]):
                change = sum(met.again(*pairing) for pairing in both) - before
                if change < least:
                    least, best = change, (other, both)
    if best:
        partner, (first, second) = best
        chosen[place], chosen[partner] = first, second
    return best is not None


def _arrangements(one: Pairing, other: Pairing) -> list[tuple[Pairing, Pairing]]:
    """Return the other two ways in which four versions can meet."""
    (a, b), (c, d) = one, other
    return [(between(a, c), between(b, d)), (between(a, d), between(b, c))]
