"""``report.html``, opened from disk in a browser."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from browser import Browser, address
from reported import NAUGHTY, report
from selenium.webdriver.common.keys import Keys

from arena.reports.html_page import HtmlPage

BAD = "</script><script>window.broken=1</script><img src=x onerror='window.broken=2'>"


def column(browser: Browser, number: int) -> list[str]:
    return browser.texts(f"#standing-rows tr > *:nth-child({number})")


def test_a_heading_sorts_its_column_descending_then_ascending(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    assert column(browser, 1) == ["1", "2", "3"]
    heading = browser.find("#standing-table th:nth-child(6) button")
    heading.click()
    down = [float(text) for text in column(browser, 6)]
    assert down == sorted(down, reverse=True)
    heading.send_keys(Keys.ENTER)
    assert [float(text) for text in column(browser, 6)] == down[::-1]
    assert browser.find("#standing-table th:nth-child(6)").get_attribute("aria-sort") == "ascending"


def test_every_chart_is_drawn_and_has_a_label(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    for name in ("ratings", "history", "endings"):
        assert browser.find(f"#chart-{name} svg[role=img][aria-label]").size["height"] > 50


def test_a_cell_of_the_crosstable_leads_to_matches_hands_and_turns(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    browser.click("#crosstable td a")
    browser.click("#detail tbody a")
    browser.wait(lambda: "/match/" in browser.driver.current_url and browser.texts("#detail h1")[0].startswith("Match "))
    browser.click("#detail a[href^='#/hand/']")
    assert browser.text(".status").startswith("Turn 0 of ")
    browser.press(Keys.ARROW_RIGHT)
    browser.wait(lambda: browser.text(".status").startswith("Turn 1 of "))
    browser.click("[aria-label^='next turn']")
    assert browser.driver.current_url.endswith("/2")
    assert browser.text(".asked").startswith('{"type":"turn","game":0,"hand":0,')
    assert re.search(r"Processor time: \d+\.\d\d ms; mean in this match ", browser.text(".messages"))
    browser.click("[aria-label^='last turn']")
    assert "deadwood" in browser.text(".status")


def test_the_address_of_a_turn_opens_that_turn(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    fixture = browser.run("return Report.tournament.results[0][0]")
    browser.open(address(finished / "report.html", f"#/hand/{quote(fixture, safe='')}/0.0/3"))
    assert browser.text(".status").startswith("Turn 3 of ")
    assert browser.text("h1:not(#report *)") == f"Hand 0.0 of {fixture}"


def test_the_view_of_one_seat_hides_the_cards_of_the_other_until_the_end(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    fixture = browser.run("return Report.tournament.results[0][0]")
    browser.open(address(finished / "report.html", f"#/hand/{quote(fixture, safe='')}/0.0/0"))
    browser.click("select option[value='0']")
    assert browser.texts(".side[data-seat='1'] .card:not(.back)") == []
    assert len(browser.texts(".side[data-seat='0'] .card:not(.back)")) == 10
    browser.click("[aria-label^='last turn']")
    assert len(browser.texts(".side[data-seat='1'] .card:not(.back)")) >= 9


def test_matches_can_be_searched_by_bot(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html", "#matches"))
    browser.find("#wanted").send_keys("greedy")
    browser.wait(lambda: browser.texts("#match-list p") == ["12 matches"])
    assert all("greedy" in row for row in browser.texts("#match-list tbody tr"))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_needs_no_horizontal_scrolling(browser: Browser, finished: Path, dark: bool, width: int) -> None:  # noqa: FBT001 - a table's row
    browser.look(dark=dark, width=width)
    browser.open(address(finished / "report.html"))
    browser.find("#chart-ratings svg")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


def test_html_in_names_and_faults_is_shown_as_text(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(HtmlPage().render(report(odd=BAD, title=NAUGHTY + BAD)), encoding="utf-8")
    browser.open(address(page))
    assert browser.text("h1") == NAUGHTY + BAD
    assert BAD in browser.texts("#standing-rows th")
    browser.open(address(page, f"#/bot/{quote(BAD, safe='')}"))
    assert browser.text("#detail h1") == f"Matches of {BAD}"
    assert browser.run("return window.broken === undefined")


def test_invisible_characters_in_a_name_are_shown_as_escapes(browser: Browser, tmp_path: Path) -> None:
    page, name = tmp_path / "report.html", "x\u202ey\x9b"
    page.write_text(HtmlPage().render(report(odd=name)), encoding="utf-8")
    browser.open(address(page))
    assert r"x\u202ey\x9b" in browser.texts("#standing-rows th")
    browser.open(address(page, f"#/bot/{quote(name, safe='')}"))
    assert browser.text("#detail h1") == r"Matches of x\u202ey\u009b"


def test_a_page_says_where_to_see_hands_that_it_omits(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.reports.report.HANDS_SHOWN", 5)
    page = tmp_path / "report.html"
    page.write_text(HtmlPage().render(report()), encoding="utf-8")
    browser.open(address(page, f"#/match/{quote('batch/alpha-beta', safe='')}"))
    assert "Its hands are not in this file" in browser.text("#detail")


def test_a_page_refers_to_no_other_file() -> None:
    text = HtmlPage().render(report())
    markup = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    assert [link for link in re.findall(r"""(?:src|href)="([^"]*)\"""", markup) if not link.startswith(("#", "data:"))] == []
    assert "Content-Security-Policy" in markup
