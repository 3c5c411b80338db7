"""What is sent to a browser of a watched run: pages, and the parts of them that move."""

from typing import Any

from msgspec import Struct
from msgspec.json import encode

from arena.reports.html_page import page, parts
from arena.reports.page import assets, rows
from arena.reports.report import Report
from arena.reports.tables import heading
from arena.web.channel import event
from arena.web.watched import Snapshot

STATIC = {  # every file that is served, by name: what is not here does not exist
    "style.css": "text/css; charset=utf-8",
    **dict.fromkeys((*assets.REPORT_SCRIPTS, "live.js", "runs.js", "table.js"), "text/javascript; charset=utf-8"),
}


class Live(Struct, frozen=True):
    """What the templates show of a run beside its report."""

    name: str
    state: str
    played: int
    total: int | None
    left: str


def run_page(snapshot: Snapshot, report: Report) -> str:
    """Return the page of one run: its report, with matches and hands fetched when they are asked for."""
    document = {**rows.document(report), "live": True, "results": None, "played": {}}
    return page(report, document, {"links": (*assets.REPORT_SCRIPTS, "live.js"), "live": _live(snapshot)})


def run_event(snapshot: Snapshot, report: Report) -> bytes:
    """Return the parts of a run's page that move, as an event."""
    shown = {**parts(report), "live": _live(snapshot)}
    render = assets.environment().get_template
    moved = {
        "progress": render("progress.html").render(shown),
        "standing-rows": render("standing_rows.html").render(shown),
        "hands": report.hands,
    }
    return event(encode(moved))


def index_page(snapshots: list[Snapshot]) -> str:
    """Return the page of all runs."""
    return assets.environment().get_template("runs.html").render(runs=_lines(snapshots))


def index_event(snapshots: list[Snapshot]) -> bytes:
    """Return the rows of the page of all runs, as an event."""
    return event(encode({"run-rows": assets.environment().get_template("run_rows.html").render(runs=_lines(snapshots))}))


def _live(snapshot: Snapshot) -> Live:
    return Live(snapshot.name, snapshot.state, snapshot.played, snapshot.total, snapshot.left)


def _lines(snapshots: list[Snapshot]) -> list[dict[str, Any]]:
    """Return what is shown of each run, those that are running first, then the newest."""
    newest = sorted(snapshots, key=_started, reverse=True)
    return [_line(snapshot) for snapshot in sorted(newest, key=lambda snapshot: snapshot.state != "running")]


def _started(snapshot: Snapshot) -> str:
    return snapshot.report.provenance.get("started", "") if snapshot.report else ""


def _line(snapshot: Snapshot) -> dict[str, Any]:
    report = snapshot.report
    return {
        "name": snapshot.name,
        "state": snapshot.state,
        "title": report.title if report else snapshot.name,
        "told": heading(report).partition(": ")[2] if report else snapshot.problem or "being read",
        "total": snapshot.total,
        "played": snapshot.played,
        "left": snapshot.left,
        "leaders": [row.entrant for row in report.standings[:3] if row.counts.hands] if report else [],
        "bots": " ".join(row.entrant for row in report.standings) if report else "",
        "started": _started(snapshot),
    }
