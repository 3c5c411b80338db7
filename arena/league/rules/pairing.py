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

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import log
from typing import Annotated, Literal, NamedTuple

import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.league.rules.field import Version
from arena.league.rules.meetings import Meetings, Pairing, between
from arena.league.rules.rounds import round_of
from arena.stats import wealth
from arena.stats.pairs import Pair
from arena.stats.wealth import Block, DealScore, Observations, Scale
from arena.tournament.formats import matching

# Tests whether the aim of a league is known at its level: the best K versions, or the whole order.
#
# The statement needs comparisons: of each version in the best K with each that is not, or in an order of each with every one
# below it. "i is better than j" has the meaning of the table's rating: over pairs of legs i scores more points a hand against j
# on average (each hand held to 40), or by Elo, i wins more pairs of legs against j than it loses.
#
# Each comparison is the test of a verdict (:mod:`arena.stats.wealth`) on the direct meetings of the two: it starts with a wealth
# of 1, and before each pair of legs stakes a part of it on the version said to be better; the stake depends on earlier pairs
# alone. If that version is not better, the expected wealth never grows, so it ever reaches 1/alpha with a probability of at most
# alpha (Ville 1939). What is known once stays known, because the largest wealth so far counts.
#
# **What is assumed:** given all earlier rounds and the earlier pairs of legs of the same two in its round, the mean score of a
#   pair of legs between i and j has the same sign each time. It does not matter that results decide who meets whom and when,
#   because a pairing is stored before it is played. Only closed rounds count, so a run that is stopped within a round chooses no
#   results. It does not matter either whether strengths are transitive, how results are distributed, or how accurate the ratings
#   are: they decide which statement is made, not whether it holds. Results against others are not counted; they would need a
#   model. Where the aim is the best K, pairings are chosen so that those near the boundary meet.
#
# The chances of error add up to at most 1 - level over all comparisons that could ever be asked for: the version that was
# submitted as number j (from 1) has j - 1 earlier ones, and each of the 2 (j - 1) questions between it and them is given the
# share 1 / (2 (j - 1)^2 j) of it, whose sum over all j and all questions is 1. So the level holds for a field that grows, for a
# leader that is only chosen by the results, and for any moment at which one stops.

# A variance is that of one deal. A pair of legs counts as DEALS deals, so it is DEALS times that of a pair. Luck is not
# subtracted.
POINTS = replace(wealth.POINTS, variance=1500.0, share=0.0)  # net points a hand of a pair of legs
OUTCOMES = replace(POINTS, distances=(0.05, 0.1, 0.2, 0.4, 0.8), variance=7.0, most=1.0)  # 1: the pair is won; -1: it is lost
DEALS = 10  # as which every pair of legs counts, long or short, because a stake must not depend on its length
Level = Annotated[float, Meta(ge=0.5, lt=1)]
LEVEL = 0.95  # of the statement who may be the strongest
MOST_GROWTH = log(2.0)  # of the log of a wealth by one pair of legs
LEAST_GROWTH = 0.5  # of the log of a wealth; with less, chance decides its direction


class TopAim(Struct, frozen=True, forbid_unknown_fields=True):
    """The aim to know which versions are the best ``top``."""

    top: Annotated[int, Meta(ge=1, le=1000)]


Aim = Literal["order"] | TopAim


class Certainty(Struct, frozen=True, kw_only=True):
    """What is known of the aim."""

    comparisons: int  # that the statement needs
    known: int  # of them, at the level

    @property
    def sure(self) -> bool:
        """Tell whether the statement is known at the level."""
        return self.comparisons > 0 and self.known == self.comparisons


def certainty(
    versions: Sequence[Version], ranked: Sequence[str], played: Iterable[Pair], aim: Aim, level: float, *, elo: bool = False
) -> Certainty:
    """Return the certainty. ``versions`` are all, in the order of submission; ``ranked`` are the active ones, best first.

    With ``elo`` a version is better if it wins more pairs of legs, otherwise if it scores more points a hand.
    """
    met = _complete_pairs(played)
    places = {version.id: place for place, version in enumerate(versions, 1)}
    asked = list(_comparisons(ranked, aim))
    known = sum(_wealth(*both, met, elo=elo) >= threshold(places[both[0]], places[both[1]], level) for both in asked)
    return Certainty(comparisons=len(asked), known=known)


