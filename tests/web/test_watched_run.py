"""A watched run: its stored report, a reading that fails, its speed, and the match that is shown card by card."""

import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.records.reported import about
from support.records.verifying import runner
from support.servers.runs_without_report import run_without_report

from arena.errors import OutOfTimeError, StoreError
from arena.plugins import manager
from arena.records import MatchRecord
from arena.reports.json_file import JsonFile
from arena.reports.report_builder import ReportBuilder
from arena.runs import planning, starts
from arena.runs.play import Observer, play_run
from arena.store.folder import Folder
from arena.store.store import Store
from arena.testing import match_record
from arena.web import watched_run
from arena.web.watched_run import FeaturedMatch, WatchedRun, for_visitors


def test_a_stored_report_on_other_records_is_not_shown(tmp_path: Path) -> None:
    run = run_without_report(tmp_path / "run")
    (run / "results.json").write_text(JsonFile().render(ReportBuilder().report(about(("x", "y")), {})), encoding="utf-8")
    watched = WatchedRun(Folder(run), manager.kinds(manager.load(entry_points=False)))
    watched.poll()
    assert watched.snapshot.report
    assert {row.entrant for row in watched.snapshot.report.standings} == {"a", "b"}


def test_a_run_that_could_not_be_read_once_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StoreError("too many open files")

    run = run_without_report(tmp_path / "run")
    watched = WatchedRun(Folder(run), manager.kinds(manager.load(entry_points=False)))
    watched.poll()
    (run / "results.json").write_text("changed")
    states = []
    for store in (fail, Store):
        monkeypatch.setattr(watched_run, "Store", store)
        watched.poll()
        states.append(watched.snapshot.state)
    assert states == ["unreadable", "finished"]


def test_a_run_of_a_kind_that_no_plugin_reads_names_it_and_its_plugin_and_not_where_the_folder_is(tmp_path: Path) -> None:
    run = run_without_report(tmp_path / "run")
    with sqlite3.connect(run / "arena.sqlite") as database:
        database.executemany("INSERT INTO run VALUES (?, ?)", [("kind", "solo"), ("plugins", "stranger 0.7")])
    watched = WatchedRun(Folder(run), manager.kinds(manager.load(entry_points=False)))
    watched.poll()
    problem = watched.snapshot.problem
    assert problem.startswith("run: holds a run of the kind 'solo'")
    assert "stranger 0.7" in problem
    assert str(tmp_path) not in problem


def test_a_report_names_a_command_only_by_a_path_that_visitors_may_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = ReportBuilder().report(about(("x", "y")), {})
    path = tmp_path / "league nights" / "run"
    resumed = replace(report, answer=replace(report.answer, command=f"arena run '{path}/spec.yaml' --results '{path}'"))
    assert for_visitors(resumed, path).answer.command == ""
    path.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert for_visitors(resumed, path).answer.command == "arena run 'league nights/run/spec.yaml' --results 'league nights/run'"
    monkeypatch.chdir(path)
    assert for_visitors(resumed, path).answer.command == "arena run './spec.yaml' --results '.'"
    compares = replace(report, answer=replace(report.answer, command="arena duel x y"))
    assert for_visitors(compares, path) == compares


def test_the_speed_of_a_run_is_not_that_of_reading_its_old_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_run, "SLICE", -1.0)
    watched = WatchedRun(Folder(run_without_report(tmp_path / "run")), manager.kinds(manager.load(entry_points=False)))
    while watched.poll():
        pass
    assert watched.count > 1
    assert {read for _, read, _ in watched._pace} == {watched.count}  # noqa: SLF001 - it is shown only while a run is played


def test_a_match_is_featured_when_both_legs_of_its_pair_are_over_and_no_other_has_its_deals() -> None:
    featured = FeaturedMatch()
    for first, second, deals, shown in (("a", "b", "a:b/0", "b-a"), ("a", "b", "all/0", "b-a"), ("c", "d", "c:d/0", "d-c")):
        before = featured.fixture
        featured.add(match_record(first, second, deals=deals, points=(10,)))
        assert featured.fixture == before
        featured.add(match_record(second, first, deals=deals, points=(10,)))
        assert featured.fixture.endswith(shown)
        assert "all" not in featured.fixture


class StoppingObserver(Observer):
    """Stops after the first match."""

    def record(self, record: MatchRecord) -> None:
        raise OutOfTimeError


@pytest.mark.process
@pytest.mark.parametrize(
    ("form", "total", "at_least"),
    [("round-robin", 6, False), ("swiss", 4, False), ("knockout", 4, True), ("race", None, True)],
)
def test_how_much_is_left_is_said_as_far_as_results_leave_it_open(
    tmp_path: Path, form: str, total: int | None, *, at_least: bool
) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"title: T\nbots: [greedy, cautious, random-legal]\nformat: {{name: {form}}}\nsandbox: none\n")
    plan, folder = planning.from_file(spec, manager.installed_kinds(), None), Folder(tmp_path / "run")
    with suppress(OutOfTimeError):
        play_run(starts.RunStart(plan=plan, folder=folder), runner(), StoppingObserver(), lambda _: None, None)
    watched = WatchedRun(folder, manager.kinds(manager.load(entry_points=False)))
    watched.poll()
    assert (watched.snapshot.total, watched.snapshot.at_least) == (total, at_least)
