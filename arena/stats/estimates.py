"""Turns pairs into an estimate for every entrant of a tournament or league, with notes on its limits.

The results are fitted first (:mod:`arena.stats.fit`). Where results decide who plays next, as in a league, a Swiss tournament or
a knockout, further play does not average the luck of the best out. So all ratings are corrected for that luck, and their
intervals hold for the first too (:mod:`arena.stats.ranks`).

A table needs a number for every entrant. So where maximum likelihood has no finite answer, the entrants are rated under a prior
of 10 logits and a note says so; the calculator ``rate`` returns None and a state instead. Parts of the field that never met are
rated one by one, each with mean 0 or, with anchors, by those of its own.

**Who never won.** Of a bot that lost or won everything against the rest, results give a bound alone: its rating is "below" or
"above" a number. Only the prior would decide how far it is away. So 0 is the mean of the largest group in which everybody won and
lost, not that of the field, which such a bot would move together with everybody's interval.

**Versions.** In a league entrants are versions of bots. *Steps* enter the fit: how far a version may be from the one before it;
they hold parts together that only earlier versions connect. *Kinship* enters the correction for luck: how far two versions are
likely to be apart, and whether results of one count for the other.

**Anchors.** Results tell differences alone. By default the ratings of a field have mean 0, so they move when another bot joins.
An anchor is a bot with a stated rating. With anchors the mean difference between their estimated and their stated ratings is 0, and
intervals are those of the difference from the anchors. Tables with the same anchors can be compared.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import ceil, inf, log
from typing import NamedTuple

import numpy as np

from arena.stats.comparisons import Array, Comparisons, Measure
from arena.stats.components import parts
from arena.stats.confidence_sequence import bisect
from arena.stats.estimate import Estimate
from arena.stats.fit import FEW, Fit, MatchFit, State, bradley_terry, least_squares, neighbours
from arena.stats.pairs import Pair
from arena.stats.rank_certainty import rank_chances
from arena.stats.ranks import Belief, Kinship, believe
from arena.stats.statements import ALIKE, FEW_OF

ELO = 400 / log(10)  # points of Elo in a logit
MOST_LOGITS = 100.0  # further apart than any two ratings are
PRIOR = 10.0  # logits: so wide that it decides nothing but how far a bot is away that lost or won everything

RATED_BY_PRIOR = f"rated with a prior of {PRIOR:g} logits"

VersionSteps = Mapping[tuple[str, str], float]  # the variance of the difference of two entrants, in the unit of the rating squared
PartFit = Callable[[Comparisons, Array], "RatedPart"]  # of a part's results and steps


class RatedPart(NamedTuple):
    """The fit of entrants that can be compared with each other, given by their places."""

    fit: Fit
    notes: Sequence[str]  # of each entrant
    reference: Sequence[int]  # whose mean rating is 0: those that won and lost among themselves
    # of the others, which only won or only lost: how far the end of the interval is from the rating
    bounds: Mapping[int, float] = {}


class ComparablePart(NamedTuple):
    """Entrants that can be compared with each other."""

    names: Sequence[str]
    rated: RatedPart


class Rated(NamedTuple):
    """The fits of all parts of a field."""

    parts: Sequence[ComparablePart]
    unit: float  # points of the rating in one unit of the fits: ELO for logits, or 1


class Corrected(NamedTuple):
    """An estimate that is corrected for the luck of the best."""

    estimate: Estimate
    measured: float  # its value before that, by the results alone
    error: float  # standard deviation around the value


class _Chances(NamedTuple):
    """The chances of an entrant, which are fields of its estimate."""

    ranks: tuple[float, ...]
    first: tuple[float, float] | None


NO_CHANCES = _Chances((), None)  # of an entrant that does not compete


class _Scaled(NamedTuple):
    """The ratings of a part on a scale."""

    values: Array
    covariance: Array
    base: Array  # weight of each entrant in the reference
    plausible: Array | None  # covariance if the strengths are nearer to equal than ``values``; None: as ``covariance``

    @property
    def errors(self) -> Array:
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def fit_points(names: Sequence[str], table: Comparisons, steps: VersionSteps | None = None) -> Rated:
    """Return the fits by points a hand."""

    def fit(part: Comparisons, links: Array) -> RatedPart:
        return RatedPart(least_squares(part, links), few(part), range(part.size))

    return _fit(names, table, steps or {}, 1.0, fit)


def fit_matches(names: Sequence[str], table: Comparisons, prior: float, steps: VersionSteps | None = None) -> Rated:
    """Return the fits by matches, with a prior of ``prior`` logits; PRIOR where 0, maximum likelihood, has no answer."""

    def fit(part: Comparisons, links: Array) -> RatedPart:
        found, note = bradley_terry(part, prior, by_pair=True, links=links), ""
        if found.fit is None:
            found, note = bradley_terry(part, PRIOR, by_pair=True, links=links), RATED_BY_PRIOR
        assert found.fit
        notes = [join(_not_comparable(found, place), note, limit) for place, limit in enumerate(_limits(part))]
        if found.state is not State.PERFECT or links.any() or len(found.groups[0]) == 1:
            return RatedPart(found.fit, notes, range(part.size))
        return RatedPart(found.fit, notes, found.groups[0], _bounds(part, found.fit, found.groups[0]))

    return _fit(names, table, steps or {}, ELO, fit)


def _fit(names: Sequence[str], table: Comparisons, steps: VersionSteps, unit: float, fit: PartFit) -> Rated:
    """Return the fits of the parts of a field; ``unit``: points of the rating in one unit of the fits."""
    places, links = {name: place for place, name in enumerate(names)}, np.zeros_like(table.weight)
    for (one, other), variance in steps.items():
        links[places[one], places[other]] = links[places[other], places[one]] = unit**2 / variance
    groups = parts(neighbours(table.weight + links))
    note, found = _never_met(len(groups), len(parts(neighbours(table.weight)))), []
    for group in groups:
        done = fit(table.among(group), links[np.ix_(group, group)])
        noted = done._replace(notes=[join(one, note) for one in done.notes])
        found.append(ComparablePart([names[place] for place in group], noted))
    return Rated(found, unit)


def measured_ratings(rated: Rated, anchors: Mapping[str, float]) -> Iterator[tuple[str, float, float]]:
    """Yield each entrant with its rating and standard error by the fits alone, on the scale of the anchors."""
    for part in rated.parts:
        scaled = _on_scale(part, rated.unit, anchors)
        yield from zip(part.names, scaled.values.tolist(), scaled.errors.tolist(), strict=True)


def estimates(rated: Rated) -> dict[str, Estimate]:
    """Return the estimate of every entrant, corrected for the luck of the best, with its chances of ranks."""
    names = [name for part in rated.parts for name in part.names]
    return {name: one.estimate for name, one in corrected_estimates(rated, {}, (), names).items()}


def corrected_estimates(
    rated: Rated, anchors: Mapping[str, float], kin: Sequence[Kinship[str]], ranked: Collection[str]
) -> dict[str, Corrected]:
    """Return the estimate of every entrant, corrected for the luck of the best, on the scale of the anchors.

    Only entrants of ``ranked`` have chances of ranks, among themselves; none has, where they are in parts that never met.
    """
    found, together = dict[str, Corrected](), sum(not set(ranked).isdisjoint(part.names) for part in rated.parts) == 1
    for part in rated.parts:
        places = {name: place for place, name in enumerate(part.names)}
        links = [
            Kinship(places[known.one], places[known.other], known.width, known.equal, known.carries)
            for known in kin
            if {known.one, known.other} <= places.keys()
        ]
        competing = [place for name, place in places.items() if name in ranked]
        belief = believe(*_on_scale(part, rated.unit, anchors), links, competing)
        chances = _chances(belief, competing) if together else {}
        rows = (belief.values, *_ends(part, belief, rated.unit), belief.measured, belief.errors)
        for place, (name, note, *numbers) in enumerate(
            zip(part.names, part.rated.notes, *(row.tolist() for row in rows), strict=True)
        ):
            value, low, high, measured, error = numbers
            found[name] = Corrected(Estimate(value, low, high, note, *chances.get(place, NO_CHANCES)), measured, error)
    return dict(sorted(found.items()))


def _ends(part: ComparablePart, belief: Belief, unit: float) -> tuple[Array, Array]:
    """Return the ends of the intervals; that of an entrant outside of the reference is infinite on the side on which it lies."""
    low, high = belief.low.copy(), belief.high.copy()
    for place, bound in part.rated.bounds.items():
        end = belief.measured[place] + bound * unit
        low[place], high[place] = (-inf, min(high[place], end)) if bound > 0 else (max(low[place], end), inf)
    return low, high


def _bounds(part: Comparisons, fit: Fit, reference: Sequence[int]) -> dict[int, float]:
    """Return for each entrant outside of the reference how far the rating that results still allow lies from its own, in logits.

    At that rating the chance of its results against the reference is 2.5 %; a pair counts as one match, because its legs may mirror
    each other. An entrant that has not met the reference has the infinite bound.
    """
    found = {}
    for place in set(range(part.size)) - set(reference):
        met = [other for other in reference if part.pairs[place, other]]
        side = 1 if fit.values[place] < fit.values[list(reference)].mean() else -1
        gaps, pairs = side * (fit.values[place] - fit.values[met]), part.pairs[place, met]

        def is_allowed(by: float, gaps: Array = gaps, pairs: Array = pairs) -> bool:
            return float(pairs @ np.logaddexp(0.0, by + gaps)) <= -log(0.025)

        found[place] = side * bisect(is_allowed, 0.0, MOST_LOGITS, 60)[0] if met else side * inf
    return found


def _chances(belief: Belief, competing: Sequence[int]) -> dict[int, _Chances]:
    """Return the chances of each of some entrants among them, by their places."""
    if not competing:
        return {}
    ranks = rank_chances(belief.draws()[:, competing])
    low, high = belief.range_of_first(ranks[:, 0], competing).tolist()
    numbers = zip(ranks.tolist(), low, high, strict=True)
    return {place: _Chances(tuple(row), (least, most)) for place, (row, least, most) in zip(competing, numbers, strict=True)}


def _on_scale(part: ComparablePart, unit: float, anchors: Mapping[str, float]) -> _Scaled:
    """Return the ratings of a part relative to its anchors, or to the mean of its reference if it has none."""
    here = [place for place, name in enumerate(part.names) if name in anchors]
    values, plausible = part.rated.fit.values * unit, part.rated.fit.plausible
    base = np.zeros(len(values))
    zero = here or list(part.rated.reference)
    base[zero] = 1 / len(zero)
    stated = np.mean([anchors[part.names[place]] for place in here]) if here else 0.0

    def relative(to_mean: Array) -> Array:
        shared = to_mean @ base
        return np.asarray((to_mean - shared[:, None] - shared[None, :] + base @ shared) * unit**2)

    nearer = None if plausible is None else relative(plausible)
    return _Scaled(values - base @ values + stated, relative(part.rated.fit.covariance), base, nearer)


def off_anchors(found: Mapping[str, Estimate], anchors: Mapping[str, float]) -> Iterator[str]:
    """Yield a note on each anchor whose stated rating does not lie in its interval on the scale of all anchors."""
    for name, stated in anchors.items():
        if name in found and not found[name].low <= stated <= found[name].high:
            yield f"anchor {name} is stated as {stated:+z,.2f}, but has {found[name].value:+z,.2f} on the scale of all anchors"


def matches(pair: Pair) -> Measure:
    """Return matches played and won, with a draw as half a win for each; batches, one leg or two, are one match, won by points."""
    if pair.batch:
        return Measure(1.0, (1 + pair.outcome) / 2, (1 - pair.outcome) / 2)
    won, lost = pair.matches
    drawn = pair.legs - won - lost
    return Measure(pair.legs, won + drawn / 2, lost + drawn / 2)


def hand_points(pair: Pair) -> Measure:
    """Return hands played and net points, each hand capped to +-40."""
    return Measure(pair.hands, pair.capped_points, -pair.capped_points)


def _limits(table: Comparisons) -> Iterator[str]:
    """Yield for each entrant a note if its rating depends on the prior or on few pairs."""
    played, won = table.weight.sum(axis=1), table.score.sum(axis=1)
    for total, score, note in zip(played, won, few(table), strict=True):
        yield join(_perfect(total, score), note)


def _perfect(played: float, won: float) -> str:
    if won == played:
        return "unbeaten: how far it is above the others is not known"
    return "" if won else "without a win: how far it is below the others is not known"


def few(table: Comparisons) -> list[str]:
    """Return a note for each entrant, the same for all: that few pairs or deals measure the scatter, or all ended alike; or ""."""
    # spare: residual degrees of freedom, of the pairs or of their deals; the fewer count
    if table.spare < FEW and table.spare_deals < table.spare_pairs:
        least = ceil(FEW / (table.size - 1)) + 1
        return [f"{FEW_OF(what='deals', least=least)} that the pairings share"] * table.size
    if table.spare < FEW:
        return [FEW_OF(what="pairs", least=FEW + table.size - 1)] * table.size
    return [str(ALIKE) if table.alike else ""] * table.size


def _not_comparable(found: MatchFit, place: int) -> str:
    """Return a note on an entrant outside the largest group, or alone in its own: only a prior compares it with the others."""
    if found.state is State.PERFECT and (len(found.groups[0]) == 1 or place not in found.groups[0]):
        return "won or lost everything against the rest of the field"
    return ""


def _never_met(parts: int, met: int) -> str:
    """Return a note if the field falls apart; empty: it does not.

    ``parts`` is the number of parts that nothing links, ``met`` that of parts that no result links.
    """
    if parts > 1:
        return f"the field has {parts} parts that never met: compare only within a part"
    return f"the field has {met} parts that never met: only earlier versions link them" if met > 1 else ""


def join(*notes: str) -> str:
    """Return several notes as one, without those that are empty."""
    return "; ".join(note for note in notes if note)
