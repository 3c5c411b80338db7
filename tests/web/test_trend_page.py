"""The error rate of a person over its matches, at the end of the review of a match."""

from pathlib import Path

import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from support.browser.axe import check, needs_axe
from support.browser.driver import Browser
from support.browser.table_page import open_table
from support.records.reviewed_hands import reviewed_hand

from arena.human.error_trend import match_errors
from arena.human.persons_review import in_words
from arena.review.summary import Mean

EARLIER = [match_errors(f"greedy, 2026-01-{day}", 12, Mean(rate, 1.5)) for day, rate in ((10, 6.0), (11, 4.25), (12, 4.5))]
EARLIER[0] = replace(EARLIER[0], run="first match", mistakes=2, first="0.3/12")


@pytest.mark.process
@needs_axe
def test_after_a_match_the_page_shows_the_error_rate_of_the_matches_before_it(browser: Browser, tmp_path: Path) -> None:
    open_table(browser, tmp_path)
    review = to_builtins(in_words([reviewed_hand("you:greedy/0", "you")], EARLIER))
    state = {"state": 1, "kind": "match_saved", "last_hand": "0.0", "review": review, "text": "You won.", "log": []}
    more = {"opponent": "greedy", "saved": "results/x", "replay": "report#/match/x", "bots": ["greedy"]}
    browser.run("source.onmessage({ data: JSON.stringify(arguments[0]) })", {**state, **more})
    label = browser.run("return document.querySelector('svg.trend').getAttribute('aria-label')")
    assert label == "what your errors cost in 4 matches, from +6.0 to +9.5 points a hand; the table has each"
    assert browser.texts("#review details tbody tr:first-child > *") == [
        "greedy, 2026-01-10",
        "12",
        "6.00\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}3.00",
        "2",
    ]
    found = browser.run(
        "return [...document.querySelectorAll('#review .learn a')].map((one) => [one.textContent, one.getAttribute('href')])"
    )
    assert found == [["2", "replay?run=first%20match#0.3/12/try"]]
    assert len(browser.run("return [...document.querySelectorAll('.trend .interval')].map((one) => one.outerHTML)")) == 3
    check(browser)
