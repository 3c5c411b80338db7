"""The pairings of a round that is to find out which versions are the best K.

The boundary lies half-way between the ratings of the K-th and the next. A version is *near* it as far as it may stand on the wrong
side: the chance that its true strength is on the other. A pairing is worth how much it lowers the variance of the ratings of its
two versions, each times its nearness. With variances v and w before, and f that of the result of one pairing, v falls by
v^2 / (v + w + f). So bots far from the boundary are left alone, as are those whose place is known.

The value of a pairing could also be the expected fall of the chance that the order of its two is wrong, times the nearness of
either. In simulations that needed more pairings: it leaves out what is learned of a bot from its other opponents.

The greatest values are taken one after another, each version at most once a round, as long as they are not far below the first.
A version that has not played for some rounds is due: it plays whatever its value is, if possible with another that is due.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.league.meetings import Meetings, Pairing, between

Array = NDArray[np.float64]

SHARE = 0.5  # of the greatest value, below which no further pairing is taken
DIGITS = 6  # to which ratings and values count, so that another machine's last bit changes no pairing
UNKNOWN = 1.0  # standard error, relative to the largest, of a version without a rating


class RatedStrength(NamedTuple):
    """A rating with its standard error."""

    value: float
    error: float


class _Round:
    """The pairings of a round, while they are chosen."""

    def __init__(self, names: Sequence[str], met: Meetings) -> None:
        self._met = met
        self.names = names
        self.chosen: list[Pairing] = []
        self.busy: set[str] = set()

    def add(self, one: str, other: str) -> None:
        self.chosen.append(between(one, other))
        self.busy |= {one, other}

    def again(self, one: str, other: str) -> bool:
        return self._met.again(one, other) or between(one, other) in self.chosen

    def free(self, one: str, other: str) -> bool:
        return one not in self.busy and other not in self.busy and not self._met.again(one, other)


def focused_pairings(
    names: Sequence[str], due: Collection[str], met: Meetings, strengths: Mapping[str, RatedStrength], top: int
) -> set[Pairing]:
    """Return the pairings of versions that have all played, of which more than ``top`` are given; at least one."""
    ranked = sorted(names, key=lambda name: (-_rounded(strengths, name), name))
    worth = _worth(ranked, met, strengths, top)
    found = _Round(ranked, met)
    _add_due([name for name in ranked if name in due], found, worth)
    _add_best(found, worth)
    return set(found.chosen) or {between(*ranked[top - 1 : top + 1])}


def _rounded(strengths: Mapping[str, RatedStrength], name: str) -> float:
    return round(strengths[name].value, DIGITS) if name in strengths else 0.0


def _worth(ranked: Sequence[str], met: Meetings, strengths: Mapping[str, RatedStrength], top: int) -> Array:
    """Return the value of every pairing, as a symmetric table in the order of ``ranked``, with -1 on its diagonal."""
    values = np.array([_rounded(strengths, name) for name in ranked])
    errors = np.array([strengths[name].error if name in strengths else np.nan for name in ranked])
    largest = float(np.nanmax(errors)) if np.isfinite(errors).any() else UNKNOWN
    variances = np.nan_to_num(errors, nan=largest) ** 2
    near = _beyond(np.abs(values - (values[top - 1] + values[top]) / 2) / np.sqrt(np.maximum(variances, 1e-12)))
    # the variance of a rating is about that of a result divided by the number of results
    result = float(np.median(variances * [met.pairs[name] for name in ranked]))
    fall = near[:, None] * variances[:, None] ** 2 / np.maximum(variances[:, None] + variances[None, :] + result, 1e-12)
    worth = fall + fall.T
    worth /= max(float(worth.max()), 1e-300)
    np.fill_diagonal(worth, -1.0)
    return np.asarray(np.round(worth, DIGITS))


def _beyond(distances: Array) -> Array:
    """Return the chance that a standard normal is greater, to 0.0003 (Page 1977, Applied Statistics 26, 75-76)."""
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
    yield from (other for other in best if not found.again(one, other))
    yield from best


def _add_best(found: _Round, worth: Array) -> None:
    """Add the pairings of the greatest values."""
    first, second = np.triu_indices(len(worth), 1)
    values = worth[first, second]
    least = 0.0
    for place in np.argsort(-values, kind="stable"):
        if values[place] < least:
            return
        one, other = found.names[first[place]], found.names[second[place]]
        if found.free(one, other):
            least = least or SHARE * float(values[place])
            found.add(one, other)
