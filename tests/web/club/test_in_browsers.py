"""A league in real browsers: its pages on a desk and on a phone, and three authors who submit, are refused, mend and climb."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec import json
from selenium.common.exceptions import TimeoutException
from support.bots.inline import KNOCKS
from support.browser.axe import check, needs_axe
from support.browser.driver import ABSENT, CHROMIUM, DRIVER, Browser, browsing
from support.commands.calls import arena
from support.leagues.sites import isolated, token, with_results
from support.processes.waiting import until
from support.servers.asgi import Response
from support.servers.serving import ask, started

from arena.league.exported import export
from arena.moments import now
from arena.web.club.static_site import write
from arena.web.club.watch import LeagueWatch

PHONE, DESK = 390, 1200
CUT_OFF = """
return [...document.querySelectorAll(".scroll")].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel)
"""
ROWS = """
const at = [...document.querySelectorAll("table thead th")].findIndex((one) => one.textContent === "rating");
const cells = (row) => [row.cells[0].innerText, row.querySelector("th a").innerText, row.cells[at].innerText];
return [...document.querySelector("table").tBodies[0].rows].map(cells);
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_results(tmp_path_factory.mktemp("browsed"))


@pytest.fixture(scope="module")
def address(played: Path) -> Iterator[str]:
    with started("serve", played, "--submit", "--free-mib", 0, "--port", 0) as (_, address):
        until(lambda: ask(address, "/").status == 200)
        yield address.rstrip("/")


def sign_in(browser: Browser, address: str, text: str) -> None:
    browser.open(f"{address}/sign-in")
    browser.find("#token").send_keys(text)
    browser.click("main button")
    browser.find("#upload")


def check_width(browser: Browser) -> None:
    for width in (PHONE, DESK):
        browser.look(width=width)
        wide: int = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, browser.driver.current_url
    browser.look(width=PHONE)
    assert browser.run(CUT_OFF) == [], browser.driver.current_url
    browser.look(width=DESK)


@pytest.mark.process
def test_every_page_fits_a_desk_and_a_phone_and_the_console_is_silent(browser: Browser, address: str, played: Path) -> None:
    browser.open(f"{address}/")
    assert browser.texts("#standing th a") in (["ann-bot@1", "ben-bot@1"], ["ben-bot@1", "ann-bot@1"])
    check_width(browser)
    browser.click("#playing a[href^='/matches/']")
    browser.find(".felt .card")
    assert "What the hand is worth" in browser.texts("h2")
    browser.click("[aria-label^='next turn']")
    assert "Turn 1 of" in browser.text(".status")
    check_width(browser)
    browser.open(f"{address}/bots/ann-bot")
    browser.find("h1")
    check_width(browser)
    browser.click("a[href^='/pairs/']")
    assert "has won" in browser.text(".summary")
    check_width(browser)
    sign_in(browser, address, token(played, "olga", organiser=True))
    check_width(browser)
    browser.open(f"{address}/organiser")
    browser.find("#audit-heading")
    check_width(browser)
    browser.open("about:blank")  # a stream that ends with the server would be an error in the console


def static_pages(played: Path, folder: Path) -> list[str]:
    """Return the addresses of the pages of a league's static site."""
    export(played, folder / "public", now(), now(), write)
    return [(folder / "public" / name).as_uri() for name in ("index.html", "bots/ann-bot.html")]


@needs_axe
@pytest.mark.slow
def test_every_page_of_a_league_is_accessible(browser: Browser, address: str, played: Path, tmp_path: Path) -> None:
    match = next(text for text in ask(address, "/pairs/ann-bot@1/ben-bot@1").text.split('"') if text.startswith("/matches/"))
    for page in ("/", "/bots/ann-bot", "/pairs/ann-bot@1/ben-bot@1", "/sign-in"):
        browser.open(f"{address}{page}")
        check(browser)
    browser.open(f"{address}{match}")
    browser.find(".curves svg")
    assert "What the hand is worth" in browser.texts("h2")
    check(browser)
    sign_in(browser, address, token(played, "ann"))
    check(browser)
    browser.driver.delete_all_cookies()
    sign_in(browser, address, token(played, "olga", organiser=True))
    browser.open(f"{address}/organiser")
    check(browser)
    for page in static_pages(played, tmp_path):
        browser.open(page)
        check(browser)
        check_width(browser)


def wait_for(browser: Browser, selector: str, text: str) -> None:
    browser.wait(lambda: text in browser.driver.find_element("css selector", selector).text)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason=ABSENT)
