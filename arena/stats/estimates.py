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

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import ceil, inf, isfinite, log
from typing import Annotated, Literal, NamedTuple

import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.errors import InputError
from arena.records import MatchRecord
from arena.stats.estimate import Estimate, Rating
from arena.stats.fit import (
    FEW,
    Array,
    Comparisons,
    Fit,
    Groups,
    MatchFit,
    Measure,
    PairSums,
    State,
    bradley_terry,
    least_squares,
    neighbours,
    parts,
    single_matches,
    sum_pairs,
)
from arena.stats.pairs import Pair, pairs
from arena.stats.ranks import Belief, KinLink, believe, non_transitivity, rank_chances, residuals
from arena.stats.statements import ALIKE, FEW_OF
from arena.stats.strongest import ScheduledPairs, StrongestSet, growth_needed
from arena.stats.wealth import bisect

ELO = 400 / log(10)  # points of Elo in a logit
MOST_LOGITS = 100.0  # further apart than any two ratings are
PRIOR = 10.0  # logits: so wide that it decides nothing but how far a bot is away that lost or won everything

RATED_BY_PRIOR = f"rated with a prior of {PRIOR:g} logits"

GAP_POINTS, GAP_LOGITS = 2.0, 0.5  # points a hand, and logits: typical gaps between the strongest and the others

VersionSteps = Mapping[tuple[str, str], float]  # the variance of the difference of two entrants, in the unit of the rating squared
TableFit = Callable[[Sequence[str], Comparisons], "Rated"]  # of the results of entrants
PartFit = Callable[[Comparisons, Array], "RatedPart"]  # of a part's results and steps


class Kinship(NamedTuple):
    """What is known beforehand of the difference between an entrant and one that it follows."""

    one: str
    other: str
    width: float  # a typical difference, if they differ, in the unit of the rating
    equal: float  # probability that they do not
    carries: bool = False  # whether results carry over from one to the other


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
    rated: Rated, anchors: Mapping[str, float], kin: Sequence[Kinship], ranked: Collection[str]
) -> dict[str, Corrected]:
    """Return the estimate of every entrant, corrected for the luck of the best, on the scale of the anchors.

    Only entrants of ``ranked`` have chances of ranks, among themselves.
    """
    found = dict[str, Corrected]()
    for part in rated.parts:
        places = {name: place for place, name in enumerate(part.names)}
        links = [
            KinLink(places[known.one], places[known.other], known.width, known.equal, known.carries)
            for known in kin
            if {known.one, known.other} <= places.keys()
        ]
        competing = [place for name, place in places.items() if name in ranked]
        belief = believe(*_on_scale(part, rated.unit, anchors), links, competing)
        chances = _chances(belief, competing)
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
            yield f"anchor {name} is stated as {stated:+z.2f}, but has {found[name].value:+z.2f} on the scale of all anchors"


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


# How reliable a table is: a rating by points, residuals and the non-transitive share.

TAIL = 0.025  # probability outside each end of an interval of ranks


class Strength(Struct, frozen=True, kw_only=True):
    """Further estimates for one entrant."""

    points: Estimate  # points a hand, relative to the mean of the field
    residuals: dict[str, float] = {}  # by opponent: score above what the ratings predict, in standard deviations

    @property
    def largest_residual(self) -> tuple[str, float] | None:
        """Return the opponent with the largest absolute residual, and that residual; None if all are zero."""
        found = max(self.residuals.items(), key=lambda one: (abs(one[1]), one[0]), default=None)
        return found if found and abs(found[1]) > 1e-9 else None


class Strengths(Struct, frozen=True, kw_only=True):
    """Further estimates for a field."""

    entrants: dict[str, Strength]
    cyclic: float | None = None  # non-transitive share; None: parts never met, no cycle of pairings, or chance explains all
    warns: bool = False  # the share is above 5 % and significant


def rank_interval(chances: Iterable[float]) -> tuple[int, int] | None:
    """Return the 95 % interval of an entrant's rank, from 1; None if there are no chances."""
    below = list(accumulate(chances))
    if not below:
        return None
    first = next(rank for rank, chance in enumerate(below, 1) if chance > TAIL)
    last = next((rank for rank, chance in enumerate(below, 1) if chance >= 1 - TAIL - 1e-9), len(below))
    return first, last


def notes(ratings: Mapping[str, Estimate | None]) -> list[tuple[str, list[str]]]:
    """Return each note of the ratings once, with the entrants that it applies to."""
    entrants: dict[str, list[str]] = {}
    for name, estimate in ratings.items():
        for note in estimate.note.split("; ") if estimate and estimate.note else ():
            entrants.setdefault(note, []).append(name)
    return list(entrants.items())


# The computation of ``Strengths``.
#
# Everything comes from points a hand, which carry more information than matches won: one least-squares fit gives the points
# rating, the residuals and the non-transitive share.


