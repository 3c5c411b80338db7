"""A duel as ``arena serve`` shows it: by its verdict and its hands, never by matches."""

import shutil
import sqlite3
from contextlib import closing
from math import inf
from pathlib import Path

import pytest
from msgspec.json import encode
from msgspec.structs import replace
from support.browser.driver import Browser, address
from typer.testing import CliRunner

from arena.cli.app import build
from arena.plugins.manager import installed_kinds
from arena.reports.page import assets
from arena.reports.tables import amount_played
from arena.store.folder import Folder
from arena.web.run_pages import index_page, run_event, run_page
from arena.web.watched_run import Snapshot, WatchedRun


@pytest.fixture(scope="module")
def duel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "duel"
    options = ["--hands", "80", "--results", str(folder), "--sandbox", "none", "--executor", "serial", "--seed", "served"]
    assert CliRunner().invoke(build(), ["duel", "greedy", "random-legal", *options], catch_exceptions=False).exit_code == 0
    return folder


def seen(folder: Path) -> Snapshot:
    run = WatchedRun(Folder(folder), installed_kinds())
    run.poll()
    return run.snapshot


@pytest.mark.process
def test_a_finished_duel_is_read_from_its_report_and_again_from_its_records(duel: Path) -> None:
    stored = seen(duel)
    (duel / "results.json").rename(duel / "away.json")
    counted = seen(duel)
    (duel / "away.json").rename(duel / "results.json")
    assert stored.report
    assert counted.report
    assert stored.report.comparison == counted.report.comparison
    assert counted.report.summary == stored.report.summary
    assert counted.report.summary.startswith("greedy is stronger than random-legal, decided after ")


@pytest.mark.process
def test_the_page_and_its_updates_begin_with_the_verdict(duel: Path) -> None:
    snapshot = seen(duel)
    assert snapshot.report
    page = run_page(snapshot, snapshot.report)
    who = assets.whole_words(snapshot.report.answer.who)
    verdict = f'<p class="summary">{who}</p>'
    assert page.index(verdict) < page.index('id="chart-evidence"') < page.index('id="progress"')
    assert encode(str(who))[1:-1] in run_event(snapshot, snapshot.report)


@pytest.mark.process
@pytest.mark.parametrize("width", [390, 1200])
def test_the_charts_of_a_comparison_are_drawn_and_fit_the_screen(browser: Browser, duel: Path, width: int) -> None:
    browser.look(width=width)
    browser.open(address(duel / "report.html"))
    for name in ("evidence", "difference"):
        assert browser.find(f"#chart-{name} svg[role=img][aria-label]").size["height"] > 50
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.process
def test_the_list_of_runs_shows_the_verdict_and_ranks_nobody(duel: Path) -> None:
    snapshot = seen(duel)
    assert snapshot.report
    page = index_page([snapshot])
    assert snapshot.report.answer.who in page
    assert "1. greedy" not in page


@pytest.mark.process
def test_a_running_duel_is_shown_by_its_hands_of_at_most_its_limit(duel: Path) -> None:
    run = WatchedRun(Folder(duel), installed_kinds())
    (duel / "results.json").rename(duel / "away.json")
    run.poll()
    (duel / "away.json").rename(duel / "results.json")
    found = run.snapshot
    assert found.report
    assert (found.played, found.total) == (found.report.hands, 80)
    page = index_page([replace(found, state="running")])
    assert f'<progress max="80" value="{found.played}"' in page


@pytest.mark.process
def test_all_that_is_shown_of_a_comparison_is_of_one_moment_also_when_it_stops(
    duel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.watched_run.COUNT_PAUSE_FACTOR", inf)
    run, records = WatchedRun(Folder(tmp_path), installed_kinds()), Folder(duel).database
    shown = []
    for matches in (10, 12):  # the first legs of a round are played before the others
        shutil.copy(records, tmp_path)
        with closing(sqlite3.connect(tmp_path / records.name)) as database, database:
            database.execute("DELETE FROM match WHERE id > ?", (matches,))
            database.execute("DELETE FROM run WHERE key = 'finished'")
        run.poll()
        shown.append(run.snapshot)
    run._due = 0.0  # noqa: SLF001 - the pause between two questions to the format is over
    run.poll()
    assert [facts(one) for one in (*shown, run.snapshot)] == [(f"{hands} of at most 80 hands", hands) for hands in (8, 8, 16)]


def facts(shown: Snapshot) -> tuple[str, int]:
    """Return the hands as a page begins with them, and those of the verdict."""
    assert shown.report
    assert shown.report.comparison
    return amount_played(shown.report), shown.report.comparison.outcome.hands