@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")
def test_three_authors_submit_are_refused_mend_climb_and_watch_to_the_end_of_the_season_and_get_nothing_of_others(
    tmp_path: Path,
) -> None:
    path = isolated(tmp_path)
    tokens = {name: token(path, name) for name in ("ann", "ben", "eve")}
    with (
        started("serve", path, "--submit", "--play", "--workers", 1, "--free-mib", 0, "--port", 0) as (_, found),
        ExitStack() as open_,
    ):
        address = found.rstrip("/")
        browsers = {name: open_.enter_context(browsing()) for name in tokens}

        def send(name: str, text: str, verdict: str) -> None:
            file = tmp_path / f"{name}.py"
            file.write_text(text + f"# of {name}\n")
            browsers[name].find("#file").send_keys(str(file))
            browsers[name].find("#name").send_keys(f"{name}-bot")
            browsers[name].click("#upload button")
            for _ in range(10):  # auditions wait for each other
                try:
                    wait_for(browsers[name], "#uploads li", verdict)
                    break
                except TimeoutException:
                    continue

        for name, text in tokens.items():
            sign_in(browsers[name], address, text)
        send("ann", KNOCKS.replace("{0}", "10"), "ann-bot@1 joined")
        send("ben", KNOCKS.replace("min(", "max(").replace("{0}", "0"), "ben-bot@1 joined")  # it keeps the worst cards
        send("eve", KNOCKS.replace("min(", "mim(").replace("{0}", "5"), "refused")
        assert "NameError at eve.py:7: name 'mim' is not defined" in browsers["eve"].text("#uploads li")
        browsers["eve"].click("#uploads li a")
        assert "mim(each(view.may_discard)" in browsers["eve"].text("main")
        browsers["eve"].open(f"{address}/me")
        send("eve", KNOCKS.replace("{0}", "9"), "eve-bot@1 joined")
        watching = browsers["ben"]
        watching.open(f"{address}/")
        wait_for(watching, "#standing", "eve-bot@1")
        watching.wait(lambda: order(watching).index("eve-bot@1") < order(watching).index("ben-bot@1"))  # it has climbed
        before = watching.text("#summary")
        watching.wait(lambda: watching.text("#summary") != before)  # it moves by itself
        olga = browsers["ann"]
        olga.click("button.link")
        sign_in(olga, address, token(path, "olga", organiser=True))
        olga.open(f"{address}/organiser")
        olga.find("section[aria-labelledby='season-heading'] input[name='reason']").send_keys("end of term")
        olga.click("section[aria-labelledby='season-heading'] button")
        wait_for(olga, "section[aria-labelledby='audit-heading']", "ended by olga: end of term")
        assert_nothing_of_others(address, tokens["eve"], browsers["eve"])
    finish_round(path)
    assert arena("verify", path).returncode == 0
    assert arena("league", "export", path, tmp_path / "public").returncode == 0
    with started("serve", path, "--port", 0) as (_, address), browsing() as reader:
        until(lambda: ask(address, "/").status == 200)
        reader.open(address)
        live = table_in(reader)
        reader.open("about:blank")
        reader.open((tmp_path / "public" / "index.html").as_uri())
        assert table_in(reader) == live
        assert {row[1] for row in live} == {"ann-bot@1", "ben-bot@1", "eve-bot@1"}


def order(browser: Browser) -> list[str]:
    """Return the bots in the table, the first one first."""
    return browser.texts("#standing th a")


def table_in(browser: Browser) -> list[list[str]]:
    """Return rank, bot and rating of each row of a league's table."""
    browser.find("table tbody tr")
    found: list[list[str]] = browser.run(ROWS)
    return found


def finish_round(path: Path) -> None:
    """Play until no round is open, so that an export has all that was played."""
    while (league := LeagueWatch(path, lambda _: None).read_once()).calendar.current:
        matches = max(1, len(league.left))  # where all are played, the next round opens, and a match of it is played
        assert arena("league", "run", path, "--matches", matches, "--quiet").returncode == 0


def assert_nothing_of_others(address: str, text: str, browser: Browser) -> None:
    """Assert that an author with a valid token, and the browser in which it signed in, gets nothing of other authors."""

    def asked(path: str, method: str = "GET", body: bytes | None = None) -> Response:
        return ask(address, path, method, body=body, Authorization=f"Bearer {text}")

    assert {one["author"] for one in json.decode(asked("/api/uploads").body)} == {"eve"}
    absent = ("/me/logs/ann-bot@1", "/me/changes/ann-bot@1/ann-bot@1", "/me/uploads/000001", "/api/uploads/000001", "/tokens.json")
    for path, status in {**dict.fromkeys(absent, 404), "/organiser": 403}.items():
        assert asked(path).status == status, path
        browser.open(f"{address}{path}")
        assert not any(secret in browser.text("body") for secret in ("deadwood(view", "ann.py", "ben.py"))
    for act in ("/me/retire", "/me/reinstate", "/organiser/suspend", "/organiser/end-season"):
        assert asked(act, "POST", b"version=ann-bot%401&reason=spite").status in (403, 404), act
    assert all(one["state"] == "active" for one in json.decode(ask(address, "/table.json").body))
    matches = [json.decode(line) for line in asked("/me/matches.jsonl").body.splitlines()]
    assert all("eve-bot@1" in one["fixture"]["seats"] for one in matches)
    browser.complaints()  # of pages that were refused
