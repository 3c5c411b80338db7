"""The pairings of a round that is to find out which versions are the best K.

The boundary lies half-way between the ratings of the K-th version and the next. The *nearness* of a version is the chance that
its true strength and its rating lie on different sides of the boundary. The value of a pairing is the amount by which it lowers
the variances of the ratings of its two versions, each times its nearness. With variances v and w before, and f the variance of
the result of one pairing, v falls by v^2 / (v + w + f). So bots far from the boundary, or with a small error, are seldom
chosen.

Another value would be the expected fall of the chance that the order of the two is wrong, times the nearness of either. In
simulations that needed more pairings: it ignores what is learned about a bot from its other opponents.

The pairings of the greatest values are taken one after another, each version at most once a round, as long as a value is not
far below the first. A version that has not played for some rounds is due: it plays whatever its value is, if possible with
another that is due.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.league.rules.meetings import Meetings, Pairing, between

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
    ranked = sorted(names, key=lambda name: (-rounded_rating(strengths, name), name))
    worth = _pairing_values(ranked, met, strengths, top)
    found = _Round(ranked, met)
    _add_due([name for name in ranked if name in due], found, worth)
    _add_best(found, worth)
    # if every two met in the last round of one of them, the two next to the boundary meet again
    return set(found.chosen) or {between(*ranked[top - 1 : top + 1])}


def rounded_rating(strengths: Mapping[str, RatedStrength], name: str) -> float:
    """Return the rating of a version, rounded so that every machine orders by the same number; 0 without one."""
    return round(strengths[name].value, DIGITS) if name in strengths else 0.0


def _pairing_values(ranked: Sequence[str], met: Meetings, strengths: Mapping[str, RatedStrength], top: int) -> Array:
    """Return the value of every pairing, as a symmetric table in the order of ``ranked``, with -1 on its diagonal."""
    values = np.array([rounded_rating(strengths, name) for name in ranked])
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
