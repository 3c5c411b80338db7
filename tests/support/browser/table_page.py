"""The page of ``arena play --web``: without a server at a turn of choice, and played by clicks that follow every hint."""

import re
from gzip import compress
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from support.browser.driver import Browser, address
from support.hands.builders import FIRST

from arena.gin.match import Hand
from arena.gin.seeing import see
from arena.reports.page import assets
from arena.sdk.named_moves import moves
from arena.web.table_states import turn_shown

BUTTONS = {"draw": "#draw", "take": "#take", "pass": "#pass", "big gin": "#big_gin", "lay down": "#lay_off"}
STUB = """
window.sent = [];
if (location.hash !== "#kept") localStorage.clear();
window.EventSource = class { constructor() { window.source = this; this.readyState = 1; } addEventListener() {} close() {} };
window.fetch = (where, options) => {
  if (where.startsWith("hint/")) return Promise.reject(new TypeError("there is no server"));
  sent.push(JSON.parse(options.body).move);
  return Promise.resolve({ ok: true });
};
"""


def open_table(browser: Browser, folder: Path) -> None:
    """Open the page without a server, which has shown nothing yet."""
    html = assets.environment().get_template("table.html").render(opponent="greedy")
    html = with_styles(html)
    html = re.sub(r'<script src="/static/([^"]*)"></script>', lambda found: f"<script>{STUB}{assets.text(found[1])}</script>", html)
    (folder / "table.html").write_text(html, encoding="utf-8")
    browser.open(address(folder / "table.html"))


def with_styles(html: str) -> str:
    """Return a page with its styles in it."""
    return re.sub(r'<link rel="stylesheet" href="/static/([^"]*)">', lambda found: f"<style>{assets.text(found[1])}</style>", html)


def at_turn(browser: Browser, folder: Path, hand: Hand, **changes: Any) -> dict[str, Any]:
    """Open the page without a server, at a turn, and return the state that it shows."""
    open_table(browser, folder)
    view = see(hand, FIRST)
    state = {"state": 1, "opponent": "greedy", "log": ["You threw 7♥."], **turn_shown(view, None, moves(view), "greedy"), **changes}
    return say(browser, state)


def say(browser: Browser, state: dict[str, Any]) -> dict[str, Any]:
    """Send a state to the page, and return it as the page receives it."""
    sent: dict[str, Any] = to_builtins(state)
    browser.run("source.onmessage({ data: JSON.stringify(arguments[0]) })", sent)
    return sent


def follow(browser: Browser, advice: str) -> None:
    """Click what a hint advises."""
    if "throwing" in advice:
        browser.click("#knock")
    elif "throw" in advice:
        browser.click("#mine .card.hinted")
        if browser.texts("#sure"):
            browser.click("#sure")
    else:
        browser.find(next(button for move, button in BUTTONS.items() if advice.startswith(move))).click()


def turn(browser: Browser, before: str) -> str:
    """Wait for a new state, make one move, and return the state."""
    state = str(browser.wait(lambda: (now := state_of(browser)) != before and now))
    act(browser, state)
    return state


def state_of(browser: Browser) -> str:
    """Return the number and the kind of the state that the page shows."""
    return str(browser.run("return document.body.dataset.state || ''"))


def act(browser: Browser, state: str) -> None:
    """Make the move of a state, if it asks for one."""
    if state.endswith("hand_over"):
        browser.click("#next")
    elif state.endswith("turn"):
        browser.click("#hint")
        advice = browser.wait(lambda: (text := browser.text("#advice").lower()) and "thinking" not in text and text)
        follow(browser, advice.partition(":")[0])


def weight(page: str) -> int:
    """Return the bytes of a served page with the files that it names, each compressed as it is sent."""
    named = re.findall(r'(?:src|href)="/static/([^"]+)"', page)
    return sum(len(compress(one.encode(), 1)) for one in (page, *map(assets.text, named)))
