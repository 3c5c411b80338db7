"""The pages of runs, and the events that update parts of them."""

from typing import Any

from msgspec.json import encode

from arena.reports.answer_card import NOTHING_PLAYED
from arena.reports.html_page import page, parts, render
from arena.reports.page import assets, page_values
from arena.reports.report import Report
from arena.reports.tables import played_line
from arena.web.channels import event
from arena.web.watched_run import Snapshot


def run_page(snapshot: Snapshot, report: Report, folder: str | None = None) -> str:
    """Return the page of a run: its report, whose scripts fetch matches and hands when they are opened.

    ``folder`` is that of the run in the commands that replays show; None: they show none.
    """
    now = {"featured": snapshot.featured, "state": snapshot.state}
    served = {"live": True, "run": folder, "results": None, "played": page_values.columns([]), **now}
    scripts = (*assets.REPORT_SCRIPTS[:-1], "matrix.js", "report.js", "connection.js", "featured.js", "live.js")
    return page(report, {**page_values.document(report), **served}, {"links": scripts, "live": snapshot})


def run_event(snapshot: Snapshot, report: Report) -> bytes:
    """Return the parts of a run's page that change often, as an event."""
    shown = {**parts(report), "live": snapshot}
    update = {
        "opening": render("opening.html", **shown),
        "progress": render("progress.html", **shown),
        "ranking": render("ranking.html", **shown),
        "standing-rows": render("standing_rows.html", **shown),
        "state": snapshot.state,
        "hands": report.hands,
        "featured": snapshot.featured,
    }
    return event(encode(update))


def index_page(snapshots: list[Snapshot]) -> str:
    """Return the list of runs."""
    return render("runs.html", runs=_rows(snapshots))


def index_event(snapshots: list[Snapshot]) -> bytes:
    """Return the rows of the list of runs, as an event."""
    return event(encode({"run-rows": render("run_rows.html", runs=_rows(snapshots))}))


def _rows(snapshots: list[Snapshot]) -> list[dict[str, Any]]:
    """Return a row for each run: those that are running first, then by start, newest first."""
    newest = sorted(snapshots, key=_start_time, reverse=True)
    return [_row(snapshot) for snapshot in sorted(newest, key=lambda snapshot: snapshot.state != "running")]


def _start_time(snapshot: Snapshot) -> str:
    return snapshot.report.provenance.get("started", "") if snapshot.report else ""


def _row(snapshot: Snapshot) -> dict[str, Any]:
    report = snapshot.report
    answer = report.answer if report and report.answer.who != NOTHING_PLAYED.who else None
    return {
        "name": snapshot.name,
        "state": snapshot.state,
        "title": report.title if report else snapshot.name,
        "text": played_line(report) if report else snapshot.problem or "reading …",
        "total": snapshot.total,
        "played": snapshot.played,
        "left": snapshot.left,
        "answer": answer.who if answer else "",
        "certainty": answer.certainty if answer else "",
        "bots": " ".join(row.entrant for row in report.standings) if report else "",
        "started": _start_time(snapshot),
    }
