"""The ranked rows of a tournament: ranks follow from results; ratings are shown beside them and do not change them.

A format may rank its field by its own rule; its ranking is then given as places. Otherwise ranks come from counts alone, which are
added up while records are read, so no result has to be kept in memory.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from typing import Literal

from msgspec import Struct

from arena.records import Result
from arena.stats.estimate import Estimate
from arena.stats.pairs import Meeting
from arena.stats.tally import Counts, Tally

Places = Sequence[Sequence[str]]  # entrants by place, first place first; entrants in one place share its rank


class Standing(Struct, frozen=True):
    """An entrant's row."""

    rank: int  # from 1; equal entrants share a rank, and the following ranks are left out
    entrant: str
    counts: Counts
    rating: Estimate | None = None  # None: not rated


def standings(
    tally: Tally, ratings: Mapping[str, Estimate], field: Iterable[str] = (), places: Places | None = None
) -> list[Standing]:
    """Return the rows from first to last; every entrant of ``field`` has one, even before its first match.

    Ranks follow ``places``, which must contain every entrant. Without places they follow matches won, then pairs won (a draw is
    half a win), then games won less games lost, then hand points won less hand points lost. Rows of equal rank are sorted by name.
    """
    counted = {entrant: tally.of(entrant) for entrant in {*field, *tally.entrants}}
    ranked = by_merit(counted) if places is None else places
    return [Standing(rank, name, counted[name], ratings.get(name)) for rank, name in ranks([sorted(place) for place in ranked])]


def ranks(places: Places) -> Iterator[tuple[int, str]]:
    """Yield the rank, from 1, and the name of each entrant."""
    # accumulate yields one sum more than there are places
    for rank, place in zip(accumulate(map(len, places), initial=1), places, strict=False):
        for name in place:
            yield rank, name


def by_results(field: Iterable[str], results: Iterable[Result]) -> Places:
    """Return the places of a field by the same rule as ``standings``, from results instead of records."""
    pairs: dict[tuple[str, ...], Meeting] = {}
    for result in results:
        one, other = sorted(result.fixture.seats)
        if one != other:
            key = (result.fixture.pair, one, other)
            pairs[key] = pairs.get(key, Meeting(one=one, other=other)).add(result)
    counted = {entrant: Counts() for entrant in field}
    for pair in pairs.values():
        counted[pair.one] += _of_pair(pair, 0)
        counted[pair.other] += _of_pair(pair, 1)
    return by_merit(counted)


def _of_pair(pair: Meeting, side: int) -> Counts:
    """Return the counts that ranks need, for one side of a pair; a single leg does not count as a pair."""
    outcome = (pair.outcome, -pair.outcome)[side]
    complete = pair.legs == 2
    return Counts(
        matches_won=pair.matches[side],
        matches_drawn=0 if pair.batches else pair.legs - sum(pair.matches),
        pairs_won=int(complete and outcome > 0),
        pairs_drawn=int(complete and outcome == 0),
        games_won=pair.games[side],
        games_lost=pair.games[1 - side],
        points_for=pair.points[side],
        points_against=pair.points[1 - side],
    )


def by_merit(counted: Mapping[str, Counts]) -> Places:
    """Return the places that follow from counts by the rule of ``standings``."""
    merits = {entrant: merit(counts) for entrant, counts in counted.items()}
    ordered = sorted(counted, key=merits.__getitem__, reverse=True)
    return [list(place) for _, place in groupby(ordered, key=merits.__getitem__)]


def merit(counts: Counts) -> tuple[int, int, int, int]:
    """Return the sort key of an entrant; matches and pairs are doubled, so that draws are whole numbers too."""
    return (
        2 * counts.matches_won + counts.matches_drawn,
        2 * counts.pairs_won + counts.pairs_drawn,
        counts.games_won - counts.games_lost,
        counts.net_points,
    )


# The details that a format shows of a tournament besides the standings: the numbers behind its ranking, and its brackets.
#
# These are values only. Formats make them (:mod:`arena.tournament.formats`), reports show them (:mod:`arena.reports.tables`).


MOVE = "move"  # the column with "up" for promoted entrants and "down" for relegated ones


class Column(Struct, frozen=True, omit_defaults=True):
    """A column of a ranking: a score or a tie-break, as text."""

    name: str
    cells: dict[str, str]  # by entrant
    numbers: dict[str, int | float] = {}  # what a CSV file has in place of the cells of these entrants


class Encounter(Struct, frozen=True):
    """A meeting of two entrants, as one of them sees it."""

    opponent: str  # empty: a bye
    score: str = ""  # matches won–lost; empty: none was played, or a bye
    outcome: Literal[-1, 0, 1] | None = None  # None: not over


class Encounters(Struct, frozen=True):
    """The meetings of a round, or those with one opponent."""

    name: str  # the round, or the opponent
    cells: dict[str, Encounter]  # by entrant; without those that had none


