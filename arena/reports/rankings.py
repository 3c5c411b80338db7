"""A format's rankings: meetings, scores, changes of division, and the tie-breaks that decided."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from arena.reports import numbers
from arena.reports.report import Report
from arena.reports.text_table import TextTable
from arena.stats.format_details import MOVE, Column, Details, Encounter, PlaceTable
from arena.stats.standings import ranks

SIDES = {1: "ahead", 0: "level", -1: "behind", None: "open"}  # by outcome


class ShownEncounter(Struct, frozen=True):
    """A meeting in the row of an entrant."""

    opponent: str = ""
    score: str = ""
    side: str = ""  # of ``SIDES``; empty: there was no meeting
    label: str = ""  # what to write after the score: the opponent, unless the column names it; or "bye"


class ShownCell(Struct, frozen=True):
    """An entrant's value in a tie-break."""

    text: str
    decides: bool = False  # whether it is the first to differ from the next place, which has the same score


class RankedRow(Struct, frozen=True, kw_only=True):
    """The row of an entrant."""

    place: str
    name: str
    score: str
    met: list[ShownEncounter]
    cells: list[ShownCell]
    move: str  # "up", "down" or nothing


class Ranking(Struct, frozen=True, kw_only=True):
    """A ranking."""

    title: str
    score: str  # the heading of the column
    columns: list[str]  # the headings of the others
    opponents: list[str]  # the headings of the meetings; empty: they are not shown
    moves: bool  # whether entrants may change division
    rows: list[RankedRow]
    note: str


def rankings(report: Report) -> list[Ranking]:
    """Return the rankings of a report's format; a place is a dash if its bots ran in the sandbox `none`."""
    ranked = report.isolation.profile != "none"
    return [_ranking(table, ranked=ranked) for table in (report.details or Details()).tables]


def _ranking(table: PlaceTable, *, ranked: bool) -> Ranking:
    score, *others = [column for column in table.columns if column.name != MOVE]
    moves = next((column.cells for column in table.columns if column.name == MOVE), {})
    deciding = set(_deciding(table.places, score, others))
    rows = [
        RankedRow(
            place=str(rank) if ranked else numbers.MISSING,
            name=name,
            score=_cell_text(score, name),
            met=[_shown_encounter(one.name, one.cells.get(name)) for one in table.encounters],
            cells=[ShownCell(_cell_text(column, name), (column.name, name) in deciding) for column in others],
            move=moves.get(name, "").strip(numbers.MISSING),  # a dash: it stays
        )
        for rank, name in ranks(table.places)
    ]
    return Ranking(
        title=table.title,
        score=score.name,
        columns=[column.name for column in others],
        opponents=[one.name for one in table.encounters],
        moves=bool(moves),
        rows=rows,
        note=table.note,
    )


def _cell_text(column: Column, name: str) -> str:
    return column.cells.get(name, numbers.MISSING)


def _shown_encounter(heading: str, met: Encounter | None) -> ShownEncounter:
    if met is None:
        return ShownEncounter()
    label = "" if met.opponent == heading else met.opponent or "bye"
    return ShownEncounter(met.opponent, met.score, SIDES[met.outcome], label)


def _deciding(places: Sequence[Sequence[str]], score: Column, others: Sequence[Column]) -> Iterator[tuple[str, str]]:
    """Yield (tie-break, entrant): the first tie-break that separates a place from the next, if their scores are equal.

    Each entrant of the better place has one.
    """
    for here, below in pairwise(places):
        if score.cells.get(here[0]) == score.cells.get(below[0]):
            differing = (one.name for one in others if one.cells.get(here[0]) != one.cells.get(below[0]))
            first = next(differing, "")
            yield from ((first, name) for name in here)


def place_tables(report: Report) -> list[TextTable]:
    """Return the format's rankings, each with its meetings and then with the numbers that it follows from."""
    shown = rankings(report)
    last = {one.note: one.title for one in shown}  # a note that several rankings share stands below the last
    return [table for one in shown for table in _place_tables(one, one.note if last[one.note] == one.title else "")]


def _place_tables(shown: Ranking, note: str) -> Iterator[TextTable]:
    title = shown.title
    if shown.opponents:
        headings = ("#", "bot", *shown.opponents, shown.score, *([MOVE] if shown.moves else []))
        met = [
            (row.place, row.name, *map(_encounter, row.met), row.score, *([row.move] if shown.moves else [])) for row in shown.rows
        ]
        yield TextTable(title, headings, met, (1,))
        title = f"{title}: tie-breaks"
    rows = [(row.place, row.name, row.score, *(cell.text for cell in row.cells)) for row in shown.rows]
    yield TextTable(title, ("#", "bot", shown.score, *shown.columns), rows, (1,), note)


def _encounter(met: ShownEncounter) -> str:
    return f"{met.score} {met.label}".strip()
