"""The report as JSON, for programs."""

from typing import ClassVar

from arena.printable import json_text
from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.stats.ratings.base import Estimate
from arena.stats.tally import Tally


class JsonFile(Renderer, frozen=True, kw_only=True, tag="json"):
    """``results.json``: every number of the report in one JSON document; matches and hands are in the database.

    Of more than 250 entrants it has no numbers of every two, and no chance of every rank: they would be millions.
    """

    file: ClassVar[str | None] = "results.json"

    def render(self, report: Report) -> str:
        """Return the document; NaN and infinity become null."""
        from msgspec.json import format
        from msgspec.structs import replace

        shown = report if report.crossed else _without_pairs(report)
        return format(json_text(replace(shown, results=[], played=[])), indent=2) + "\n"


def _without_pairs(report: Report) -> Report:
    """Return a report without the numbers that grow with the square of the field."""
    from msgspec.structs import replace

    def short(estimate: Estimate) -> Estimate:
        return replace(estimate, ranks=(), ahead={})

    rows = [row if row.rating is None else replace(row, rating=short(row.rating)) for row in report.standings]
    known = report.strengths
    if known:
        known = replace(known, entrants={name: replace(one, points=short(one.points)) for name, one in known.entrants.items()})
    return replace(report, standings=rows, strengths=known, tally=Tally({}))
