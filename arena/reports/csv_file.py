"""The standings as CSV, for a spreadsheet."""

import csv
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from math import isfinite
from typing import ClassVar

from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.stats.format_details import Column, Details, PlaceTable
from arena.stats.second_leg_test import SecondLegs
from arena.stats.standings import Standing, ranks
from arena.stats.strengths import Strength, rank_interval
from arena.text import in_one_line

Cell = str | int | float | None

FORMULA_STARTS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four are full-width forms of the first

COLUMNS: dict[str, Callable[[Standing], Cell]] = {
    "rank": lambda row: row.rank,
    "bot": lambda row: row.entrant,
    "matches_won": lambda row: row.counts.matches_won,
    "matches_lost": lambda row: row.counts.matches_lost,
    "matches_drawn": lambda row: row.counts.matches_drawn,
    "pairs_won": lambda row: row.counts.pairs_won,
    "pairs_drawn": lambda row: row.counts.pairs_drawn,
    "pairs_lost": lambda row: row.counts.pairs_lost,
    "games_won": lambda row: row.counts.games_won,
    "games_lost": lambda row: row.counts.games_lost,
    "points_for": lambda row: row.counts.points_for,
    "points_against": lambda row: row.counts.points_against,
    "points_a_hand": lambda row: row.counts.points_a_hand,
    "hands": lambda row: row.counts.hands,
    "gins": lambda row: row.counts.gins,
    "big_gins": lambda row: row.counts.big_gins,
    "knocks": lambda row: row.counts.knocks,
    "undercuts": lambda row: row.counts.undercuts,
    "dead": lambda row: row.counts.dead,
    "faults": lambda row: row.counts.faults.total,
    "forfeits": lambda row: row.counts.forfeits,
    "decisions": lambda row: row.counts.decisions,
    "cpu_a_decision": lambda row: row.counts.cpu_a_decision,
    "rating": lambda row: None if row.rating is None or row.rating.one_sided else row.rating.value,
    "rating_low": lambda row: _finite(row.rating.low if row.rating else None),
    "rating_high": lambda row: _finite(row.rating.high if row.rating else None),
}

STRENGTH_COLUMNS: dict[str, Callable[[Standing, Strength | None], Cell]] = {
    "points_rating": lambda _, known: None if known is None else known.points.value,
    "points_rating_low": lambda _, known: None if known is None else known.points.low,
    "points_rating_high": lambda _, known: None if known is None else known.points.high,
    "chance_of_first": lambda row, _: row.rating.ranks[0] if row.rating and row.rating.ranks else None,
    "chance_of_first_from": lambda row, _: row.rating.first[0] if row.rating and row.rating.first else None,
    "chance_of_first_to": lambda row, _: row.rating.first[1] if row.rating and row.rating.first else None,
    "rank_from": lambda row, _: None if (ranks := _ranks(row)) is None else ranks[0],
    "rank_to": lambda row, _: None if (ranks := _ranks(row)) is None else ranks[1],
    "note": lambda row, _: None if row.rating is None else row.rating.note or None,
}

SECOND_LEGS_COLUMNS: dict[str, Callable[[SecondLegs], Cell]] = {
    "second_legs_gain": lambda found: found.gain,
    "second_legs_evidence": lambda found: found.evidence,
}


class CsvFile(Renderer, frozen=True, kw_only=True, tag="csv"):
    """``standings.csv``: a line of headings and a row for each entrant; times in seconds."""

    file: ClassVar[str | None] = "standings.csv"

    def render(self, report: Report) -> str:
        """Return the rows in the order of rank."""
        out = StringIO()
        rows = csv.writer(out, lineterminator="\n")
        if not report.rated:
            rows.writerows(_unrated_rows(report))
            return out.getvalue()
        rows.writerow([*COLUMNS, *STRENGTH_COLUMNS, *SECOND_LEGS_COLUMNS])
        known = report.strengths.entrants if report.strengths else {}
        for row in report.standings:
            counts = [value(row) for value in COLUMNS.values()]
            strength = [value(row, known.get(row.entrant)) for value in STRENGTH_COLUMNS.values()]
            gained = report.second_legs.get(row.entrant)
            found = [None if gained is None else value(gained) for value in SECOND_LEGS_COLUMNS.values()]
            rows.writerow(map(safe_cell, [*counts, *strength, *found]))
        return out.getvalue()


def _finite(number: float | None) -> float | None:
    return number if number is not None and isfinite(number) else None


def _ranks(row: Standing) -> tuple[int, int] | None:
    return rank_interval(row.rating.ranks) if row.rating else None


def _unrated_rows(report: Report) -> Iterator[Sequence[Cell]]:
    """Yield the headings and rows of the format's own ranking; before the first game, only the headings that never change."""
    (table,) = (report.details or Details()).tables or [PlaceTable(title="", places=[], columns=[])]
    faults = {row.entrant: row.counts.faults.total for row in report.standings}
    yield ["#", "bot", *(column.name for column in table.columns), "faults"]
    for rank, name in ranks(table.places):
        yield [rank, safe_cell(name), *(_cell(column, name) for column in table.columns), faults[name]]


def _cell(column: Column, name: str) -> Cell:
    return column.numbers.get(name, safe_cell(column.cells[name]))


def safe_cell(cell: Cell) -> Cell:
    """Return a cell with text made printable, in one line, and not executable as a formula.

    Source: OWASP, CSV Injection. It also names tabs and carriage returns; ``in_one_line`` has escaped them.
    """
    if not isinstance(cell, str):
        return cell
    text = in_one_line(cell)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
