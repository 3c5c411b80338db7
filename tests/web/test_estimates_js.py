"""The estimates and the texts of numbers in JavaScript, run in a browser: they must equal those of Python."""

from pathlib import Path

import pytest
from msgspec import json
from support.browser.driver import Browser

from arena.reports.page.assets import text
from arena.reports.points_history import EntrantLine
from arena.stats.margin import student

pytestmark = pytest.mark.process


def test_a_page_has_the_quantiles_of_the_statistics(browser: Browser) -> None:
    browser.open("about:blank")
    degrees = [1, 2, 3, 4, 7, 30, 5000]
    found = browser.run(text("estimates.js") + "return arguments[0].map(Estimates.student);", degrees)
    assert found == pytest.approx([student(one) for one in degrees])


def test_a_page_writes_numbers_as_in_the_examples(browser: Browser) -> None:
    browser.open("about:blank")
    examples = json.decode((Path(__file__).parents[1] / "reports/numbers.json").read_bytes())
    script = "return arguments[0].map(([name, values]) => Numbers[name](...values));"
    assert browser.run(text("numbers.js") + script, examples) == [expected for _, _, expected in examples]


def test_a_page_has_the_interval_of_the_history(browser: Browser) -> None:
    browser.open("about:blank")
    matches = [(120, 60), (-35, 71), (8, 44), (64, 90), (-90, 55)]
    line = EntrantLine()
    for net, hands in matches:
        line.add("other", net, hands)
    found = browser.run(
        text("estimates.js") + "return Estimates.ratio(arguments[0].map(([net, hands]) => ({ net, hands })));", matches
    )
    assert (found["mean"], found["half"]) == pytest.approx((line.points()[-1].points_a_hand, line.points()[-1].half))
