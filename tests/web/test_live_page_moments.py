"""A page that watches a run equals one that is opened now: at several moments until the end, and after its server was killed."""

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support.browser.driver import Browser
from support.commands.calls import command
from support.commands.runs import league
from support.leagues.sites import entered
from support.servers.serving import ask, started
from support.sizes import mostly_nightly, size

MOMENTS = size(8, 20)
FORMATS = {
    "round robin": ["format: {name: round-robin, pairs: 30}"],
    "duel": ["format: {name: duel, hands: 4000}", "rules: {stock: two-ended}"],
    "knockout": ["format: {name: knockout, pairs: 30}"],
}
# The page but for what depends on the time of the look, and the marks of what has just changed.
SHOWN = r"""
const seen = document.getElementById("report").cloneNode(true);
seen.querySelectorAll("#connection, #progress, #featured").forEach((one) => one.remove());
seen.querySelectorAll(".changed").forEach((one) => one.classList.remove("changed"));
seen.querySelectorAll('[class=""]').forEach((one) => one.removeAttribute("class"));
return seen.innerHTML.replace(/\s+/g, " ").replace(/> </g, "><");
"""
Same = Callable[[Browser, str, str], bool]  # whether the page of the first tab equals that of the second
IN_LEAGUE = SHOWN.replace('getElementById("report")', 'getElementById("content")')


def in_two_tabs(browser: Browser, page: str) -> tuple[str, str]:
    """Open a page in two tabs, and return the one that watches and the one that is to be loaded again."""
    browser.look()
    browser.open(page)
    watching = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.look()
    browser.open(page)
    return watching, browser.driver.current_window_handle


def close_one(browser: Browser, watching: str, opened: str) -> None:
    """Close the second tab, and forget what the pages complained about while their server was gone."""
    browser.driver.switch_to.window(opened)
    browser.driver.close()
    browser.driver.switch_to.window(watching)
    browser.open("about:blank")
    browser.complaints()


def kill_and_follow(
    browser: Browser, tabs: tuple[str, str], serving: tuple["subprocess.Popen[str]", str], folder: Path, page: str, equals: Same
) -> None:
    """Kill a server and start it again; wait until the page that watches equals one that is loaded from the new server."""
    server, address = serving
    server.kill()
    server.wait()
    with started("serve", folder, "--port", address.rstrip("/").rpartition(":")[2]):
        browser.wait(lambda: ask(address, page).status == 200)
        browser.wait(lambda: equals(browser, *tabs))
        close_one(browser, *tabs)


def equal(browser: Browser, watching: str, opened: str) -> bool:
    """Tell whether the page that watches, which is due to be renewed, equals one that is loaded now."""
    browser.driver.switch_to.window(watching)
    browser.run("return Live.renew()")
    renewed = browser.run(SHOWN)
    browser.driver.switch_to.window(opened)
    browser.reload()
    return bool(renewed == browser.run(SHOWN))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("played", mostly_nightly(FORMATS, "knockout"))
def test_a_page_that_watches_a_run_equals_one_that_is_opened_now(browser: Browser, tmp_path: Path, played: str) -> None:
    results = tmp_path / "results"
    results.mkdir()
    ends = command("run", league(tmp_path, *FORMATS[played]), "--results", results / "run", "--workers", "1")
    with (
        started("serve", results, "--port", "0") as (server, address),
        subprocess.Popen(ends, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run,
    ):
        try:
            browser.wait(lambda: ask(address, "/runs/run/").status == 200)
            tabs = in_two_tabs(browser, f"{address}runs/run/")
            for _ in range(MOMENTS):
                over = run.poll() is not None
                if not over:
                    run.send_signal(signal.SIGSTOP)
                browser.wait(lambda: equal(browser, *tabs))
                if over:
                    break
                run.send_signal(signal.SIGCONT)
            kill_and_follow(browser, tabs, (server, address), results, "/runs/run/", equal)
        finally:
            run.send_signal(signal.SIGCONT)
            run.terminate()


def same_home(browser: Browser, watching: str, opened: str) -> bool:
    """Tell whether the home of a league that watches equals one that is loaded now."""
    browser.driver.switch_to.window(watching)
    followed = browser.run(IN_LEAGUE)
    browser.driver.switch_to.window(opened)
    browser.reload()
    return bool(followed == browser.run(IN_LEAGUE))


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_home_of_a_league_that_is_watched_equals_one_that_is_opened_now(browser: Browser, tmp_path: Path) -> None:
    path = entered(tmp_path)
    with started("serve", path, "--port", "0") as (server, address):
        browser.wait(lambda: ask(address, "/").status == 200)
        tabs = in_two_tabs(browser, address)
        for _ in range(4):
            done = subprocess.run(command("league", "run", path, "--rounds", "1", "--quiet"), check=False, capture_output=True)
            assert done.returncode == 0, done.stderr
            browser.wait(lambda: same_home(browser, *tabs))
        kill_and_follow(browser, tabs, (server, address), path, "/", same_home)
