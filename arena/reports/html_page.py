"""Web pages of one file: the report, a league's table, bots that play alike, and a search for parameters.

The template of the report serves ``report.html``, with styles, scripts and hands embedded, which works offline, and the pages of
servers, which link to their scripts; that of ``arena serve`` also fetches matches and hands.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from arena.reports import rankings, second_legs, tables, text_table
from arena.reports.base import Renderer
from arena.reports.faults import FaultGroup, place
from arena.reports.fixture_names import meeting_words
from arena.reports.numbers import hand_words, rating_name, rating_unit
from arena.reports.report import Report
from arena.reports.report_builder import hands_shown
from arena.reports.review_section import section_of
from arena.reports.verdict import details, guarantee
from arena.review.summary import ListedDecision


class HtmlPage(Renderer, frozen=True, kw_only=True, tag="html"):
    """``report.html``: tables, charts and replays of hands in one file that works offline."""

    file: ClassVar[str | None] = "report.html"

    def render(self, report: Report) -> str:
        """Return the page."""
        from arena.reports.page import assets, page_values

        scripts = (*assets.REPORT_SCRIPTS[:-1], "matrix.js", "report.js") if page_values.is_large(report) else assets.REPORT_SCRIPTS
        return page(report, page_values.document(report), {"scripts": scripts, "policy": assets.policy(scripts)})


def page(report: Report, document: dict[str, Any], extras: Mapping[str, object]) -> str:
    """Return the page of a report.

    ``extras`` has either ``scripts`` to embed and their ``policy``, or ``links`` to scripts; ``live`` too for a watched run.
    """
    values = {"scripts": (), "links": (), "policy": "", "live": None, **extras}
    return render("report.html", **values, **parts(report), document=document)


def render(template: str, /, **values: object) -> str:
    """Return a rendered template."""
    from arena.reports.page import assets

    return assets.environment().get_template(template).render(values)


def turn_link(one: ListedDecision) -> str:
    """Return the fragment that shows a decision on the page of a report, with its verdict."""
    from arena.reports.page.assets import step

    return f"#/hand/{step(one.fixture)}/{step(one.hand)}/{one.turn}"


def parts(report: Report) -> dict[str, Any]:
    """Return the values that the templates of a report use."""
    from arena.reports.page import page_values

    compared = report.comparison
    strengths = None if compared else report.strengths
    return {
        "report": report,
        "rows": page_values,
        "played": partial(tables.amount_played, report),
        "answer": report.answer,
        "flagged": tables.warnings(report, place_words),
        "behind": list(details(compared)) if compared else [],
        "isolation": tables.isolation_line(report),
        "guarantee": guarantee(compared.outcome) if compared else "",
        "unit": rating_unit(report.rated_by),
        "rated": rating_name(report.rated_by),
        "fixtures": max(report.matches, len(report.results)),
        "several": "batches" if report.batches else "matches",
        "standing": _ranking(report),
        "strength": tables.strength_table(report, strengths) if strengths and strengths.entrants else None,
        "caveats": tables.caveats(report),
        "causes": tables.fault_table(report, place_words),
        "rankings": rankings.rankings(report) if report.rated else [],
        "rates": not compared and report.rated,
        "brackets": report.details.brackets if report.details else [],
        "placed_by": report.details.title if report.details else "",
        "room": hands_shown(len(report.standings)),
        "large": page_values.is_large(report),
        "review": section_of(report.review) if report.review else None,
        "turn_link": turn_link,
        "hand_words": hand_words,
        "second_legs": second_legs.second_legs_table(report.second_legs),
        "provenance": [line.partition(": ")[::2] for line in tables.provenance_lines(report)],
        "spec": report.provenance.get("spec", ""),
    }


def place_words(group: FaultGroup) -> str:
    """Return where a group begins, in words, counted from 1; of a report that was stored without them, as commands name it."""
    if not group.hand:
        return place(group)
    return f"{meeting_words(group.fixture)}, {hand_words(group.hand, alone=False)}, {group.moment}"


def _ranking(report: Report) -> text_table.TextTable:
    if report.comparison:
        return tables.hands_table(report, report.comparison)
    return tables.standing_table(report) if report.rated else tables.unrated_table(report)
