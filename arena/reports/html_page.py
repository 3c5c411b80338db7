"""The report for a browser: one file that needs nothing but itself."""

from typing import TYPE_CHECKING, Any, ClassVar

from arena.reports.base import Renderer
from arena.reports.report import HANDS_SHOWN, Report
from arena.reports.tables import caveats, footing, heading, interval, matches, rating, strength_table, walls

if TYPE_CHECKING:
    from collections.abc import Mapping


class HtmlPage(Renderer, frozen=True, kw_only=True, tag="html"):
    """``report.html``: tables, charts, and the way down to every hand, offline and in one file."""

    file: ClassVar[str | None] = "report.html"

    def render(self, report: Report) -> str:
        """Return the page."""
        from arena.reports.page import assets, rows

        scripts = assets.REPORT_SCRIPTS
        return page(report, rows.document(report), {"scripts": scripts, "policy": assets.policy(scripts)})


def page(report: Report, document: dict[str, Any], way: "Mapping[str, object]") -> str:
    """Return a report's page. ``way`` says how scripts come to it: as ``scripts`` in it with a ``policy``, or as ``links``."""
    from arena.reports.page import assets

    around = {"scripts": (), "links": (), "policy": "", "live": None, **way}
    return assets.environment().get_template("report.html").render(**around, **parts(report), document=document)


def parts(report: Report) -> dict[str, Any]:
    """Return all that the templates of a report show."""
    from arena.reports.page import rows

    return {
        "report": report,
        "rows": rows,
        "matches": matches,
        "rating": rating,
        "interval": interval,
        "heading": heading(report),
        "walls": walls(report),
        "ranked": report.walls.profile != "none",
        "unit": "Elo points" if report.rated_by == "bradley-terry" else report.rated_by,
        "fixtures": max(report.matches, len(report.results)),
        "strength": strength_table(report, report.strengths) if report.strengths and report.strengths.entrants else None,
        "caveats": caveats(report),
        "room": HANDS_SHOWN,
        "provenance": [line.partition(": ")[::2] for line in footing(report)],
        "spec": report.provenance.get("spec", ""),
    }
