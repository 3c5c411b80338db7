"""The application of ``arena serve``, tested without a browser."""

import asyncio
import shutil
import tempfile
from pathlib import Path

import pytest
from reported import about
from starlette.requests import Request

from arena.errors import StoreError
from arena.plugins import manager
from arena.reports.report import ReportBuilder
from arena.reports.text import JsonFile
from arena.store.folder import Folder
from arena.web import pages
from arena.web.app import Site
from arena.web.watcher import Snapshot, Watch, WatchedRun


def test_no_copy_is_left_of_a_database_that_cannot_be_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, scratch = tmp_path / "run", tmp_path / "scratch"
    run.mkdir()
    scratch.mkdir()
    (run / "arena.sqlite").write_bytes(b"not a database, but longer than the header of one" * 100)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    kinds = manager.kinds(manager.load(entry_points=False))
    site = Site(tmp_path, kinds)
    site.watch.runs = {"run": WatchedRun(Folder(run), kinds)}
    site._snapshots["run"] = Snapshot(name="run", state="finished", report=ReportBuilder().report(about(()), {}))  # noqa: SLF001 - as the watch would set it
    with pytest.raises(StoreError):
        asyncio.run(site.database(Request({"type": "http", "path_params": {"run": "run"}})))
    assert list(scratch.iterdir()) == []


def test_a_page_without_news_receives_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "KEEPALIVE", 0.001)

    async def first() -> bytes:
        return await anext(pages.Channel().listen())

    assert asyncio.run(first()) == b"event: alive\ndata:1\n\n"  # an event without data would not reach the page


OLDER = Path(__file__).parents[1] / "golden" / "databases" / "schema-1.sqlite"


def run_without_report(folder: Path) -> Path:
    """Make the folder of a finished run without a report."""
    folder.mkdir()
    shutil.copy(OLDER, folder / "arena.sqlite")
    return folder


def test_a_stored_report_on_other_records_is_not_shown(tmp_path: Path) -> None:
    run = run_without_report(tmp_path / "run")
    (run / "results.json").write_text(JsonFile().render(ReportBuilder().report(about(("x", "y")), {})), encoding="utf-8")
    watched = WatchedRun(Folder(run), manager.kinds(manager.load(entry_points=False)))
    watched.look()
    assert watched.snapshot.report
    assert {row.entrant for row in watched.snapshot.report.standings} == {"plain", "wild"}


def test_a_run_that_cannot_be_shown_does_not_hide_the_others(tmp_path: Path) -> None:
    shown = []

    def changed(snapshot: Snapshot) -> None:
        if snapshot.name == "one":
            raise RuntimeError("our bug")
        shown.append(snapshot.name)

    for name in ("one", "two"):
        run_without_report(tmp_path / name)
    watch = Watch(tmp_path, manager.kinds(manager.load(entry_points=False)), changed, lambda _: None)
    watch.look()
    watch.stop()
    assert shown == ["two"]
