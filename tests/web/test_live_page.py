"""``arena serve`` while runs start, are killed, resume and finish."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import json
from support.browser.driver import Browser
from support.commands.calls import arena, command
from support.commands.runs import league
from support.servers.serving import ask, events, serving

from arena.store.store import Store

CLIENTS = 200
SHOWN = "#connection > [aria-hidden]"
LONG = "format: {name: round-robin, pairs: 400}"


def start(spec: Path, results: Path) -> "subprocess.Popen[bytes]":
    results.parent.mkdir(exist_ok=True)
    return subprocess.Popen(command("run", spec, "--results", results), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextmanager
def watched(browser: Browser, results: Path) -> Iterator[str]:
    """Yield the address of a server; its pages are closed first, since a lost connection would be an error in the console."""
    with serving(results) as address:
        try:
            yield address
        finally:
            browser.open("about:blank")


@pytest.mark.process
def test_the_list_of_runs_shows_a_run_that_starts_is_killed_and_resumes(browser: Browser, tmp_path: Path) -> None:
    spec = league(tmp_path, LONG)
    (tmp_path / "results").mkdir()
    with watched(browser, tmp_path / "results") as address:
        browser.open(address)
        assert browser.text("#run-rows").startswith("No runs yet.")
        run = start(spec, tmp_path / "results" / "first")
        browser.wait(lambda: "running" in browser.text("#run-rows"))
        run.kill()
        run.wait()
        browser.wait(lambda: "stopped" in browser.text("#run-rows"))
        run = start(spec, tmp_path / "results" / "first")
        browser.wait(lambda: "running" in browser.text("#run-rows"))
        run.terminate()
        run.wait()


@pytest.mark.process
def test_standings_are_updated_while_matches_end(browser: Browser, tmp_path: Path) -> None:
    run = start(league(tmp_path, LONG), tmp_path / "results" / "first")
    try:
        with watched(browser, tmp_path / "results") as address:
            browser.wait(lambda: ask(address, "/runs/first/").status == 200)
            browser.open(f"{address}runs/first/")
            before = browser.text("#standing-rows")
            browser.wait(lambda: browser.text("#standing-rows") != before)
            assert browser.texts("#progress progress") != []
            browser.wait(lambda: "matches a second" in browser.text("#progress"))
            browser.wait(lambda: "%" in browser.text("#standing-rows"))  # the chances are known
            cells = browser.run("return document.querySelector('#standing-rows tr').cells.length")
            assert cells == len(browser.texts("#standing-table thead th"))
    finally:
        run.terminate()
        run.wait()


@pytest.mark.process
def test_a_hand_from_the_server_can_be_replayed(browser: Browser, finished: Path) -> None:
    with watched(browser, finished.parent) as address:
        browser.wait(lambda: ask(address, "/runs/run/").status == 200)
        browser.open(f"{address}runs/run/")
        browser.click("#crosstable td a")
        browser.click("#detail tbody a")
        browser.click("#detail a[href^='#/hand/']")
        browser.click("[aria-label^='last turn']")
        assert "deadwood" in browser.text(".felt .below")
        assert " --recorded " in browser.texts(".verdict .command")[-1]


@pytest.mark.process
def test_a_page_says_that_its_server_does_not_answer(browser: Browser, finished: Path) -> None:
    with serving(finished.parent) as address:
        browser.open(address)
        browser.wait(lambda: browser.texts("#run-rows .state") == ["finished"])
        browser.wait(lambda: browser.text(SHOWN) == "● live")
    browser.wait(lambda: browser.text(SHOWN).endswith(" s old, trying again"))
    browser.open("about:blank")
    browser.complaints()


@pytest.mark.process
def test_runs_can_be_searched_by_bot(browser: Browser, finished: Path) -> None:
    with watched(browser, finished.parent) as address:
        browser.open(address)
        browser.wait(lambda: browser.texts("#run-rows .state") == ["finished"])
        browser.find("#search").send_keys("unknown")
        browser.wait(lambda: browser.text("#found") == "0 of 1 run")
        browser.find("#search").clear()
        browser.find("#search").send_keys("greedy")
        browser.wait(lambda: browser.text("#found") == "1 of 1 run")


@pytest.mark.process
def test_seed_and_hands_are_withheld_while_bots_with_network_access_play(tmp_path: Path) -> None:
    spec = league(tmp_path, LONG, "sandbox: none")
    run = start(spec, tmp_path / "results" / "open")
    try:
        with serving(tmp_path / "results") as address:
            while (rows := ask(address, "/runs/open/matches.json")).status != 200 or rows.body == b"[]":
                time.sleep(0.1)
            fixture = json.decode(rows.body)[0][0]
            assert ask(address, f"/runs/open/match.json?fixture={fixture}").status == 403
            assert ask(address, "/runs/open/arena.sqlite").status == 403
            seed = _seed(tmp_path / "results" / "open")
            for path in ("", "results.json", "matches.json"):
                assert seed.encode() not in ask(address, f"/runs/open/{path}").body
    finally:
        run.terminate()
        run.wait()


def _seed(run: Path) -> str:
    with Store(run / "arena.sqlite") as store:
        return store.facts()["seed"]


@pytest.mark.process
def test_two_hundred_browsers_all_receive_a_new_run(finished: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    with serving(results) as address, ThreadPoolExecutor(CLIENTS) as pool:
        streams = [events(address, "/events") for _ in range(CLIENTS)]
        first = list(pool.map(next, streams))
        assert all(b"No runs yet" in event for event in first)
        shutil.copytree(finished, results / "late")
        second = list(pool.map(next, streams))
        assert all(b"/runs/late/" in event for event in second)
        for stream in streams:
            stream.close()


def test_a_missing_folder_is_reported_in_one_line(tmp_path: Path) -> None:
    done = arena("serve", tmp_path / "nowhere")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "nowhere: no such folder; expected one that holds runs" in done.stderr
    (tmp_path / "bot.py").touch()
    assert "bot.py: not a folder; expected one that holds runs" in arena("serve", tmp_path / "bot.py").stderr
