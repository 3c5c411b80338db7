"""The report as JSON, for programs."""

from typing import ClassVar

from msgspec import json
from msgspec.structs import replace

from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.stats.estimate import Estimate
from arena.stats.tally import Tally
from arena.text import document_text


class JsonFile(Renderer, frozen=True, kw_only=True, tag="json"):
    """``results.json``: every number of the report in one JSON document; matches and hands are in the database.

    Its schema is that of ``arena report --json``: ``arena schema report``.
    For more than 250 entrants it leaves out what grows with their square: the numbers of each pair, and the chance of each rank.
    """

    file: ClassVar[str | None] = "results.json"

    def render(self, report: Report) -> str:
        """Return the document; NaN and infinity become null."""
        shown = report if report.has_cross_table else _without_pairs(report)
        return json.format(document_text("report", replace(shown, results=[], played=[])), indent=2) + "\n"


def _without_pairs(report: Report) -> Report:
    """Return a report without the numbers that grow with the square of the field."""

    def short(estimate: Estimate) -> Estimate:
        return replace(estimate, ranks=())

    rows = [row if row.rating is None else replace(row, rating=short(row.rating)) for row in report.standings]
    known = report.strengths
    if known:
        known = replace(known, entrants={name: replace(one, points=short(one.points)) for name, one in known.entrants.items()})
    return replace(report, standings=rows, strengths=known, tally=Tally({}))
