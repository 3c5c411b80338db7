"""The sections of a report as tables: the format's brackets, its rankings, then the standings and the other tables."""

from arena.reports.brackets import bracket_lines
from arena.reports.rankings import place_tables
from arena.reports.report import Report
from arena.reports.tables import tables
from arena.reports.text_table import Drawing, TextTable
from arena.stats.format_details import Details


def sections(report: Report, width: int = 80) -> list[TextTable | Drawing]:
    """Return the sections in reading order; drawings are at most ``width`` characters wide, if their names can be cut to that."""
    if not report.rated:
        return [*tables(report)]
    shown = report.details or Details()
    drawings = (Drawing(bracket.title, bracket_lines(bracket, width)) for bracket in shown.brackets)
    return [*drawings, *place_tables(report), *tables(report)]
