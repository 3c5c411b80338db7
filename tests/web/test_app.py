"""The application of ``arena serve``, tested without a browser."""

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from support.browser.table_page import weight
from support.matches.in_process import PLAN, SEED, match
from support.records.reported import about, report
from support.servers.asgi import HOST, Response, ask

from arena.cli import serve as cli
from arena.errors import InputError, StoreError
from arena.gin.rules import Rules
from arena.league.jobs import JobQueue, JobRunner, TooManyRequestsError
from arena.plugins import manager
from arena.reports.json_file import JsonFile
from arena.reports.report_builder import ReportBuilder
from arena.roster.entrant import Entered
from arena.runs.background import EndedCommand
from arena.store.folder import Folder
from arena.store.store import Store
from arena.testing import match_record
from arena.tournament import seeds
from arena.web import channels, watched_run, watcher
from arena.web.app import Site
from arena.web.reviewing import REVIEWS, ReviewJob, ReviewState, ReviewTask, ask_review, review_state
from arena.web.run_pages import run_page
from arena.web.watched_run import FeaturedMatch, Snapshot, WatchedRun
from arena.web.watcher import Watch


def test_no_copy_is_left_of_a_database_that_cannot_be_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, scratch = tmp_path / "run", tmp_path / "scratch"
    run.mkdir()
    scratch.mkdir()
    (run / "arena.sqlite").write_bytes(b"not a database, but longer than the header of one" * 100)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    kinds = manager.kinds(manager.load(entry_points=False))
    site = Site(tmp_path, kinds)
    site.watch.runs = {"run": (watched := WatchedRun(Folder(run), kinds))}
    watched.snapshot = Snapshot(name="run", state="finished", report=ReportBuilder().report(about(()), {}))
    with pytest.raises(StoreError):
        asyncio.run(site.database(Request({"type": "http", "path_params": {"run": "run"}})))
    assert list(scratch.iterdir()) == []


def watching(tmp_path: Path) -> Site:
    """Return a site with a run, as its watch would have made it."""
    run, kinds = run_without_report(tmp_path / "run"), manager.kinds(manager.load(entry_points=False))
    site = Site(tmp_path, kinds)
    site.watch.runs = {"run": (watched := WatchedRun(Folder(run), kinds))}
    watched.poll()
    return site


@pytest.mark.parametrize(("range_", "status"), [("bytes=0-9", 206), ("bytes=99999999999-", 416), ("nonsense", 400)])
def test_no_copy_is_left_of_a_database_of_which_a_part_is_requested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, range_: str, status: int
) -> None:
    site, scratch = watching(tmp_path), tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    assert ask(site.app([HOST]), "GET", "/runs/run/arena.sqlite", range=range_).status == status
    assert list(scratch.iterdir()) == []


def test_a_run_that_was_removed_is_not_found(tmp_path: Path) -> None:
    site = watching(tmp_path)
    site.watch.runs = {}
    for name in ("", "match.json?fixture=x", "matches.json", "review?fixture=x", "arena.sqlite"):
        assert ask(site.app([HOST]), "GET", f"/runs/run/{name}").status == 404


def test_an_error_does_not_show_where_the_watched_folder_is(tmp_path: Path) -> None:
    found = ask(watching(tmp_path).app([HOST]), "GET", "/runs/run/match.json?fixture=x")
    assert found.status == 404
    assert found.text.startswith(f"{tmp_path.name}/run/arena.sqlite: fixture 'x' not found")
    assert str(tmp_path.parent) not in found.text


def test_a_page_without_news_receives_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "KEEPALIVE", 0.001)

    async def first() -> bytes:
        return await anext(channels.Channel().listen())

    assert asyncio.run(first()) == b"event: alive\ndata:1\n\n"  # an event without data would not reach the page


def test_a_live_page_weighs_at_most_300_kilobytes() -> None:
    shown = Snapshot(name="run", state="running", report=report())
    assert shown.report
    assert 50_000 < weight(run_page(shown, shown.report)) < 300_000


def test_a_run_of_which_nothing_was_played_yet_is_waiting_and_not_stopped(tmp_path: Path) -> None:
    with Store(tmp_path / "arena.sqlite", write=True):
        pass
    watched = WatchedRun(Folder(tmp_path), manager.kinds(manager.load(entry_points=False)))
    watched.poll()
    assert (watched.snapshot.state, watched.snapshot.problem) == ("waiting", "nothing has been played yet")


RULES = Rules(target=10, best_of=1)
FACTS = dict.fromkeys(("arena", "python", "platform", "started"), "x") | {
    "title": "Cup",
    "plan": PLAN,
    "spec": "{title: Cup, bots: [a, b], rules: {target: 10, best_of: 1}}",
    "seed": SEED,
    "commitment": seeds.commitment(SEED),
    "walls": '{"isolated": false, "profile": "none"}',
}


