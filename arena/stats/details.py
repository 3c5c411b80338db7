"""What a format shows of a tournament besides the standings: how its ranking came about, and its brackets.

These are values only. Formats make them (:mod:`arena.tournament.formats`), reports show them (:mod:`arena.reports.ranking`).
"""

from typing import Literal

from msgspec import Struct


class Column(Struct, frozen=True):
    """A column of a ranking: a score or a tie-break, as text."""

    name: str
    cells: dict[str, str]  # by entrant


class PlaceTable(Struct, frozen=True, kw_only=True):
    """A ranking with the numbers that it follows from, the most important first."""

    title: str
    places: list[list[str]]  # first place first; entrants in one place share its rank
    columns: list[Column]
    note: str = ""  # sentences on what the columns mean


class Slot(Struct, frozen=True, kw_only=True):
    """One side of a tie."""

    entrant: str = ""  # empty: nobody yet, or never
    label: str = ""  # what is shown without an entrant: "bye", "winner of A1"
    seed: int | None = None  # from 1; None: not known yet
    score: str = ""  # matches won; empty: not played


class Tie(Struct, frozen=True, kw_only=True):
    """A pairing of a bracket, whose winner plays in the next round."""

    slots: tuple[Slot, Slot]
    winner: Literal[0, 1] | None = None  # of ``slots``; None: not decided
    note: str = ""  # how it was decided if not by matches

    @property
    def is_played(self) -> bool:
        """Tell whether two entrants play it."""
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


class Details(Struct, frozen=True, kw_only=True):
    """The tables and brackets of a format, in the order in which they are shown."""

    tables: list[PlaceTable] = []
    brackets: list[Bracket] = []


def joined(parts: list[Details]) -> Details:
    """Return the details of several parts of a tournament as one."""
    return Details(
        tables=[table for part in parts for table in part.tables], brackets=[one for part in parts for one in part.brackets]
    )
