"""Tests whether the aim of a league is known at its level: the best K versions, or the whole order.

The statement needs comparisons: of each version in the best K with each that is not, or in an order of each with every one
below it. "i is better than j" has the meaning of the table's rating: over pairs of legs i scores more points a hand against j
on average (each hand held to 40), or by Elo, i wins more pairs of legs against j than it loses.

Each comparison is the test of a verdict (:mod:`arena.stats.wealth`) on the direct meetings of the two: it starts with a wealth
of 1, and before each pair of legs stakes a part of it on the version said to be better; the stake depends on earlier pairs
alone. If that version is not better, the expected wealth never grows, so it ever reaches 1/alpha with a probability of at most
alpha (Ville 1939). What is known once stays known, because the largest wealth so far counts.

**What is assumed:** given all earlier rounds and the earlier pairs of legs of the same two in its round, the mean score of a
  pair of legs between i and j has the same sign each time. It does not matter that results decide who meets whom and when,
  because a pairing is stored before it is played. Only closed rounds count, so a run that is stopped within a round chooses no
  results. It does not matter either whether strengths are transitive, how results are distributed, or how accurate the ratings
  are: they decide which statement is made, not whether it holds. Results against others are not counted; they would need a
  model. Where the aim is the best K, pairings are chosen so that those near the boundary meet.

The chances of error add up to at most 1 - level over all comparisons that could ever be asked for: the version that was
submitted as number j (from 1) has j - 1 earlier ones, and each of the 2 (j - 1) questions between it and them is given the
share 1 / (2 (j - 1)^2 j) of it, whose sum over all j and all questions is 1. So the level holds for a field that grows, for a
leader that is only chosen by the results, and for any moment at which one stops.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import log
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.league.rules.field import Version
from arena.league.rules.meetings import between
from arena.league.rules.rounds import round_of
from arena.stats import scales, wealth
from arena.stats.pairs import Pair
from arena.stats.scales import Scale
from arena.stats.wealth import Block, DealScore, Observations

# A variance is that of one deal. A pair of legs counts as DEALS deals, so it is DEALS times that of a pair. Luck is not
# subtracted.
POINTS = replace(scales.POINTS, variance=1500.0, share=0.0)  # net points a hand of a pair of legs
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
    decided: int  # of them, at the level

    @property
    def sure(self) -> bool:
        """Tell whether the statement is known at the level."""
        return self.comparisons > 0 and self.decided == self.comparisons


def certainty(
    versions: Sequence[Version], ranked: Sequence[str], played: Iterable[Pair], aim: Aim, level: float, *, elo: bool = False
) -> Certainty:
    """Return the certainty. ``versions`` are all, in the order of submission; ``ranked`` are the active ones, best first.

    With ``elo`` a version is better if it wins more pairs of legs, otherwise if it scores more points a hand.
    """
    met = _complete_pairs(played)
    places = {version.id: place for place, version in enumerate(versions, 1)}
    asked = list(_comparisons(ranked, aim))
    decided = sum(_wealth(*both, met, elo=elo) >= threshold(places[both[0]], places[both[1]], level) for both in asked)
    return Certainty(comparisons=len(asked), decided=decided)


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
