"""``arena play --web``: a match is played to its end by clicks, following every hint."""

import re
from pathlib import Path

from browser import Browser
from commands import arena, stored
from serving import ask, started

BUTTONS = {"draw": "#draw", "take": "#take", "pass": "#pass", "big gin": "#big_gin", "lay down": "#lay_off"}


def follow(browser: Browser, advice: str) -> None:
    """Click what a hint advises."""
    if thrown := re.match(r"(?:throw|(?:knock with \d+|gin), throwing) (\w\w)", advice):
        if not advice.startswith("throw"):
            browser.click("#knock")
        browser.click(f"#mine button[data-card='{thrown[1]}']:not(:disabled)")
    else:
        browser.find(next(button for move, button in BUTTONS.items() if advice.startswith(move))).click()


def turn(browser: Browser, before: str) -> str:
    """Wait for a new state, make one move, and return the state."""
    state = str(browser.wait(lambda: (now := browser.run("return document.body.dataset.state || ''")) != before and now))
    if state.endswith("hand_over"):
        browser.click("#next")
    elif state.endswith("turn"):
        browser.click("#hint")
        follow(browser, browser.text("#advice"))
    return state


def test_a_match_can_be_played_to_its_end_by_clicks(browser: Browser, tmp_path: Path) -> None:
    results = tmp_path / "match"
    with started("play", "greedy", "--web", "--target", 40, "--results", results, "--seed", "abc") as (server, address):
        browser.open(address)
        state = ""
        while not state.endswith("match_over"):
            state = turn(browser, state)
        assert "the match" in browser.text("#status")
        server.wait()
    (record,) = stored(results).values()
    assert record.fixture.seats == ("you", "greedy")
    assert record.faults == ()
    assert arena("verify", results).stdout.endswith(f"\n{len(record.hands)} hands, 0 differences\n")
    assert (results / "report.html").is_file()


def test_requests_without_the_key_are_refused(tmp_path: Path) -> None:
    with started("play", "greedy", "--web", "--results", tmp_path / "match") as (_, address):
        site, key = address.rsplit("/", 2)[0], address.rsplit("/", 2)[1]
        assert ask(site, "/").status == 404
        assert ask(site, f"/{key[:-1]}x/").status == 404
        move = b'{"state":1,"move":"leave"}'
        assert ask(site, f"/{key}/act", "POST", body=move).status == 403  # no origin
        assert ask(site, f"/{key}/act", "POST", body=move, Origin="http://evil.example").status == 403
        assert ask(site, f"/{key}/act", "POST", body=b"x" * 2000, Origin=site).status == 413
        assert ask(site, f"/{key}/act", "POST", body=b"[]", Origin=site).status == 400
        assert ask(site, f"/{key}/act", "POST", body=move, Origin=site).status == 204


def test_stopping_the_program_forfeits_the_match_and_saves_it(tmp_path: Path) -> None:
    with started("play", "greedy", "--web", "--results", tmp_path / "match"):
        pass
    (record,) = stored(tmp_path / "match").values()
    assert record.winner == 1
    assert {fault.detail for fault in record.faults} == {"left the table"}