def appraise(names: Sequence[str], table: Comparisons) -> Strengths:
    """Return the strengths of entrants from their comparisons by ``hand_points``."""
    fits = fit_points(names, table)
    rated = {name: _round(estimate) for name, estimate in estimates(fits).items()}
    if len(fits.parts) != 1:
        return Strengths(entrants={name: Strength(points=estimate) for name, estimate in rated.items()})
    fit = fits.parts[0].rated.fit
    left, found = residuals(table, fit), non_transitivity(table, fit)
    entrants = {
        name: Strength(points=rated[name], residuals=_by_name(names, left[at], table.weight[at])) for at, name in enumerate(names)
    }
    share = round(found.share, 6) if found.share is not None and found.degrees_of_freedom > 0 else None
    return Strengths(entrants=entrants, cyclic=share, warns=found.warns)


def _round(estimate: Estimate) -> Estimate:
    """Return an estimate rounded to a millionth, because machines differ in the digits after that."""
    value, low, high = (round(number, 6) + 0.0 for number in (estimate.value, estimate.low, estimate.high))
    return replace(estimate, value=value, low=low, high=high)


def _by_name(names: Sequence[str], left: Array, weight: Array) -> dict[str, float]:
    return {name: round(float(left[at]), 6) for at, name in enumerate(names) if weight[at]}


# Elo ratings from matches won and lost. Source: Bradley and Terry (1952).

LEAST_PRIOR = 0.001  # logits: a sixth of an Elo point


class BradleyTerry(Rating, frozen=True, tag="bradley-terry"):
    """Elo, mean 0 of those that won and lost, from matches; 400 points are odds of ten to one.

    ``prior`` is the standard deviation of the prior on strengths, in logits: it keeps the ratings of unbeaten bots finite and
    hardly changes others. 0 is maximum likelihood. A pair of batches counts as one match, won by points.
    """

    prior: Annotated[float, Meta(ge=0, le=100)] = PRIOR

    def __post_init__(self) -> None:
        """Raise ValueError for a prior so narrow that it outweighs the matches and makes the arithmetic fail."""
        if 0 < self.prior < LEAST_PRIOR:
            raise ValueError(f"prior: {self.prior:g}; expected 0 for none, or at least {LEAST_PRIOR:g}")

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that played another; the order of the records does not change a bit of it."""
        return estimates(self._fit(*sum_pairs(pairs(records), matches)))

    def rate_scheduled(self, records: Iterable[MatchRecord], field: Sequence[str]) -> dict[str, Estimate]:
        """Return the same, with who may be the strongest."""
        return _rate_scheduled(records, field, matches, self._fit, GAP_LOGITS)

    def _fit(self, names: Sequence[str], table: Comparisons) -> Rated:
        return fit_matches(names, table, self.prior)


# Ratings in points a hand. Source: weighted least squares on paired comparisons; Mosteller (1951).


class PointsRating(Rating, frozen=True, tag="points"):
    """Points a hand relative to the mean of the field, each hand capped to +-40 points.

    Hands carry more information than match wins: the same ranking takes several times fewer matches.
    """

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return an estimate for every entrant that played another; the order of the records does not change a bit of it."""
        return estimates(fit_points(*sum_pairs(pairs(records), hand_points)))

    def rate_scheduled(self, records: Iterable[MatchRecord], field: Sequence[str]) -> dict[str, Estimate]:
        """Return the same, with who may be the strongest."""
        return _rate_scheduled(records, field, hand_points, fit_points, GAP_POINTS)


def _rate_scheduled(
    records: Iterable[MatchRecord], field: Sequence[str], measure: Callable[[Pair], Measure], fit: TableFit, gap: float
) -> dict[str, Estimate]:
    """Return the estimates, with who may be the strongest; ``gap``: a typical difference in the unit of the fit."""
    sums, scheduled = PairSums(measure), ScheduledPairs(field, measure)
    for pair in pairs(records):
        sums.add(pair)
        scheduled.add(pair)
    may_be = contending(sorted(field), scheduled.looks(), fit, gap)
    rated = estimates(fit(*sums.comparisons()))
    return {name: replace(one, contends=may_be[name][0], out_after=may_be[name][1]) for name, one in rated.items()}


def contending(
    names: Sequence[str], looks: Iterable[Comparisons], fit: TableFit, gap: float
) -> dict[str, tuple[bool | None, float | None]]:
    """Return for each entrant ``contends`` and ``out_after`` of its estimate, after some looks of all."""
    left, known = StrongestSet(len(names), gap), None
    for table in looks:
        found = fit(names, table).parts[0].rated.fit
        known = found.values, found.covariance if found.plausible is None else found.plausible
        left.look(known)
    if known is None:
        return dict.fromkeys(names, (None, None))
    needed = zip(names, left.left.tolist(), growth_needed(known, gap).tolist(), strict=True)
    return {name: (contends, times if contends and isfinite(times) else None) for name, contends, times in needed}