class PlaceTable(Struct, frozen=True, kw_only=True):
    """A ranking with the numbers that it follows from, the most important first."""

    title: str
    places: list[list[str]]  # first place first; entrants in one place share its rank
    columns: list[Column]
    note: str = ""  # sentences on what the columns mean
    encounters: list[Encounters] = []  # those that the first column counts; empty: they are not shown

    @property
    def order(self) -> list[str]:
        """Return the entrants, first place first."""
        return [name for place in self.places for name in place]


class Slot(Struct, frozen=True, kw_only=True):
    """One side of a tie."""

    entrant: str = ""  # empty: no entrant yet, or never
    label: str = ""  # what is shown without an entrant: "bye", "winner of A1"
    seed: int | None = None  # from 1; None: not known yet
    score: str = ""  # matches won; empty: not played


class Tie(Struct, frozen=True, kw_only=True):
    """A pairing of a bracket, whose winner plays in the next round."""

    slots: tuple[Slot, Slot]
    winner: Literal[0, 1] | None = None  # of ``slots``; None: not decided
    note: str = ""  # how it was decided if not by matches

    @property
    def has_both_entrants(self) -> bool:
        """Tell whether both sides have an entrant."""
        return all(slot.entrant for slot in self.slots)


class BracketRound(Struct, frozen=True):
    """The ties of a bracket that are played at the same time."""

    title: str
    ties: list[Tie]


class Bracket(Struct, frozen=True):
    """Rounds in which winners meet.

    A round has half as many ties as the one before it, whose winners meet two by two; or the same number: then each winner meets
    an entrant from elsewhere, and is the first side of its tie.
    """

    title: str
    rounds: list[BracketRound]

    @property
    def champion(self) -> str:
        """Return who won the last tie; empty: it is not decided."""
        last = self.rounds[-1].ties[-1]
        return "" if last.winner is None else last.slots[last.winner].entrant


class Details(Struct, frozen=True, kw_only=True):
    """The outcome of a tournament by its format: its answer, then tables and brackets in the order in which they are shown."""

    answer: str = ""  # to the question of the format, a sentence; empty: the standings are the answer
    why: str = ""  # why the answer is settled or still open, without a full stop; empty: it does not depend on chance
    settled: bool | None = None  # whether the answer is settled; None: it is no verdict
    surer: str = ""  # what would settle an open answer, without a full stop; empty: nothing would
    decided: str = ""  # how the first place was decided, without a full stop; empty: the standings show it
    stage: str = ""  # what is being played, without a full stop: "semi-finals, 4 of 8 are still in"; empty: not told
    title: str = "Ranking"  # of the section with the tables and brackets
    tables: list[PlaceTable] = []
    brackets: list[Bracket] = []


def how_decided(table: PlaceTable) -> str:
    """Return in words the score or tie-break that separates the first two of a ranking; empty, if nothing does."""
    if len(table.places) < 2 or len(table.places[0]) > 1:
        return ""
    first, second, score = table.places[0][0], table.places[1][0], table.columns[0]
    own, other = score.cells[first], score.cells[second]
    if own != other:
        return f"{score.name} {own}, before {second} with {other}"
    tied = [name for place in table.places[1:] for name in place if score.cells[name] == own]
    if len(tied) > 1:
        return f"{score.name} {own}, as {' and '.join([', '.join(tied[:-1]), tied[-1]])} have; ahead by the tie-breaks"
    by = next((one for one in table.columns if one.cells[first] != one.cells[second]), None)
    ahead = f"; ahead by {by.name}, {by.cells[first]} to {by.cells[second]}" if by else ""
    return f"{score.name} {own}, as {second} has{ahead}"


def encounter(met: Meeting, name: str, *, over: bool) -> Encounter:
    """Return a meeting as the entrant ``name`` sees it; ``over``: all of it was played."""
    side = int(name == met.other)
    gain = (met.outcome, -met.outcome)[side]
    outcome: Literal[-1, 0, 1] = 1 if gain > 0 else -1 if gain < 0 else 0
    score = f"{met.matches[side]}–{met.matches[1 - side]}" if met.legs else ""
    return Encounter((met.other, met.one)[side], score, outcome if over else None)


def join(parts: list[Details]) -> Details:
    """Return the tables and brackets of all parts of a tournament, with ``decided`` and ``stage`` of the first; no answer."""
    return Details(
        decided=parts[0].decided if parts else "",
        stage=parts[0].stage if parts else "",
        title="Stages",
        tables=[table for part in parts for table in part.tables],
        brackets=[one for part in parts for one in part.brackets],
    )


# Rankings by score and tie-breaks, for formats in which not all entrants meet the same opponents.
#
# The winner of a pairing scores 1; in a drawn one each side scores a half. Entrants of equal score are separated by the
# tie-breaks of the spec, in its order; those that are equal in all of them share a place. Scores are counted in halves and
# quarters, so all sums are exact.
#
# Source of Buchholz and Sonneborn-Berger, and of how a bye counts in them: FIDE Handbook C.07 (2024), 8, 9 and 16.4.

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
