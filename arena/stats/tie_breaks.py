"""Rankings by score and tie-breaks, for formats in which not all entrants meet the same opponents.

A pairing that is won scores 1, a drawn one a half, as does each side of it. Entrants of equal score are separated by the tie-breaks
that the spec names, in its order; those that all of them leave equal share a place. Scores are counted in halves and quarters, so
all sums are exact.

Source of Buchholz and Sonneborn-Berger, and of how a bye counts in them: FIDE Handbook C.07 (2024), 8, 9 and 16.4.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal, get_args

from arena.stats.details import Column, PlaceTable
from arena.stats.meetings import Meeting

TieBreak = Literal["head-to-head", "buchholz", "sonneborn-berger", "games", "points"]
TIE_BREAKS: tuple[TieBreak, ...] = get_args(TieBreak)

NOTES: dict[str, str] = {
    "head-to-head": "head to head: score against the others who are still equal, if all of them have met",
    "buchholz": "Buchholz: sum of the opponents' scores",
    "sonneborn-berger": "Sonneborn-Berger: sum of the scores of opponents beaten, and half of those drawn with",
    "games": "games: won less lost",
    "points": "points: hand points won less lost",
}
HEADINGS = {"head-to-head": "head to head", "buchholz": "Buchholz", "sonneborn-berger": "Sonneborn-Berger"}

Groups = list[list[str]]


class Scores:
    """The meetings of a field; everything that a tie-break can ask."""

    def __init__(self, field: Sequence[str], meetings: Iterable[Meeting], byes: Mapping[str, int]) -> None:
        """Count the meetings; a bye is a win against nobody."""
        self.field = field
        self._byes = byes
        self._results: dict[str, list[tuple[str, int]]] = {name: [] for name in field}  # opponents, and half points against them
        self._games = Counter[str]()
        self._points = Counter[str]()
        for met in meetings:
            self._add(met)

    def _add(self, met: Meeting) -> None:
        self._results[met.one].append((met.other, 1 + met.outcome))
        self._results[met.other].append((met.one, 1 - met.outcome))
        for counter, (one, other) in ((self._games, met.games), (self._points, met.points)):
            counter[met.one] += one - other
            counter[met.other] += other - one

    def score(self, name: str) -> int:
        """Return an entrant's score in half points."""
        return 2 * self._byes.get(name, 0) + sum(halves for _, halves in self._results[name])

    def buchholz(self, name: str) -> int:
        """Return the sum of the opponents' scores in half points; in place of an opponent, a bye counts the entrant's own score."""
        return self._byes.get(name, 0) * self.score(name) + sum(self.score(opponent) for opponent, _ in self._results[name])

    def sonneborn_berger(self, name: str) -> int:
        """Return the sum of the scores of opponents beaten and half of those drawn with, in quarters; a bye as in Buchholz."""
        byes = 2 * self._byes.get(name, 0) * self.score(name)
        return byes + sum(halves * self.score(opponent) for opponent, halves in self._results[name])

    def games(self, name: str) -> int:
        """Return games won less games lost."""
        return self._games[name]

    def points(self, name: str) -> int:
        """Return hand points won less hand points lost."""
        return self._points[name]

    def against(self, name: str, group: Sequence[str]) -> int | None:
        """Return an entrant's half points against the others of a group; None unless all of the group have met."""
        if len(group) < 2 or not all(self._have_met(one, group) for one in group):
            return None
        return sum(halves for opponent, halves in self._results[name] if opponent in group)

    def _have_met(self, name: str, group: Sequence[str]) -> bool:
        return {*group} <= {name, *(opponent for opponent, _ in self._results[name])}


def place_table(title: str, scores: Scores, tie_breaks: Sequence[TieBreak]) -> PlaceTable:
    """Return the ranking of a field by score and tie-breaks, with a column for each of them."""
    groups: Groups = [list(scores.field)]
    columns = []
    for heading, values, unit in _criteria(scores, tie_breaks):
        value = {name: found for group in groups for name, found in values(group).items()}
        columns.append(Column(heading, {name: _text(value[name], unit) for name in scores.field}))
        groups = [part for group in groups for part in _parts(group, value)]
    return PlaceTable(title=title, places=groups, columns=columns, note=_note(tie_breaks))


Values = Callable[[Sequence[str]], dict[str, int | None]]  # of a group of equal entrants; None: cannot be told


def _criteria(scores: Scores, tie_breaks: Sequence[TieBreak]) -> Iterator[tuple[str, Values, int]]:
    """Yield heading, values and unit (how many of it are one point) of the score and of each tie-break."""
    yield "score", _of_each(scores.score), 2
    for name in tie_breaks:
        values, unit = _tie_break(scores, name)
        yield HEADINGS.get(name, name), values, unit


def _tie_break(scores: Scores, name: TieBreak) -> tuple[Values, int]:
    if name == "head-to-head":
        return (lambda group: {one: scores.against(one, group) for one in group}), 2
    if name == "buchholz":
        return _of_each(scores.buchholz), 2
    if name == "sonneborn-berger":
        return _of_each(scores.sonneborn_berger), 4
    return _of_each(scores.games if name == "games" else scores.points), 1


def _of_each(value: Callable[[str], int]) -> Values:
    return lambda group: {name: value(name) for name in group}


def _parts(group: Sequence[str], value: Mapping[str, int | None]) -> Iterator[list[str]]:
    """Yield the entrants of a group by value, the largest first; a value that cannot be told is the same for all of the group."""

    def key(name: str) -> int:
        return -(value[name] or 0)

    for _, part in groupby(sorted(group, key=key), key):
        yield list(part)


def _text(value: int | None, unit: int) -> str:
    return "–" if value is None else f"{value / unit:g}" if unit > 1 else f"{value:+d}"


def _note(tie_breaks: Sequence[TieBreak]) -> str:
    parts = ["Score: 1 for a pairing won, by matches, then games; a half for one drawn", *(NOTES[name] for name in tie_breaks)]
    return "; ".join(parts) + "."
