"""Ratings of a field whose entrants are versions of bots, on a scale that reference bots fix.

**Links.** A new version is seldom far from the one before it. So the difference between the two has a prior: normal around 0, with
a standard deviation that the caller states. The ratings of all versions are estimated together under these priors (a random walk,
as in Coulom 2008, Whole-history rating). A version with few matches stands near its predecessor, and one with many where its own
results put it. So a bot that is submitted again, hardly changed, has nothing to gain and nothing to lose by it.

**Anchors.** Results tell differences alone. By default the ratings of a field have mean 0, so they move when another bot joins. An
anchor is a bot with a stated rating. With anchors the mean difference between their estimated and their stated ratings is 0, and
intervals are those of the difference from the anchors. Tables with the same anchors can be compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from msgspec import Struct

from arena.stats.comparisons import Array, Comparisons
from arena.stats.estimates import ELO, FALLBACK_PRIOR, WIDTH, apart, few, join, limits, part_of
from arena.stats.field import parts as connected
from arena.stats.fit import Fit, State, bradley_terry, least_squares
from arena.stats.ratings.base import Estimate

Links = Mapping[tuple[str, str], float]  # the variance of the difference of two entrants, in the unit of the rating squared


class Rated(Struct, frozen=True):
    """The entrants of a field, and what was estimated of them."""

    names: Sequence[str]
    table: Comparisons
    notes: Sequence[str]  # of each entrant
    fits: tuple[tuple[tuple[int, ...], Fit], ...]  # of each part of the field that cannot be compared with the others
    unit: float  # of the rating, in that of the fits


def by_points(names: Sequence[str], table: Comparisons, links: Links) -> Rated:
    """Return ratings in points a hand."""
    known = _precisions(names, links, 1.0)
    groups = connected([set(np.flatnonzero(row).tolist()) for row in table.weight + known])
    fits = tuple((tuple(group), least_squares(table.among(group), known[np.ix_(group, group)])) for group in groups)
    notes = [join(note, part) for note, part in zip(few(table), _parts(table, len(groups)), strict=True)]
    return Rated(names, table, notes, fits, 1.0)


def by_matches(names: Sequence[str], table: Comparisons, links: Links, prior: float) -> Rated:
    """Return ratings in Elo, with a prior of ``prior`` logits; also where 0 was asked for and there is no answer without one."""
    fitted = partial(bradley_terry, table, by_pair=True, links=_precisions(names, links, ELO))
    fit, note = fitted(prior), ""
    if fit.values is None and table.size:
        fit, note = fitted(FALLBACK_PRIOR), f"rated with a prior of {FALLBACK_PRIOR:g} logits"
    known = _precisions(names, links, 1.0)
    groups = connected([set(np.flatnonzero(row).tolist()) for row in table.weight + known])
    linked = fit.state is State.DISCONNECTED and len(groups) == 1
    parts = _parts(table, 1) if linked else [part_of(fit, place) for place in range(table.size)]
    notes = [join(note, limit, part) for limit, part in zip(limits(table), parts, strict=True)]
    return Rated(names, table, notes, ((tuple(range(table.size)), fit),) if table.size else (), ELO)


def estimates(rated: Rated, anchors: Mapping[str, float]) -> dict[str, Estimate]:
    """Return the estimate of every entrant on the scale that the anchors fix; a part of the field without any has mean 0."""
    found: dict[str, Estimate] = {}
    for group, fit in rated.fits:
        if fit.values is not None and fit.covariance is not None:
            names = [rated.names[place] for place in group]
            values, errors = _anchored(names, fit.values * rated.unit, fit.covariance * rated.unit**2, anchors)
            for place, value, half in zip(group, values.tolist(), (errors * WIDTH).tolist(), strict=True):
                found[rated.names[place]] = Estimate(value, value - half, value + half, rated.notes[place])
    return {name: found[name] for name in rated.names if name in found}


def off_anchors(found: Mapping[str, Estimate], anchors: Mapping[str, float]) -> Iterator[str]:
    """Yield a note on each anchor whose stated rating does not lie in its interval relative to the others."""
    for name, stated in anchors.items():
        if name in found and not found[name].low <= stated <= found[name].high:
            yield f"anchor {name} is stated as {stated:+z.2f}, but the others put it at {found[name].value:+z.2f}"


class Surplus(Struct, frozen=True):
    """By how much an entrant scored more against another than their ratings say."""

    one: str
    other: str
    more: float  # in the unit of the scores: points a hand, or a share of the matches
    deviations: float  # standard deviations of that
    pairs: int


def surpluses(rated: Rated, teams: Sequence[str]) -> Iterator[Surplus]:
    """Yield the surplus of one of every two entrants of a team that met, the one who has it first; ``teams`` are theirs."""
    for group, fit in rated.fits:
        if fit.expected is not None and fit.noise is not None and fit.state is not State.SINGLE:
            met = rated.table.among(list(group))
            more = met.score - met.weight * fit.expected
            names = [rated.names[place] for place in group]
            team = np.unique([teams[place] for place in group], return_inverse=True)[1]
            for one, other in np.argwhere((met.weight > 0) & (more > 0) & (team[:, None] == team[None, :])).tolist():
                excess, noise = float(more[one, other]), float(fit.noise[one, other])
                deviations = excess / noise**0.5 if noise else 0.0
                share = excess / float(met.weight[one, other])
                yield Surplus(names[one], names[other], share, deviations, int(met.pairs[one, other]))


def _precisions(names: Sequence[str], links: Links, unit: float) -> Array:
    """Return 1 / the variance of each linked difference, in the unit of the fit, and 0 for the others."""
    places, known = {name: place for place, name in enumerate(names)}, np.zeros((len(names), len(names)))
    for (one, other), variance in links.items():
        known[places[one], places[other]] = known[places[other], places[one]] = unit**2 / variance
    return known


def _parts(table: Comparisons, parts: int) -> list[str]:
    """Return a note for each entrant, if the field has parts that never met."""
    met = connected([set(np.flatnonzero(row).tolist()) for row in table.weight])
    note = ""
    if parts > 1:
        note = apart(parts)
    elif len(met) > 1:
        note = f"the field has {len(met)} parts that never met: only earlier versions link them"
    return [note] * table.size


def _anchored(names: Sequence[str], values: Array, covariance: Array, anchors: Mapping[str, float]) -> tuple[Array, Array]:
    """Return values and standard errors relative to the mean of the anchors, or of all if none of them is an anchor."""
    here = [place for place, name in enumerate(names) if name in anchors]
    base = np.zeros(len(names))
    base[here or slice(None)] = 1 / len(here or names)
    stated = np.mean([anchors[names[place]] for place in here]) if here else 0.0
    shared = covariance @ base
    errors = np.sqrt(np.maximum(np.diag(covariance) - 2 * shared + base @ shared, 0.0))
    return np.asarray(values - base @ values + stated), errors