class Rival(NamedTuple):
    """What is known of a version by its direct meetings with others."""

    contends: bool  # whether it may be the strongest: no other is known to be better
    out_after: float | None  # multiple of the play so far after which the first would be known to be better; None: not known


def rivals(versions: Sequence[Version], ranked: Sequence[str], played: Iterable[Pair], *, elo: bool = False) -> dict[str, Rival]:
    """Return which versions in the table may be the strongest of them; wrong with a chance of at most 5 %, at any moment.

    Arguments are those of ``certainty``. It is the statement of the aim ``top: 1`` as far as it is known.
    """
    met, places = _complete_pairs(played), {version.id: place for place, version in enumerate(versions, 1)}
    found = {name: Rival(contends=True, out_after=None) for name in ranked}
    for both in met:
        if not found.keys() >= set(both):
            continue
        proof = threshold(places[both[0]], places[both[1]], LEVEL)
        if len(met[both]) * MOST_GROWTH < proof:
            continue
        for better, worse in (both, both[::-1]):
            wealth_so_far = _wealth(better, worse, met, elo=elo)
            if wealth_so_far >= proof:
                found[worse] = Rival(contends=False, out_after=None)
            elif better == ranked[0] and wealth_so_far > LEAST_GROWTH and found[worse].contends:
                found[worse] = Rival(contends=True, out_after=proof / wealth_so_far)
    return found


def _comparisons(ranked: Sequence[str], aim: Aim) -> Iterator[tuple[str, str]]:
    """Yield the better and the worse of each comparison."""
    if aim == "order":
        return iter(combinations(ranked, 2))
    return ((better, worse) for better in ranked[: aim.top] for worse in ranked[aim.top :])


def _complete_pairs(played: Iterable[Pair]) -> Mapping[tuple[str, str], list[Pair]]:
    """Return the pairs of two legs, by their versions."""
    found: dict[tuple[str, str], list[Pair]] = {}
    for pair in played:
        if pair.legs == 2:
            found.setdefault((pair.entrant, pair.opponent), []).append(pair)
    return found


def _wealth(better: str, worse: str, met: Mapping[tuple[str, str], list[Pair]], *, elo: bool) -> float:
    """Return the logarithm of the largest wealth so far that was won by betting on the better of two versions."""
    sign = 1 if better < worse else -1  # the scores of a pair are those of its first version by name
    direct = met.get(between(better, worse), [])
    ordered = sorted(direct, key=lambda pair: (round_of(pair.deals), pair.deals))  # in a round the order of play does not matter
    scores = [sign * (pair.outcome if elo else pair.capped_points / max(pair.hands, 1)) for pair in ordered]
    return log_wealth(scores, OUTCOMES if elo else POINTS)


def log_wealth(scores: Iterable[float], scale: Scale) -> float:
    """Return the logarithm of the largest wealth so far of a bettor on positive scores, one a pair of legs, in a fixed order."""
    blocks = [Block((DealScore(score),) * DEALS) for score in scores]
    if not blocks:
        return 0.0
    return float(max(0.0, wealth.path(wealth.bets(Observations.of(blocks), scale), scale, mean=0.0, direction=1).max()))


def threshold(one: int, other: int, level: float) -> float:
    """Return the logarithm of the wealth that proves a comparison of two versions, by their places in the order of submission."""
    later = max(one, other)
    return -log((1 - level) / (2 * (later - 1) ** 2 * later))


# The pairings of a round that is to find out which versions are the best K.
#
# The boundary lies half-way between the ratings of the K-th version and the next. The *nearness* of a version is the chance that
# its true strength and its rating lie on different sides of the boundary. The value of a pairing is the amount by which it lowers
# the variances of the ratings of its two versions, each times its nearness. With variances v and w before, and f the variance of
# the result of one pairing, v falls by v^2 / (v + w + f). So bots far from the boundary, or with a small error, are seldom
# chosen.
#
# Another value would be the expected fall of the chance that the order of the two is wrong, times the nearness of either. In
# simulations that needed more pairings: it ignores what is learned about a bot from its other opponents.
#
# The pairings of the greatest values are taken one after another, each version at most once a round, as long as a value is not
# far below the first. A version that has not played for some rounds is due: it plays whatever its value is, if possible with
# another that is due.

