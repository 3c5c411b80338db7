"""The application of ``arena serve``, tested without a browser."""

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from support.browser.table_page import weight
from support.records.reported import about, report
from support.servers.asgi import HOST, Response, ask
from support.servers.runs_without_report import run_without_report

from arena.cli import serve as cli
from arena.errors import InputError, StoreError
from arena.league.jobs import JobQueue, JobRunner, TooManyRequestsError
from arena.plugins import manager
from arena.reports.report_builder import ReportBuilder
from arena.runs.background import EndedCommand
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web import channels
from arena.web.app import Site
from arena.web.reviewing import REVIEWS, ReviewJob, ReviewState, ReviewTask, ask_review, review_state
from arena.web.run_pages import run_page
from arena.web.watched_run import Snapshot, WatchedRun


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
