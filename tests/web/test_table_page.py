"""``arena play --web``: a person, who follows every hint, plays a match to its end by clicks."""

import re
from pathlib import Path

from browser import Browser
from commands import arena, filed
from serving import ask, started

BUTTONS = {"draw": "#draw", "take": "#take", "pass": "#pass", "big gin": "#big_gin", "lay down": "#lay_off"}


def clicked(browser: Browser, advice: str) -> None:
    """Do what a hint says, by clicks."""
    if thrown := re.match(r"(?:throw|(?:knock with \d+|gin), throwing) (\w\w)", advice):
        if not advice.startswith("throw"):
            browser.click("#knock")
        browser.click(f"#mine button[data-card='{thrown[1]}']:not(:disabled)")
    else:
        browser.find(next(button for told, button in BUTTONS.items() if advice.startswith(told))).click()


def turn(browser: Browser, before: str) -> str:
    """Make one move, once a new state is shown, and return the state."""
    state = str(browser.wait(lambda: (now := browser.run("return document.body.dataset.state || ''")) != before and now))
    if state.endswith("hand_over"):
        browser.click("#next")
    elif state.endswith("turn"):
        browser.click("#hint")
        clicked(browser, browser.text("#advice"))
    return state


def test_a_match_is_played_to_its_end_by_clicks_and_kept_like_any_other(browser: Browser, tmp_path: Path) -> None:
    results = tmp_path / "match"
    with started("play", "greedy", "--web", "--target", 40, "--results", results, "--seed", "abc") as (server, address):
        browser.open(address)
        state = ""
        while not state.endswith("match_over"):
            state = turn(browser, state)
        assert "the match" in browser.text("#said")
        server.wait(timeout=30)
    (record,) = filed(results).values()
    assert record.fixture.seats == ("you", "greedy")
    assert record.faults == ()
    assert arena("verify", results).stdout == f"{len(record.hands)} hands, 0 differences\n"
    assert (results / "report.html").is_file()


def test_who_does_not_know_the_key_cannot_sit_down(tmp_path: Path) -> None:
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


def test_who_stops_the_program_leaves_the_table_and_the_match_is_kept(tmp_path: Path) -> None:
    with started("play", "greedy", "--web", "--results", tmp_path / "match"):
        pass
    (record,) = filed(tmp_path / "match").values()
    assert record.winner == 1
    assert {fault.detail for fault in record.faults} == {"left the table"}