Array = NDArray[np.float64]

SHARE = 0.5  # of the greatest value, below which no further pairing is taken
DIGITS = 6  # to which ratings and values count, so that another machine's last bit changes no pairing
UNKNOWN = 1.0  # standard error of a version without a rating, if no version has one; otherwise it gets the largest error


class RatedStrength(NamedTuple):
    """A rating with its standard error."""

    value: float
    error: float


class _Round:
    """The pairings of a round, while they are chosen."""

    def __init__(self, names: Sequence[str], met: Meetings) -> None:
        self.met = met
        self.names = names
        self.chosen: list[Pairing] = []
        self.busy: set[str] = set()

    def add(self, one: str, other: str) -> None:
        self.chosen.append(between(one, other))
        self.busy |= {one, other}

    def free(self, one: str, other: str) -> bool:
        return one not in self.busy and other not in self.busy and not self.met.met_last(one, other)


def focused_pairings(
    names: Sequence[str], due: Collection[str], met: Meetings, strengths: Mapping[str, RatedStrength], top: int
) -> set[Pairing]:
    """Return at least one pairing of ``names``, more than ``top`` versions that have all played; those in ``due`` must play."""
    ranked = sorted(names, key=lambda name: (-_rounded_rating(strengths, name), name))
    worth = _pairing_values(ranked, met, strengths, top)
    found = _Round(ranked, met)
    _add_due([name for name in ranked if name in due], found, worth)
    _add_best(found, worth)
    # if every two met in the last round of one of them, the two next to the boundary meet again
    return set(found.chosen) or {between(*ranked[top - 1 : top + 1])}


def _rounded_rating(strengths: Mapping[str, RatedStrength], name: str) -> float:
    return round(strengths[name].value, DIGITS) if name in strengths else 0.0


def _pairing_values(ranked: Sequence[str], met: Meetings, strengths: Mapping[str, RatedStrength], top: int) -> Array:
    """Return the value of every pairing, as a symmetric table in the order of ``ranked``, with -1 on its diagonal."""
    values = np.array([_rounded_rating(strengths, name) for name in ranked])
    errors = np.array([strengths[name].error if name in strengths else np.nan for name in ranked])
    largest = float(np.nanmax(errors)) if np.isfinite(errors).any() else UNKNOWN
    variances = np.nan_to_num(errors, nan=largest) ** 2
    near = _upper_tail(np.abs(values - (values[top - 1] + values[top]) / 2) / np.sqrt(np.maximum(variances, 1e-12)))
    # the variance of a rating is about that of a result divided by the number of results
    result = float(np.median(variances * [met.pairs[name] for name in ranked]))
    fall = near[:, None] * variances[:, None] ** 2 / np.maximum(variances[:, None] + variances[None, :] + result, 1e-12)
    worth = fall + fall.T
    worth /= max(float(worth.max()), 1e-300)
    np.fill_diagonal(worth, -1.0)
    return np.asarray(np.round(worth, DIGITS))


def _upper_tail(distances: Array) -> Array:
    """Return the upper tail of the standard normal, with an error of at most 0.0003 (Page 1977, Applied Statistics 26, 75-76)."""
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
    yield from (other for other in best if not found.met.met_last(one, other))
    yield from best


def _add_best(found: _Round, worth: Array) -> None:
    """Add the pairings of the greatest values."""
    first, second = np.triu_indices(len(worth), 1)
    values = worth[first, second]
    least = 0.0  # until the first pairing is taken
    for place in np.argsort(-values, kind="stable"):
        if values[place] < least:
            return
        one, other = found.names[first[place]], found.names[second[place]]
        if found.free(one, other):
            least = least or SHARE * float(values[place])
            found.add(one, other)


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
    table = sorted(names, key=lambda name: (-_rounded_rating(strengths, name), name))
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
