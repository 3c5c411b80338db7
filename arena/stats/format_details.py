"""The details that a format shows of a tournament besides the standings: the numbers behind its ranking, and its brackets.

These are values only. Formats make them (:mod:`arena.tournament.formats`), reports show them (:mod:`arena.reports.tables`).
"""

from typing import Literal

from msgspec import Struct

from arena.stats.pairs import Meeting
from arena.stats.scales import Interval

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
    rivals: tuple[str, str] | None = None  # two entrants that the answer leaves as near as equal; a duel would tell
    decided: str = ""  # how the first place was decided, without a full stop; empty: the standings show it
    stage: str = ""  # what is being played, without a full stop: "semi-finals, 4 of 8 are still in"; empty: not told
    unit: str = ""  # of ``intervals``: "lead over a, points a hand"
    intervals: dict[str, Interval] = {}  # by entrant, what the answer follows from, drawn beside it
    title: str = "Ranking"  # of the section with the tables and brackets
    tables: list[PlaceTable] = []
    brackets: list[Bracket] = []


def how_decided(table: PlaceTable) -> str:
    """Return in words the score or tie-break that separates the first two of a ranking; empty, if nothing does."""
    if len(table.places) < 2 or len(table.places[0]) > 1:
        return ""
    first, second, score = table.places[0][0], table.places[1][0], table.columns[0]
    own, other = score.cells[first], score.cells[second]
    most = sum(first in met.cells for met in table.encounters)  # each scores at most 1
    of_all = f" of {most}" if most else ""
    if own != other:
        return f"{score.name} {own}{of_all}, ahead of {second} with {other}"
    tied = [name for place in table.places[1:] for name in place if score.cells[name] == own]
    if len(tied) > 1:
        return f"{score.name} {own}{of_all}, as {' and '.join([', '.join(tied[:-1]), tied[-1]])} have; ahead by the tie-breaks"
    by = next((one for one in table.columns if one.cells[first] != one.cells[second]), None)
    ahead = f"; ahead by {by.name}, {by.cells[first]} to {by.cells[second]}" if by else ""
    return f"{score.name} {own}{of_all}, as {second} has{ahead}"


def encounter(met: Meeting, name: str, *, over: bool) -> Encounter:
    """Return a meeting as the entrant ``name`` sees it; ``over``: all of it was played."""
    side = int(name == met.other)
    gain = (met.outcome, -met.outcome)[side]
    outcome: Literal[-1, 0, 1] = 1 if gain > 0 else -1 if gain < 0 else 0
    score = f"{met.matches[side]}–{met.matches[1 - side]}" if met.legs else ""
    return Encounter((met.other, met.one)[side], score, outcome if over else None)