# Ratings from a table of results: the input and output of ``arena strength ratings``.
#
# This is a calculator, so it reports where maximum likelihood has no answer; a table of standings uses a prior there instead.

MAX_COUNT = 1e12  # games in one cell of the table
NOTES: dict[State, str] = {
    State.EMPTY: "no players",
    State.SINGLE: "one player: nothing to compare it with",
    State.DISCONNECTED: "some groups never met: each is rated by itself, with mean 0, and cannot be compared with the others",
    State.UNBOUNDED: "a group never lost or never won against the rest, so the distance between them is infinite: each is rated by"
    " itself, with mean 0; with a prior all can be compared",
    State.PERFECT: "a group never lost or never won against the rest: the prior decides how far apart they are",
}


class Results(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Games between players."""

    players: list[str]
    wins: list[list[float]]  # wins[i][j]: games that i won against j
    draws: list[list[float]] | None = None  # symmetric, because draws[i][j] and draws[j][i] count the same games


class Ratings(Struct, frozen=True, kw_only=True):
    """Elo, mean 0 in each group; None where none can be given, and ``state`` says why."""

    players: list[str]
    ratings: list[float | None]
    se: list[float | None]  # standard errors, of ratings that sum to zero
    state: Literal["ok", "empty", "single", "disconnected", "unbounded", "perfect"]
    groups: list[list[str]]  # of players that can be compared with each other
    prior: float  # standard deviation in logits; 0: none
    note: str = ""


def rate(results: Results, prior: float) -> Ratings:
    """Return the ratings. ``prior`` is in logits, 0 for none. Raises: InputError, for an invalid table or prior."""
    if prior and not LEAST_PRIOR <= prior <= 100:
        raise InputError(f"prior: {prior:g}; expected 0 for none, or {LEAST_PRIOR:g} to 100 logits")
    size = len(results.players)
    if len(set(results.players)) != size:
        raise InputError(f"players: {', '.join(results.players)}; expected every name once")
    wins, draws = _table("wins", results.wins, size), _table("draws", results.draws or [[0.0] * size] * size, size)
    if not np.array_equal(draws, draws.T):
        raise InputError("draws: not symmetric; expected draws[i][j] to equal draws[j][i], which count the same games")
    try:
        state, groups, fits = _fit_parts(wins, draws, prior)
    except np.linalg.LinAlgError:
        raise InputError("the counts are too small or too far apart to be rated; expected counts of games") from None
    ratings, errors = list[float | None]([None] * size), list[float | None]([None] * size)
    for places, fit in fits:
        for place, value, error in zip(places, fit.values, fit.errors, strict=True):
            ratings[place] = float(value * ELO)
            errors[place] = None if state is State.SINGLE else float(error * ELO)  # of a single player nothing was measured
    return Ratings(
        players=results.players,
        ratings=ratings,
        se=errors,
        state=state.value,
        groups=[[results.players[place] for place in group] for group in groups],
        prior=prior,
        note=NOTES.get(state, ""),
    )


def _fit_parts(wins: Array, draws: Array, prior: float) -> tuple[State, Groups, list[tuple[list[int], Fit]]]:
    """Return the state of a field, its groups, and the places of those that have a fit of their own; a group of one has none."""
    found = bradley_terry(single_matches(wins, draws), prior, by_pair=False)
    if found.fit:
        return found.state, found.groups, [([*range(len(wins))], found.fit)]
    groups, fits = [group for group in found.groups if len(group) == 1], list[tuple[list[int], Fit]]()
    for group in found.groups:
        if len(group) > 1:
            own = np.ix_(group, group)
            _, inner, inner_fits = _fit_parts(wins[own], draws[own], prior)
            groups += [[group[place] for place in part] for part in inner]
            fits += [([group[place] for place in part], fit) for part, fit in inner_fits]
    return found.state, sorted(groups, key=lambda group: (-len(group), group)), fits


def _table(name: str, rows: list[list[float]], size: int) -> Array:
    if len(rows) != size or any(len(row) != size for row in rows):
        shape = f"{len(rows)} rows of {'/'.join(map(str, sorted({len(row) for row in rows}))) or '0'}"
        raise InputError(f"{name}: {shape}; expected {size} rows of {size}, one for each player")
    table = np.array(rows, dtype=float).reshape(size, size)
    if not ((table >= 0) & (table <= MAX_COUNT)).all():
        raise InputError(f"{name}: {table.min():g} to {table.max():g}; expected counts from 0 to {MAX_COUNT:g}")
    if np.diag(table).any():
        raise InputError(f"{name}: a player against itself; expected 0 on the diagonal")
    return table
