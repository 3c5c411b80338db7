"""Whether the aim of a league is known at its stated level: who is first, who are the first K, or the whole order.

The statement needs comparisons: each version that is said to be among the best against each that is not, or in an order each
against every one below it. Each comparison is a test by betting on the direct meetings of the two. It starts with a wealth of 1
and stakes it on every pair of legs that the one said to be better wins. If that one is not better, the expected wealth never
grows, so it exceeds 1/alpha with a probability of at most alpha, whenever one looks (Ville 1939). The wealth is the mean over
several stakes.

The chances of error add up to at most 1 - level over all comparisons that could ever be asked for: the version that was
submitted as number j (from 1) has j - 1 earlier ones, and each of the 2 (j - 1) questions between it and them is given the
share 1 / (2 (j - 1)^2 j) of it, whose sum over all j and all questions is 1. So the level holds for a field that grows, for a
leader that is only chosen by the results, and for any moment at which one stops.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import exp, inf, log, log1p
from typing import Annotated, Literal

from msgspec import Meta, Struct

from arena.league.field import Version
from arena.stats.pairs import Pair

STAKES = (0.1, 0.25, 0.5, 0.75)  # shares of the wealth that are staked on a win
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
        """Return whether the statement is known at the level."""
        return self.comparisons > 0 and self.known == self.comparisons


def certainty(versions: Sequence[Version], ranked: Sequence[str], played: Iterable[Pair], aim: Aim, level: float) -> Certainty:
    """Return what is known. ``versions`` are all, in the order of submission; ``ranked`` are the active ones, best first."""
    scores = _scores(played)
    places = {version.id: place for place, version in enumerate(versions, 1)}
    asked = list(_comparisons(ranked, aim))
    known = sum(_log_wealth(scores.get(both, ())) >= _threshold(places[both[0]], places[both[1]], level) for both in asked)
    return Certainty(comparisons=len(asked), known=known)


def _comparisons(ranked: Sequence[str], aim: Aim) -> Iterator[tuple[str, str]]:
    """Yield the better and the worse of each comparison."""
    if aim == "order":
        return iter(combinations(ranked, 2))
    return ((better, worse) for better in ranked[: aim.top] for worse in ranked[aim.top :])


def _scores(played: Iterable[Pair]) -> Mapping[tuple[str, str], list[int]]:
    """Return 1, 0 or -1 for each pair of legs won, drawn or lost by the first against the second."""
    found: dict[tuple[str, str], list[int]] = {}
    for pair in played:
        if pair.legs == 2:
            found.setdefault((pair.entrant, pair.opponent), []).append(pair.outcome)
            found.setdefault((pair.opponent, pair.entrant), []).append(-pair.outcome)
    return found


def _log_wealth(scores: Sequence[int]) -> float:
    """Return the logarithm of the mean wealth over the stakes."""
    logs = [sum(log1p(stake * score) for score in scores) for stake in STAKES]
    most = max(logs)
    return most + log(sum(exp(one - most) for one in logs) / len(logs))


def _threshold(one: int, other: int, level: float) -> float:
    """Return the logarithm of the wealth that proves a comparison of two versions, by their places in the order of submission."""
    later = max(one, other)
    share = 1 / (2 * (later - 1) ** 2 * later) if later > 1 else 0.0
    return -log((1 - level) * share) if share else inf
