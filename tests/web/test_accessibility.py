"""Every page of runs and of the table, checked by axe-core."""

from pathlib import Path
from urllib.parse import quote

import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from support.browser.axe import check, needs_axe
from support.browser.driver import Browser, address
from support.browser.table_page import at_turn, say, with_styles
from support.hands.builders import FIRST
from support.records.reported import report
from support.records.reviewed_hands import reviewed_hand
from support.sizes import mostly_nightly

from arena.gin.seeing import disclose
from arena.human.persons_review import in_words
from arena.reports.html_page import HtmlPage
from arena.reports.page import assets
from arena.review.summary import review
from arena.testing import deal as dealt
from arena.testing import hand_after, hand_holding
from arena.web import manual_pages
from arena.web.responses import problem_page
from arena.web.run_pages import index_page
from arena.web.table_states import hand_over_shown
from arena.web.watched_run import Snapshot

pytestmark = [pytest.mark.process, needs_axe]
THROW = hand_holding("3c4c5c 7d7h7s JhQhKh Ac 9d", drawn="9d")

BATCH = quote("batch/alpha-beta", safe="")
FRAGMENTS = ["", "#/bot/alpha", "#/pair/alpha/beta", f"#/match/{BATCH}", "#/nonsense"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of pages as files."""
    folder = tmp_path_factory.mktemp("pages")
    shown = replace(report(), review=review([reviewed_hand(name, "alpha") for name in ("ab/0/0", "ag/0/0")]))
    (folder / "report.html").write_text(HtmlPage().render(shown), encoding="utf-8")
    runs = [Snapshot(name=state, state=state, report=shown, played=3, total=7) for state in ("running", "stopped", "finished")]
    others = {"manual": manual_pages.index_page(), "specs": manual_pages.manual_page("specs")}
    for name, html in {"runs": index_page(runs), "problem": problem_page(404, "run not found"), **others}.items():
        (folder / f"{name}.html").write_text(embedded(html), encoding="utf-8")
    return folder


def embedded(html: str) -> str:
    """Return a page without its scripts, with its style in it."""
    return with_styles(html).replace('<script src="', '<script type="none" data-src="')


@pytest.mark.parametrize("fragment", mostly_nightly(FRAGMENTS, "", FRAGMENTS[3]))
def test_the_report_is_accessible(browser: Browser, folder: Path, fragment: str) -> None:
    browser.open(address(folder / "report.html", fragment))
    browser.find("main:not([hidden]) h1")
    check(browser)


@pytest.mark.parametrize("name", ["runs", "problem", "manual", "specs"])
def test_the_other_pages_of_the_server_are_accessible(browser: Browser, folder: Path, name: str) -> None:
    browser.open(address(folder / f"{name}.html"))
    check(browser)


def test_the_replay_of_a_hand_is_accessible(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    fixture = browser.run("return Report.tournament.results[0][0]")
    browser.open(address(finished / "report.html", f"#/hand/{quote(fixture, safe='')}/0.0/5"))
    browser.find(".curves svg")
    check(browser)


def test_the_table_is_accessible(browser: Browser, tmp_path: Path) -> None:
    panel = to_builtins(in_words([reviewed_hand("you:greedy/0", "you")]))
    at_turn(browser, tmp_path, THROW, review=panel)
    browser.press("h")
    check(browser)
    saved = {"kind": "match_saved", "text": "greedy won the match, 1 game to 0.", "saved": "results/x", "replay": "report#/match/x"}
    at_turn(browser, tmp_path, THROW, review=panel, last_hand="0.1", bots=["greedy", "cautious"], **saved)
    check(browser)
    deal = dealt("3c4c5c 7d7h7s JhQhKh Ac", "6c8c9d Qc 2d4d9s Ts5h3h", "Kd", "2s8d")
    at_turn(browser, tmp_path, hand_after("pass pass draw knock:2s", deal))
    check(browser)
    over = hand_after("pass pass draw knock:2s lay_off", deal)
    assert over.result
    outcome = disclose(over, over.result, FIRST, (0, 0), 0)
    say(browser, {"state": 2, "opponent": "greedy", "log": [], **hand_over_shown(outcome, "greedy", over.rules)})
    browser.run("document.querySelector('#more').open = true")
    check(browser)


def test_the_invitation_to_a_table_is_accessible(browser: Browser, tmp_path: Path) -> None:
    words = {"host": "host", "name": "guest", "text": "Gin rummy: first to 100 points."}
    html = assets.environment().get_template("invitation.html").render(words)
    (tmp_path / "invitation.html").write_text(with_styles(html), encoding="utf-8")
    browser.open(address(tmp_path / "invitation.html"))
    check(browser)
