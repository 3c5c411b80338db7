"""Who plays whom in the next round: a pure function of the active versions, the results so far and the number of the round.

- A newcomer has its first opponents at once, spread over the table from the strongest to the weakest, so that it is rated after
  one round.
- With the aim ``order`` every other version meets one opponent a round: the one that it has met least often, then the one it met
  longest ago. If their number is odd, one with the smallest share of byes in its rounds has a bye.
- With the aim ``top: K`` the versions meet whose results say most about who belongs to the best K, and every version plays at least
  once in ``every`` rounds. While at most K versions have played, they are paired as with the aim ``order``.
- Versions avoid the opponents of their last round. With the aim ``order`` the matching of the Swiss format
  (:mod:`arena.tournament.formats.swiss`) makes such pairings as few as possible, after the bye is decided.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated

from msgspec import Meta, Struct

from arena.league.rules.aims import Aim
from arena.league.rules.field import Version
from arena.league.rules.focused_pairings import RatedStrength, focused_pairings, rounded_rating
from arena.league.rules.meetings import Meetings, Pairing, between
from arena.tournament.formats import matching

METHOD = 5  # version of the pairing method; ``arena verify`` does not decide rounds of other versions again


class PairingPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the pairings of a round are chosen."""

    newcomer: Annotated[int, Meta(ge=1, le=100)] = 8  # opponents of a bot in its first round
    every: Annotated[int, Meta(ge=1, le=1000)] = 8  # rounds, in which each bot plays at least once; for the aim ``top``


def pairings(
    active: Iterable[Version], met: Meetings, strengths: Mapping[str, RatedStrength], number: int, policy: PairingPolicy, aim: Aim
) -> tuple[Pairing, ...]:
    """Return the pairings of round ``number``, sorted; none for fewer than two versions.

    ``strengths`` are the ratings that pairings follow from; a version that has not played needs none.
    """
    joined = {version.id: version.joined for version in active}
    # of the rounds since a version joined, the share without an opponent
    byes = {name: Fraction(number - first - met.rounds(name, first), max(number - first, 1)) for name, first in joined.items()}
    names = sorted(byes, key=lambda name: (-byes[name], met.pairs[name], name))  # those that have waited most first
    known = [name for name in names if met.pairs[name]]
    chosen = _newcomer_pairings(names, met, strengths, policy.newcomer)
    if aim == "order" or aim.top >= len(known):
        chosen |= _matching(known, byes, met)
    else:
        due = [name for name in known if number - max(met.last_round[name], joined[name] - 1) >= policy.every]
        chosen |= focused_pairings(known, due, met, strengths, aim.top)
    return tuple(sorted(chosen))


def _newcomer_pairings(names: Sequence[str], met: Meetings, strengths: Mapping[str, RatedStrength], most: int) -> set[Pairing]:
    """Return the pairings of the versions that have not played."""
    table = sorted(names, key=lambda name: (-rounded_rating(strengths, name), name))
    opponents: dict[str, set[str]] = {name: set() for name in names}
    for newcomer in (name for name in names if not met.pairs[name]):
        for other in _first_opponents(newcomer, table, opponents, most):
            opponents[newcomer].add(other)
            opponents[other].add(newcomer)
    return {between(one, other) for one, others in opponents.items() for other in others}


def _first_opponents(newcomer: str, table: Sequence[str], opponents: Mapping[str, set[str]], most: int) -> list[str]:
    """Return the missing opponents of a newcomer: from each part of the table a version with the fewest opponents in this round."""
    has = opponents[newcomer]
    others = [name for name in table if name != newcomer and name not in has]

    def suits(place: int, best: int) -> tuple[int, int]:
        return len(opponents[others[place]]), abs(place - best)

    parts = _parts(len(others), most - len(has))
    return [others[min(part, key=lambda place: suits(place, best))] for part, best in parts]


def _parts(size: int, wanted: int) -> Iterator[tuple[range, int]]:
    """Yield equal parts of a table, each with its preferred place; these are at equal distances from end to end."""
    count = min(wanted, size)
    for part in range(count):
        best = round(part * (size - 1) / (count - 1)) if count > 1 else size // 2
        yield range(size * part // count, size * (part + 1) // count), best


def _matching(names: Sequence[str], byes: Mapping[str, Fraction], met: Meetings) -> set[Pairing]:
    """Return pairings in which every version has one opponent; of an odd number one with the least ``byes`` has none.

    ``names``: those with the most byes first.
    """
    known, entrants = set(names), list(range(len(names)))
    # a version counts as not met unless it was met in the last round of either
    fresh = matching.unmet_masks(names, (pair for pair in met.last if known.issuperset(pair) and met.met_last(*pair)))
    if len(names) % 2:
        fewest = [at for at in reversed(entrants) if byes[names[at]] == byes[names[-1]]]
        entrants.remove(matching.odd_one_out(fresh, entrants, fewest))

    def by_preference(first: int, others: Sequence[int]) -> Iterable[int]:
        return sorted(others, key=lambda other: met.preference(names[first], names[other]))

    return {between(names[one], names[other]) for one, other in matching.pair_up(fresh, entrants, by_preference)}
