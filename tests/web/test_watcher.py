"""The watch of a folder of runs: ratings in the background, and a run that cannot be shown."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from support.servers.runs_without_report import run_without_report

from arena.plugins import manager
from arena.web import watcher
from arena.web.watched_run import Snapshot, WatchedRun
from arena.web.watcher import Watch


def test_a_run_that_replaces_one_with_as_many_records_is_rated_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_without_report(tmp_path / "run")
    watch = Watch(tmp_path, manager.kinds(manager.load(entry_points=False)), lambda _: None, lambda _: None)
    rated: list[int] = []
    monkeypatch.setattr(WatchedRun, "rate", lambda run: rated.append(run.count))
    monkeypatch.setattr(watcher, "PAUSE_FACTOR", 0)
    for commitment in ("1" * 64, "2" * 64):
        with closing(sqlite3.connect(run / "arena.sqlite")) as database, database:
            database.execute("UPDATE run SET value = ? WHERE key = 'commitment'", (commitment,))
        for _ in range(3):
            watch.poll()
            time.sleep(0.01)
    watch.stop()
    assert len(rated) == 2


def test_an_error_of_a_rating_names_its_run_and_no_rating_begins_after_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: WatchedRun) -> None:
        raise RuntimeError("our bug")

    for name in ("one", "two"):
        run_without_report(tmp_path / name)
    watch = Watch(tmp_path, manager.kinds(manager.load(entry_points=False)), lambda _: None, lambda _: None)
    with monkeypatch.context() as context:
        context.setattr(WatchedRun, "rate", fail)
        for _ in range(3):
            watch.poll()
            time.sleep(0.01)
    watch.stop()
    watch.poll()
    assert {record.getMessage() for record in caplog.records} == {"one: rating failed", "two: rating failed"}


def test_a_run_that_cannot_be_shown_does_not_hide_the_others(tmp_path: Path) -> None:
    shown = []

    def changed(snapshot: Snapshot) -> None:
        if snapshot.name == "one":
            raise RuntimeError("our bug")
        shown.append(snapshot.name)

    for name in ("one", "two"):
        run_without_report(tmp_path / name)
    watch = Watch(tmp_path, manager.kinds(manager.load(entry_points=False)), changed, lambda _: None)
    watch.poll()
    watch.stop()
    assert shown == ["two"]
