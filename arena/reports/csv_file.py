"""The standings for a spreadsheet."""

import csv
from collections.abc import Callable
from io import StringIO
from typing import ClassVar

from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.stats.standings import Standing

Cell = str | int | float | None

COLUMNS: dict[str, Callable[[Standing], Cell]] = {
    "rank": lambda row: row.rank,
    "bot": lambda row: _safe(row.entrant),
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
    "rating": lambda row: None if row.rating is None else row.rating.value,
    "rating_low": lambda row: None if row.rating is None else row.rating.low,
    "rating_high": lambda row: None if row.rating is None else row.rating.high,
}


class CsvFile(Renderer, frozen=True, kw_only=True, tag="csv"):
    """``standings.csv``: a row an entrant, with a line of headings; seconds and points as plain numbers."""

    file: ClassVar[str | None] = "standings.csv"

    def render(self, report: Report) -> str:
        """Return the rows, in the order of their rank."""
        out = StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(COLUMNS)
        rows.writerows([value(row) for value in COLUMNS.values()] for row in report.standings)
        return out.getvalue()


def _safe(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@")) else name