def run_without_report(folder: Path) -> Path:
    """Make the folder of a finished run without a report."""
    folder.mkdir()
    with Store(folder / "arena.sqlite", write=True) as store:
        store.begin(FACTS, [Entered(name, "1", name, "1" * 64) for name in "ab"])
        store.add(match(rules=RULES), match(rules=RULES, name="a-b/1/0"))
        store.finish()
    return folder


def test_a_stored_report_on_other_records_is_not_shown(tmp_path: Path) -> None:
    run = run_without_report(tmp_path / "run")
    (run / "results.json").write_text(JsonFile().render(ReportBuilder().report(about(("x", "y")), {})), encoding="utf-8")
    watched = WatchedRun(Folder(run), manager.kinds(manager.load(entry_points=False)))
    watched.poll()
    assert watched.snapshot.report
    assert {row.entrant for row in watched.snapshot.report.standings} == {"a", "b"}


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


def test_the_speed_of_a_run_is_not_that_of_reading_its_old_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_run, "SLICE", -1.0)
    watched = WatchedRun(Folder(run_without_report(tmp_path / "run")), manager.kinds(manager.load(entry_points=False)))
    while watched.poll():
        pass
    assert watched.count > 1
    assert {read for _, read, _ in watched._pace} == {watched.count}  # noqa: SLF001 - it is shown only while a run is played


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


def test_a_hand_is_reviewed_in_the_background_and_few_may_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = iter([0, 2])
    monkeypatch.setattr(JobRunner, "run_command", lambda *_, **__: EndedCommand(next(codes), b"", "x", late=False))
    tasks = [ReviewTask(run=str(tmp_path), fixture="f", hand=f"0.{number}") for number in range(9)]
    jobs = JobQueue({ReviewJob: REVIEWS})
    reviewing = JobRunner("reviews", jobs, (ReviewJob,))
    for task in (*tasks[:8], tasks[0]):
        ask_review(jobs, task)
    for author in ("", "ann"):  # of all authors together
        with pytest.raises(TooManyRequestsError, match="8 reviews are not over"):
            ask_review(jobs, tasks[8], author)
    assert review_state(jobs, tasks[3]) == ReviewState("waiting", before=3)
    for _ in range(2):
        reviewing.poll()
    states = [review_state(jobs, task) for task in (*tasks[:3], tasks[8])]
    assert [state and state.state for state in states] == [
        "done",
        "failed",
        "waiting",
        None,
    ]


def test_a_review_is_asked_for_by_the_servers_own_pages_and_of_hands_that_exist(tmp_path: Path) -> None:
    site = watching(tmp_path)
    with Store(tmp_path / "run" / "arena.sqlite") as store:
        fixture = store.results()[0].fixture.id
    app, address = site.app([HOST]), "/runs/run/review?fixture="
    assert ask(app, "POST", f"{address}{fixture}&hand=0.0", origin="http://elsewhere.example").status == 403

    def own(what: str) -> Response:
        return ask(app, "POST", f"{address}{what}", origin=f"http://{HOST}")

    assert [own(what).status for what in ("nothing", f"{fixture}&hand=9.99")] == [404, 404]
    assert ask(app, "GET", f"{address}{fixture}&hand=0.0").status == 404
    assert own(f"{fixture}&hand=0.0").document == {"state": "waiting", "before": 0, "reason": ""}


def test_a_match_is_featured_when_both_legs_of_its_pair_are_over_and_no_other_has_its_deals() -> None:
    featured = FeaturedMatch()
    for first, second, deals, shown in (("a", "b", "a:b/0", "b-a"), ("a", "b", "all/0", "b-a"), ("c", "d", "c:d/0", "d-c")):
        before = featured.fixture
        featured.add(match_record(first, second, deals=deals, points=(10,)))
        assert featured.fixture == before
        featured.add(match_record(second, first, deals=deals, points=(10,)))
        assert featured.fixture.endswith(shown)
        assert "all" not in featured.fixture


def test_runs_are_served_behind_a_reverse_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[tuple[int, bool]] = []

    def run(_: int, __: Path, made: Callable[[frozenset[str]], Starlette], *___: object, proxied: bool = False) -> None:
        answers.append((ask(made(frozenset()), "GET", "/static/style.css", host="club.example.org").status, proxied))

    monkeypatch.setattr(cli, "run_server", run)
    cli.serve(tmp_path, public="https://club.example.org")
    assert answers == [(200, True)]


def test_options_of_a_host_are_refused_where_no_league_is_hosted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected --play"):
        cli.serve(tmp_path, workers=3)
    with pytest.raises(InputError, match="expected --submit"):
        cli.serve(tmp_path, an_hour=3)
