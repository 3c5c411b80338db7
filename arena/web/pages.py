"""The pages of watched runs, and the events that update parts of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from msgspec.json import encode

from arena.reports.answer import NOTHING_PLAYED
from arena.reports.html_page import page, parts
from arena.reports.page import assets
from arena.reports.page import values as page_values
from arena.reports.report import Report
from arena.reports.tables import played_line
from arena.text import capital
from arena.web.watcher import Snapshot

# Server-sent events from one sender to any number of browsers.
#
# An event replaces what the page shows, so only the latest matters: a slow browser skips those in between, and nothing queues up.

KEEPALIVE = 5.0  # seconds without an event until ``ALIVE`` is sent, which also detects a closed connection
ALIVE = b"event: alive\ndata:1\n\n"


class Channel:
    """Sends events to all that listen, in one event loop. Any thread may send."""

    def __init__(self) -> None:
        self._latest: bytes | None = None
        self._sent = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None  # of the listeners; None: there was none yet

    def send(self, event: bytes) -> None:
        """Send an event to all listeners."""
        self._latest = event  # before the loop is read: a first listener, which sets it, then finds the event
        if self._loop:
            with suppress(RuntimeError):  # the loop was closed meanwhile: nobody listens
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._sent.set()
        self._sent = asyncio.Event()

    async def listen(self) -> AsyncIterator[bytes]:
        """Yield the latest event, then each new one, and ``ALIVE`` in pauses; a busy listener gets only the last that it missed."""
        self._loop = asyncio.get_running_loop()
        received: bytes | None = None
        while True:
            if (latest := self._latest) is not None and latest is not received:
                received = latest
                yield latest
                continue
            try:
                async with asyncio.timeout(KEEPALIVE):
                    await self._sent.wait()
            except TimeoutError:
                yield ALIVE


def event(document: bytes) -> bytes:
    """Return a JSON document of one line as an event."""
    return b"data: " + document + b"\n\n"


OWN_SCRIPTS = (
    "gallery.js",
    "connection.js",
    "featured.js",
    "live.js",
    "runs.js",
    "trend.js",
    "settings.js",
    "hand.js",
    "felt.js",
    "table.js",
    "club.js",
    "match.js",
)
STATIC = {  # the files that are served, with their media types; no other file is
    **dict.fromkeys(("style.css", "pages.css", "table.css"), "text/css; charset=utf-8"),
    **dict.fromkeys((*assets.REPORT_SCRIPTS, *OWN_SCRIPTS), "text/javascript; charset=utf-8"),
}


def render(template: str, /, **values: object) -> str:
    """Return a rendered template."""
    return assets.environment().get_template(template).render(values)


def run_page(snapshot: Snapshot, report: Report, folder: str | None = None) -> str:
    """Return the page of a run: its report, whose scripts fetch matches and hands when they are opened.

    ``folder`` is that of the run in the commands that replays show; None: they show none.
    """
    served = {"live": True, "run": folder, "results": None, "played": page_values.columns([]), "featured": snapshot.featured}
    scripts = (*assets.REPORT_SCRIPTS, "connection.js", "featured.js", "live.js")
    return page(report, {**page_values.document(report), **served}, {"links": scripts, "live": snapshot})


def run_event(snapshot: Snapshot, report: Report) -> bytes:
    """Return the parts of a run's page that change often, as an event."""
    values = {**parts(report), "live": snapshot}
    update = {
        "opening": render("opening.html", **values),
        "progress": render("progress.html", **values),
        "standing-rows": render("standing_rows.html", **values),
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


def problem_page(status: int, problem: str, home: str | None = "/") -> str:
    """Return the page that says why an address shows nothing; ``home`` is the start page, None: there is none that all may see."""
    title = "Page not found" if status == 404 else "This page cannot be shown"
    return render("problem.html", title=title, problem=f"{capital(problem)}.", home=home)


def _rows(snapshots: list[Snapshot]) -> list[dict[str, Any]]:
    """Return a row for each run: those that are running first, then by start, newest first."""
    newest = sorted(snapshots, key=_start_time, reverse=True)
    return [_row(snapshot) for snapshot in sorted(newest, key=lambda snapshot: snapshot.state != "running")]


def _start_time(snapshot: Snapshot) -> str:
    return snapshot.report.provenance.get("started", "") if snapshot.report else ""


def _row(snapshot: Snapshot) -> dict[str, Any]:
    report = snapshot.report
    return {
        "name": snapshot.name,
        "state": snapshot.state,
        "title": report.title if report else snapshot.name,
        "text": played_line(report) if report else snapshot.problem or "reading …",
        "total": snapshot.total,
        "played": snapshot.played,
        "left": snapshot.left,
        "answer": report.answer.who if report and report.answer != NOTHING_PLAYED else "",
        "bots": " ".join(row.entrant for row in report.standings) if report else "",
        "started": _start_time(snapshot),
    }
