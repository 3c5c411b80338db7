"""The sections of a report as text: its tables, and after the standings what the format shows (brackets, then tie-breaks)."""

from collections.abc import Iterator
from itertools import accumulate

from msgspec import Struct

from arena.reports.brackets import bracket_lines
from arena.reports.numbers import MISSING
from arena.reports.report import Report
from arena.reports.tables import TextTable, tables
from arena.stats.details import Details, PlaceTable


class Drawing(Struct, frozen=True):
    """Lines whose characters stand below each other."""

    title: str
    lines: list[str]


def sections(report: Report) -> list[TextTable | Drawing]:
    """Return the sections in reading order."""
    standings, *others = tables(report)
    shown = report.details or Details()
    drawings = (Drawing(bracket.title, bracket_lines(bracket)) for bracket in shown.brackets)
    return [standings, *drawings, *place_tables(report), *others]


def place_tables(report: Report) -> list[TextTable]:
    """Return the format's rankings with the numbers that they follow from; a rank is a dash if the bots ran without a sandbox."""
    ranked = report.isolation.profile != "none"
    return [_place_table(table, ranked=ranked) for table in (report.details or Details()).tables]


def _place_table(table: PlaceTable, *, ranked: bool) -> TextTable:
    headings = ("#", "bot", *(column.name for column in table.columns))
    rows = [
        (str(rank) if ranked else MISSING, name, *(column.cells.get(name, MISSING) for column in table.columns))
        for rank, name in _ranks(table)
    ]
    return TextTable(table.title, headings, rows, (1,), table.note)


def _ranks(table: PlaceTable) -> Iterator[tuple[int, str]]:
    # accumulate yields one sum more than there are places
    for rank, place in zip(accumulate(map(len, table.places), initial=1), table.places, strict=False):
        for name in place:
            yield rank, name
