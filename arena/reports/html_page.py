"""The report as a web page.

The same template serves two pages: ``report.html``, one file with styles, scripts and hands embedded, which works offline, and
the page of ``arena serve``, which links to its scripts and fetches matches and hands.
"""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

import jinja2
from markupsafe import Markup, escape

from arena.gin.cards import RED, signed
from arena.reports import second_legs
from arena.reports.base import Renderer
from arena.reports.numbers import rating_name, rating_unit
from arena.reports.report import HANDS_SHOWN, Report
from arena.reports.reviewed import ReviewSection, ShownDecision
from arena.reports.tables import (
    TextTable,
    caveats,
    fault_table,
    hands_table,
    isolation_line,
    opening,
    place_tables,
    played_line,
    provenance_lines,
    standing_table,
    strength_table,
)
from arena.reports.verdict import guarantee
from arena.text import json_text, printable

if TYPE_CHECKING:
    from collections.abc import Mapping


class HtmlPage(Renderer, frozen=True, kw_only=True, tag="html"):
    """``report.html``: tables, charts and replays of hands in one file that works offline."""

    file: ClassVar[str | None] = "report.html"

    def render(self, report: Report) -> str:
        """Return the page."""
        from arena.reports.page import rows

        scripts = REPORT_SCRIPTS
        return page(report, rows.document(report), {"scripts": scripts, "policy": policy(scripts)})


def page(report: Report, document: dict[str, Any], extras: "Mapping[str, object]") -> str:
    """Return the page of a report; ``extras`` has either ``scripts`` to embed and their ``policy``, or ``links`` to scripts."""
    values = {"scripts": (), "links": (), "policy": "", "live": None, **extras}
    return environment().get_template("report.html").render(**values, **parts(report), document=document)


def turn_link(one: ShownDecision) -> str:
    """Return the fragment that shows a hand on the page of a report, when the decision is to be made."""
    return f"#/hand/{step(one.fixture)}/{step(one.hand)}/{one.turn - 1}"


def parts(report: Report) -> dict[str, Any]:
    """Return the values that the templates of a report use."""
    from arena.reports.brackets import bracket_drawing
    from arena.reports.page import rows

    compared = report.comparison
    strengths = None if compared else report.strengths
    return {
        "report": report,
        "rows": rows,
        "played": played_line(report),
        "opening": opening(report),
        "isolation": isolation_line(report),
        "guarantee": guarantee(compared.outcome) if compared else "",
        "unit": rating_unit(report.rated_by),
        "rated": rating_name(report.rated_by),
        "fixtures": max(report.matches, len(report.results)),
        "several": "matches" if report.matches else "batches",
        "standing": hands_table(report, compared) if compared else standing_table(report),
        "strength": strength_table(report, strengths) if strengths and strengths.entrants else None,
        "caveats": caveats(report),
        "causes": fault_table(report),
        "places": place_tables(report),
        "brackets": [bracket_drawing(bracket) for bracket in (report.details.brackets if report.details else [])],
        "fault_total": sum(row.counts.faults.total for row in report.standings),
        "room": HANDS_SHOWN,
        "review": ReviewSection(report.review) if report.review else None,
        "turn_link": turn_link,
        "second_legs": second_legs,
        "provenance": [line.partition(": ")[::2] for line in provenance_lines(report)],
        "spec": report.provenance.get("spec", ""),
    }


# The page of a league's table: one file that works offline.


def league_page(
    table: TextTable,
    progress: str,
    at: str,
    since: str,
    changes: Sequence[str],
    notes: Sequence[str],
    reports: Sequence[str],
    link: str,
) -> str:
    """Return the page; ``at`` and ``since`` are the moments of the table and of the one that it is compared with.

    ``reports`` are the files of reports to which it links; it links to ``bots/NAME.html`` too. ``link`` is the last of the chain.
    """
    values = {
        "table": table,
        "progress": progress,
        "at": at,
        "since": since,
        "changes": changes,
        "notes": notes,
        "reports": reports,
        "link": link,
    }
    return environment().get_template("league.html").render(values)


# The scripts, styles and templates in this folder.
#
# Names, titles and faults come from anybody. Templates escape all text, JSON in a page cannot end its ``<script>``, and the content
# security policy lets only the scripts of this folder run.

FOLDER = Path(__file__).parent
LIBRARIES = ("vendor/d3.min.js", "vendor/plot.umd.min.js")
REPLAY_SCRIPTS = (*LIBRARIES, "dom.js", "estimates.js", "game.js", "luck.js", "motion.js", "curves.js", "replay.js")
REPORT_SCRIPTS = (*REPLAY_SCRIPTS, "charts.js", "report.js")


@cache
def text(name: str) -> str:
    """Return the text of a file in this folder."""
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def environment() -> jinja2.Environment:
    """Return the environment of the templates, which escapes all values."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        finalize=visible,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cards"] = cards
    environment.filters["step"] = step
    environment.filters["json_block"] = json_block
    environment.globals["source"] = lambda name: Markup(text(name))  # noqa: S704 - files of this folder, not from a user
    return environment


def visible(value: object) -> object:
    """Return text with invisible characters escaped; other values and our own markup are not changed."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def cards(text: str) -> Markup:
    """Return words with the signs of their cards, those of red suits red."""
    red = RED.sub(r'<span class="suit">\g<0></span>', str(escape(signed(printable(text)))))
    return Markup(red)  # noqa: S704 - escaped, but for the spans


def step(name: object) -> str:
    """Return text escaped for one part of a fragment, ``#/match/STEP``."""
    return quote(str(name), safe="")


def json_block(value: object) -> Markup:
    """Return a value as JSON that cannot end a ``<script>`` or open a comment."""
    safe = json_text(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(safe)  # noqa: S704 - it has no angle bracket


def policy(scripts: tuple[str, ...]) -> str:
    """Return the content security policy of a page that embeds these scripts: only they run, and nothing is fetched."""
    hashes = " ".join(f"'sha256-{b64encode(sha256(text(name).encode()).digest()).decode()}'" for name in scripts)
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
