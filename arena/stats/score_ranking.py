"""Rankings by score and tie-breaks, for formats in which not all entrants meet the same opponents.

The winner of a pairing scores 1; in a drawn one each side scores a half. Entrants of equal score are separated by the
tie-breaks of the spec, in its order; those that are equal in all of them share a place. Scores are counted in halves and
quarters, so all sums are exact.

Source of Buchholz and Sonneborn-Berger, and of how a bye counts in them: FIDE Handbook C.07 (2024), 8, 9 and 16.4.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from arena.stats.format_details import Column, PlaceTable
from arena.stats.pairs import Meeting

Groups = list[list[str]]


class Scores:
    """The meetings of a field, and the numbers that tie-breaks use."""

    def __init__(self, field: Sequence[str], meetings: Iterable[Meeting], byes: Mapping[str, int]) -> None:
        """Count the meetings; ``byes`` are numbers by entrant, and a bye is a win without an opponent."""
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

    def results(self, name: str) -> Sequence[tuple[str, int]]:
        """Return each opponent of an entrant and its half points against it: 2 for a win, 1 for a draw, 0 for a loss."""
        return self._results[name]

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
        """Return an entrant's half points against the others of a group; None, unless every two of the group have met."""
        if len(group) < 2 or not all(self._have_met(one, group) for one in group):
            return None
        return sum(halves for opponent, halves in self._results[name] if opponent in group)

    def _have_met(self, name: str, group: Sequence[str]) -> bool:
        return {*group} <= {name, *(opponent for opponent, _ in self._results[name])}


Value = Callable[[Scores, str, Sequence[str]], int | None]  # of an entrant, in the group that is still equal; None: undefined


class TieBreak:
    """A criterion that separates entrants of equal score: the larger value ranks first.

    Specs refer to it by name. It is a function of the meetings alone, so the same results always give the same ranking.
    """

    def __init__(self, name: str, note: str, value: Value, *, heading: str = "", unit: int = 1) -> None:
        """Make a tie-break; ``note`` says what it counts.

        ``unit`` is the ``value`` that its column shows as 1; a column in units of 1 shows signs.
        """
        self.name = name
        self.note = note
        self.heading = heading or name
        self.unit = unit
        self.value = value

    def __repr__(self) -> str:
        """Return the name, as in a spec."""
        return repr(self.name)

    def by(self, value: Value) -> "TieBreak":
        """Return this tie-break with another function."""
        return TieBreak(self.name, self.note, value, heading=self.heading, unit=self.unit)


SCORE = TieBreak(
    "score",
    "Score: 1 for a pairing won, by matches, then games; a half for one drawn",
    lambda scores, name, _: scores.score(name),
    unit=2,
)
HEAD_TO_HEAD = TieBreak(
    "head-to-head",
    "head to head: score against the others who are still equal, if all of them have met",
    lambda scores, name, group: scores.against(name, group),
    heading="head to head",
    unit=2,
)
BUCHHOLZ = TieBreak(
    "buchholz",
    "Buchholz: sum of the opponents' scores",
    lambda scores, name, _: scores.buchholz(name),
    heading="Buchholz",
    unit=2,
)
SONNEBORN_BERGER = TieBreak(
    "sonneborn-berger",
    "Sonneborn-Berger: sum of the scores of opponents beaten, and half of those drawn with",
    lambda scores, name, _: scores.sonneborn_berger(name),
    heading="Sonneborn-Berger",
    unit=4,
)
GAMES = TieBreak("games", "games: won less lost", lambda scores, name, _: scores.games(name))
POINTS = TieBreak("points", "points: hand points won less lost", lambda scores, name, _: scores.points(name))
TIE_BREAKS = (HEAD_TO_HEAD, BUCHHOLZ, SONNEBORN_BERGER, GAMES, POINTS)


def place_table(title: str, scores: Scores, tie_breaks: Sequence[TieBreak]) -> PlaceTable:
    """Return the ranking of a field by score and tie-breaks, with a column for each of them."""
    groups: Groups = [list(scores.field)]
    columns = []
    for criterion in (SCORE, *tie_breaks):
        value = {name: criterion.value(scores, name, group) for group in groups for name in group}
        columns.append(Column(criterion.heading, {name: _text(value[name], criterion.unit) for name in scores.field}))
        groups = [part for group in groups for part in _parts(group, value)]
    note = "; ".join(criterion.note for criterion in (SCORE, *tie_breaks))
    return PlaceTable(title=title, places=groups, columns=columns, note=f"{note}.")


def _parts(group: Sequence[str], value: Mapping[str, int | None]) -> Iterator[list[str]]:
    """Yield the entrants of a group by value, the largest first; an undefined value counts as 0."""

    def key(name: str) -> int:
        return -(value[name] or 0)

    for _, part in groupby(sorted(group, key=key), key):
        yield list(part)


def _text(value: int | None, unit: int) -> str:
    return "–" if value is None else f"{value / unit:.15g}" if unit > 1 else f"{value:+d}"
