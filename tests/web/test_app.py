"""The application over a folder of runs, where a browser is not needed to ask it."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from reported import about
from starlette.requests import Request

from arena.errors import StoreError
from arena.plugins import manager
from arena.reports.report import Growing
from arena.store.folder import Folder
from arena.web.app import Site
from arena.web.watched import Snapshot, Watched


def test_a_database_that_cannot_be_copied_leaves_no_copy_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, scratch = tmp_path / "run", tmp_path / "scratch"
    run.mkdir()
    scratch.mkdir()
    (run / "arena.sqlite").write_bytes(b"no database, but longer than the heading of one" * 100)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    kinds = manager.kinds(manager.load(entry_points=False))
    site = Site(tmp_path, kinds)
    site.watch.runs = {"run": Watched(Folder(run), kinds)}
    site._snapshots["run"] = Snapshot(name="run", state="finished", report=Growing().report(about(()), {}))  # noqa: SLF001 - as the watch tells it
    with pytest.raises(StoreError):
        asyncio.run(site.database(Request({"type": "http", "path_params": {"run": "run"}})))
    assert list(scratch.iterdir()) == []
