"""Whether the aim of a league is known at its stated level: who is first, who are the first K, or the whole order.

The statement needs comparisons: each version that is said to be among the best against each that is not, or in an order each
against every one below it. That i is *better* than j is meant as the table rates: i scores more points a hand against j on average
(each pair of legs clipped to 10 points a hand), or by Elo, i wins more pairs of legs against j than it loses.

Each comparison is a test by betting on the direct meetings of the two (:mod:`arena.stats.wealth`). It starts with a
wealth of 1, and before each pair of legs stakes a part of it on the one said to be better; how much depends on earlier pairs alone.
If that one is not better, the expected wealth never grows, so it exceeds 1/alpha with a probability of at most alpha, whenever one
looks (Ville 1939).

**What is assumed:** given all earlier rounds and the earlier pairs of legs of the same two in its round, the mean score of a pair
of legs between i and j has the same sign each time. It does not matter that results decide who meets whom and when, because a
pairing is stored before it is played. Only closed rounds count, so a run that is stopped within a round chooses no results. It
does not matter either whether strengths are transitive, how results are distributed, or how accurate the ratings are: they decide
which statement is made, not whether it holds. Results against others are not counted; they would need a model. Where the aim is
the best K, pairings are chosen so that those near the boundary meet.

The chances of error add up to at most 1 - level over all comparisons that could ever be asked for: the version that was
submitted as number j (from 1) has j - 1 earlier ones, and each of the 2 (j - 1) questions between it and them is given the
share 1 / (2 (j - 1)^2 j) of it, whose sum over all j and all questions is 1. So the level holds for a field that grows, for a
leader that is only chosen by the results, and for any moment at which one stops.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import inf, log
from typing import Annotated, Literal

from msgspec import Meta, Struct

from arena.league.rules.field import Version
from arena.league.rules.rounds import round_of
from arena.stats.pairs import Pair
from arena.stats.wealth import Block, DealScore, Scale

POINTS = Scale(  # net points a hand of a pair of legs, of which a standard deviation of 4 was seen in matches
    clip=10.0, distances=(0.1, 0.25, 0.5, 1.0, 2.0, 4.0), variance=150.0, share=0.0, luck_variance=1.0, most=60.0
)
OUTCOMES = Scale(  # 1 for a pair of legs that is won, -1 for one that is lost
    clip=1.0, distances=(0.05, 0.1, 0.2, 0.4, 0.8), variance=7.0, share=0.0, luck_variance=1.0, most=1.0
)
DEALS = 10  # that a pair of legs counts as, whatever its length is: a stake must not depend on the pair that it is settled on
Level = Annotated[float, Meta(ge=0.5, lt=1)]


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

    With ``elo`` to be better is to win more pairs of legs, otherwise to score more points a hand.
    """
    met = _pairs_by_pairing(played)
    places = {version.id: place for place, version in enumerate(versions, 1)}
    asked = list(_comparisons(ranked, aim))
    known = sum(_is_known(*both, met, _threshold(places[both[0]], places[both[1]], level), elo=elo) for both in asked)
    return Certainty(comparisons=len(asked), known=known)


def _comparisons(ranked: Sequence[str], aim: Aim) -> Iterator[tuple[str, str]]:
    """Yield the better and the worse of each comparison."""
    if aim == "order":
        return iter(combinations(ranked, 2))
    return ((better, worse) for better in ranked[: aim.top] for worse in ranked[aim.top :])


def _pairs_by_pairing(played: Iterable[Pair]) -> Mapping[tuple[str, str], list[Pair]]:
    """Return the pairs of every two versions."""
    found: dict[tuple[str, str], list[Pair]] = {}
    for pair in played:
        if pair.legs == 2:
            found.setdefault((pair.entrant, pair.opponent), []).append(pair)
    return found


def _is_known(better: str, worse: str, met: Mapping[tuple[str, str], list[Pair]], threshold: float, *, elo: bool) -> bool:
    sign = 1 if better < worse else -1
    direct = met.get((better, worse) if sign > 0 else (worse, better), [])
    inside = sorted(direct, key=lambda pair: (round_of(pair.deals), pair.deals))  # of a round all at once; a fixed order
    scores = [sign * (pair.outcome if elo else pair.capped_points / max(pair.hands, 1)) for pair in inside]
    return log_wealth(scores, OUTCOMES if elo else POINTS) >= threshold


def log_wealth(scores: Iterable[float], scale: Scale) -> float:
    """Return the logarithm of the wealth of a bettor on positive scores, one for each pair of legs, in the order of play."""
    from arena.stats.wealth import Observations, bets, evidence  # noqa: PLC0415 - imports numpy, which takes time to load

    blocks = [Block((DealScore(score),) * DEALS) for score in scores]
    return evidence(bets(Observations.of(blocks), scale), scale, 0.0, 1) if blocks else 0.0


def _threshold(one: int, other: int, level: float) -> float:
    """Return the logarithm of the wealth that proves a comparison of two versions, by their places in the order of submission."""
    later = max(one, other)
    share = 1 / (2 * (later - 1) ** 2 * later) if later > 1 else 0.0
    return -log((1 - level) * share) if share else inf
