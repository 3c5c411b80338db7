"""``report.html``, opened from disk in a browser."""

import re
import shlex
from collections import deque
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from urllib.parse import quote

import pytest
from msgspec.structs import replace
from selenium.webdriver.common.keys import Keys
from support.browser.driver import Browser, address
from support.commands.calls import arena
from support.matches.records import match
from support.records.reported import NAUGHTY, about, report

from arena.records import MatchRecord
from arena.reports.fixture_names import fixture_words
from arena.reports.html_page import HtmlPage
from arena.reports.page.assets import text
from arena.reports.report import Report
from arena.reports.report_builder import make
from arena.stats.estimate import Estimate, Rating

BAD = "</script><script>window.broken=1</script><img src=x onerror='window.broken=2'>"


def column(browser: Browser, number: int) -> list[str]:
    return browser.texts(f"#standing-rows tr > *:nth-child({number})")


@pytest.mark.process
def test_a_heading_sorts_numbers_from_the_largest_and_texts_from_a_then_the_other_way(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    assert column(browser, 1) == ["1", "2", "3"]
    heading = browser.find("#standing-table th:nth-child(6) button")
    heading.click()
    down = [float(text.replace("−", "-")) for text in column(browser, 6)]
    assert down == sorted(down, reverse=True)
    heading.send_keys(Keys.ENTER)
    assert [float(text.replace("−", "-")) for text in column(browser, 6)] == down[::-1]
    assert browser.find("#standing-table th:nth-child(6)").get_attribute("aria-sort") == "ascending"
    browser.click("#standing-table th:nth-child(2) button")
    assert column(browser, 2) == sorted(column(browser, 2))
    assert browser.find("#standing-table th:nth-child(2)").get_attribute("aria-sort") == "ascending"


@pytest.mark.process
def test_the_results_on_a_bots_page_are_seen_from_its_side_in_both_seats(browser: Browser, finished: Path) -> None:
    page = address(finished / "report.html")
    browser.open(page)
    name = browser.run("return Report.tournament.field[0]")
    browser.open(f"{page}#/bot/{name}")
    browser.wait(lambda: browser.texts("#detail h2")[-1:] == ["Matches"])
    results, games = (browser.texts(f"#detail .scroll:last-of-type tbody td:nth-child({column})") for column in (3, 4))
    own = [tuple(map(int, text.split("–"))) for text in games]
    assert {"won", "lost"} == {*results}
    assert [one > other for one, other in own] == [result == "won" for result in results]


@pytest.mark.process
def test_every_chart_is_drawn_and_has_a_label(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    for name in ("ratings", "history", "endings"):
        assert browser.find(f"#chart-{name} svg[role=img][aria-label]").size["height"] > 50


@pytest.mark.process
def test_a_cell_of_the_crosstable_leads_to_matches_hands_and_turns(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    browser.click("#crosstable td a")
    browser.click("#detail tbody a")
    browser.wait(lambda: "/match/" in browser.driver.current_url and browser.texts("#detail h1")[0].startswith("Match: "))
    browser.click("#detail a[href^='#/hand/']")
    assert browser.text(".status").startswith("Turn 0 of ")
    browser.press(Keys.ARROW_RIGHT)
    browser.wait(lambda: browser.text(".status").startswith("Turn 1 of "))
    browser.click("[aria-label^='next turn']")
    assert browser.driver.current_url.endswith("/2")
    assert browser.run("return document.querySelector('details.asking').open") is False
    browser.click("details.asking summary")
    assert browser.text(".asked").startswith('{"type":"turn","game":0,"hand":0,')
    assert re.search(r"Processor time: \d+\.\d\d ms; mean in this match ", browser.text(".messages"))
    browser.click("[aria-label^='last turn']")
    assert "deadwood" in browser.text(".felt .below")


def hand(browser: Browser, run: Path, turn: int = 0) -> str:
    """Open the first hand of a run at a turn, and return the id of its fixture."""
    browser.open(address(run / "report.html"))
    fixture = str(browser.run("return Report.tournament.results[0][0]"))
    browser.open(address(run / "report.html", f"#/hand/{quote(fixture, safe='')}/0.0/{turn}"))
    browser.find(".curves svg")
    return fixture


@pytest.mark.process
def test_the_address_of_a_turn_opens_that_turn(browser: Browser, finished: Path) -> None:
    hand(browser, finished, 3)
    assert browser.text(".status").startswith("Turn 3 of ")
    assert browser.text("h1:not(#report *)") == "Game 1, hand 1 of pair 1, leg 1"


@pytest.mark.process
def test_the_view_of_one_seat_hides_the_cards_of_the_other_until_the_end(browser: Browser, finished: Path) -> None:
    hand(browser, finished)
    browser.click("select option[value='0']")
    assert browser.texts(".side[data-seat='1'] .card:not(.back)") == []
    assert len(browser.texts(".side[data-seat='0'] .card:not(.back)")) == 10
    browser.click("[aria-label^='last turn']")
    assert len(browser.texts(".side[data-seat='1'] .card:not(.back)")) >= 9


@pytest.mark.process
def test_without_a_review_the_curves_have_no_legend_of_errors(browser: Browser, finished: Path) -> None:
    hand(browser, finished)
    assert browser.texts(".curves .errors") == []
    assert "null" not in browser.text(".curves")


@pytest.mark.process
def test_a_click_on_a_curve_leads_to_its_turn(browser: Browser, finished: Path) -> None:
    hand(browser, finished)
    assert browser.texts(".curves h2") == ["Deadwood", "What the hand is worth"]
    turn = """
    const chart = document.querySelectorAll(".curves svg[role=img]")[arguments[0]];
    const box = chart.getBoundingClientRect();
    chart.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: box.right - 20, clientY: box.top + 60 }));
    return document.querySelector(".status").textContent;
    """
    for chart in (0, 1):
        browser.run("Report.step(0)")
        assert re.match(r"Turn (\d+) of \1: ", browser.run(turn, chart))
    assert browser.run("return document.querySelector('.curves .now').getAttribute('x1')") != "0"


LAST_DEADWOOD = """
const chart = document.querySelector(".deadwood svg");
const height = Number(chart.querySelector("g[data-mark=line] path").getAttribute("d").match(/[\\d.]+$/)[0]);
return Math.round(chart.scale("y").invert(height));
"""


@pytest.mark.process
def test_the_view_of_one_seat_has_no_curve_of_what_it_cannot_know(browser: Browser, finished: Path) -> None:
    hand(browser, finished)
    browser.click("select option[value='0']")
    browser.wait(lambda: browser.texts(".curves:not([hidden]) h2") == ["Deadwood"])
    browser.click("[aria-label^='last turn']")
    shown = browser.run("return /deadwood (\\d+)/.exec(document.querySelector('[data-place=seat0] h2').textContent)[1]")
    assert browser.run(LAST_DEADWOOD) == int(shown), "the chart ends where the board says"
    field = browser.run("return Report.tournament.results[0].slice(1, 3).map((seat) => Report.tournament.field[seat])")
    assert [name for name in field if name in browser.text(".deadwood svg")] == field[:1], "a line has its name at its end"
    opponent = browser.run("return Report.tournament.field[Report.tournament.results[0][2]]")
    drawn = re.compile(rf"{opponent} drew .+ from the stock")
    for turn in range(1, 8):
        browser.run(f"Report.step({turn})")
        assert not drawn.search(browser.text(".status"))
        (question,) = browser.texts(".messages .note")
        assert ('"cards"' in "".join(browser.texts(".messages pre"))) is not question.startswith(f"{opponent} is asked")
    drawn_by = [" ".join(browser.texts(f".turns td[data-seat='{seat}']")) for seat in (0, 1)]
    assert re.search(r"drew .♥|drew .♦|drew .♣|drew .♠", drawn_by[0])
    assert not re.search(r"drew \w*[♥♦♣♠]", drawn_by[1])


@pytest.mark.process
def test_keys_set_the_speed_copy_a_link_and_show_help(browser: Browser, finished: Path) -> None:
    hand(browser, finished, 3)
    browser.press("+")
    browser.wait(lambda: browser.run("return document.querySelector('[aria-label=speed]').value") == "2")
    browser.press("c")
    browser.wait(lambda: browser.texts(".tools .note") in (["Link copied."], ["Copy this link: "]))
    browser.press("?")
    browser.wait(lambda: browser.run("return document.querySelector('dialog.help').open"))
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: not browser.run("return document.querySelector('dialog.help').open"))


GLIDES = "return document.querySelector('.felt').getAnimations({ subtree: true }).length"


@pytest.mark.process
@pytest.mark.parametrize("calm", [False, True])
def test_a_card_is_seen_to_move_unless_less_motion_is_asked_for(browser: Browser, finished: Path, calm: bool) -> None:  # noqa: FBT001 - a table's row
    browser.look(calm=calm)
    hand(browser, finished)
    draw = browser.run("return [...document.querySelectorAll('.turns a')].findIndex((one) => one.textContent.startsWith('drew '))")
    moved = browser.run(f"Report.step({draw}); Report.step({draw + 1}); {GLIDES}")
    assert (moved == 0) is calm


REVIEWED = """
const [fixture, mark] = arguments;
const match = Report.matches.get(fixture);
const { words, states } = Gin.replay(Gin.unpacked(match).hands[0]);
const turn = words.findIndex((word) => word.length === 2);
const { seat, cards } = states[turn];
const one = { hand: "0.0", seat, best: Gin.name(cards[seat][0]), verdict: "This was an <b>inaccuracy</b>.", advice: "throw it" };
const choices = [["throw 2♣", "", "This is the best that the review found."], ["throw K♦", mark, "This was played."]];
match.review = [
  { ...one, turn: turn + 1, mark, price: 2.5, worth: -2.5, choices },
  { ...one, turn: turn + 3, mark: "", price: 0, worth: 4, advice: "" },
];
location.hash = `#/hand/${encodeURIComponent(fixture)}/0.0/${arguments[2] ?? turn}`;
return seat;
"""


@pytest.mark.process
def test_a_review_marks_the_best_card_the_price_and_the_curve(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    seat = browser.run(REVIEWED, browser.run("return Report.tournament.results[0][0]"), "inaccuracy")
    browser.find(".felt .card.best")
    assert browser.text(".felt .price") == "throw it"
    assert browser.texts(".errors .key") == ["inaccuracy"]
    browser.press(Keys.ARROW_RIGHT)
    assert browser.text(".verdict .price").endswith("This was an <b>inaccuracy</b>.")
    assert browser.text(".turns [aria-current]").endswith("● inaccuracy −2.5")
    browser.run("Report.step(3)")
    browser.click(f"[aria-label='cards to show'] option[value='{seat}']")
    browser.wait(lambda: "could expect after each own decision" in " ".join(browser.texts(".curves .note")))
    assert browser.texts(".curves h2") == ["Deadwood", "What the hand is worth"]
    browser.click(f"[aria-label='cards to show'] option[value='{1 - seat}']")
    browser.wait(lambda: browser.texts(".curves:not([hidden]) h2") == ["Deadwood"])  # nothing of this seat was reviewed
    browser.run("Report.step(1)")
    assert browser.texts(".price") == []


@pytest.mark.process
def test_a_marked_decision_is_tried_again_with_the_answer_hidden_until_a_choice(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    fixture = browser.run("return Report.tournament.results[0][0]")
    browser.run(REVIEWED, fixture, "blunder")
    browser.press(Keys.ARROW_RIGHT)
    browser.click(".verdict button")
    turn = browser.driver.current_url.removesuffix("/try").rsplit("/", 1)[1]
    shown = "return [...document.querySelectorAll('.price, .moves, .curves, .steps')].filter((one) => one.checkVisibility()).length"
    assert browser.driver.current_url.endswith("/try")
    assert browser.run(shown) == 0
    assert browser.texts(".choices button") == ["Throw 2♣", "Throw K♦"]
    browser.click(".choices button:last-child")
    assert browser.text(".said") == "Throw K♦: This was played."
    assert browser.run("return document.querySelector('.said').classList.contains('blunder')")
    browser.click(".verdict .tools:not(.choices) button")
    assert browser.text(".status").startswith(f"Turn {turn} of ")
    assert browser.driver.current_url.endswith(f"/{turn}")
    browser.run(f"location.hash = '#/match/{quote(fixture, safe='')}'")
    browser.click(".learn a")
    assert browser.text(".verdict h2").startswith("What would you do as ")
    assert browser.driver.current_url.endswith(f"/{turn}/try")


ERROR = "document.querySelector('.curves .error')"


@pytest.mark.process
def test_an_error_on_the_curve_is_a_link_to_its_turn(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    browser.run(REVIEWED, browser.run("return Report.tournament.results[0][0]"), "mistake", 0)
    browser.find(".curves .error")
    label = browser.run(f"return {ERROR}.getAttribute('aria-label')")
    turn = browser.run(f"return {ERROR}.dataset.turn")
    assert re.fullmatch(rf"turn {turn}: \S+, mistake, gave up 2\.5 points", label)
    browser.run(f"{ERROR}.focus()")
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.text(".status").startswith(f"Turn {turn} of "))
    browser.run("Report.step(0)")
    browser.press("e")
    browser.wait(lambda: browser.text(".status").startswith(f"Turn {turn} of "))


@pytest.mark.process
def test_the_commands_of_a_turn_work_as_they_stand(browser: Browser, finished: Path) -> None:
    hand(browser, finished, 2)
    review, debug = (shlex.split(text) for text in browser.texts(".verdict .command"))
    fixture = browser.run("return Report.tournament.results[0][0]")
    assert review == ["arena", "review", str(finished), fixture, "0.0"]
    assert debug[-5:] == ["--recorded", str(finished), fixture, "0.0", "2"]
    done = arena(*debug[1:])
    assert done.returncode == 0, done.stderr
    assert re.match(r"hand 0\.0 under .*\n(.*\n)* +2 ", done.stdout)


@pytest.mark.process
def test_matches_can_be_searched_by_bot(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html", "#matches"))
    browser.find("#wanted").send_keys("greedy")
    browser.wait(lambda: browser.texts("#match-list p") == ["12 matches"])
    assert all("greedy" in row for row in browser.texts("#match-list tbody tr"))


@pytest.mark.process
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_needs_no_horizontal_scrolling(browser: Browser, finished: Path, dark: bool, width: int) -> None:  # noqa: FBT001 - a table's row
    browser.look(dark=dark, width=width)
    browser.open(address(finished / "report.html"))
    browser.find("#chart-ratings svg")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


TOO_WIDE = """
return [...document.querySelectorAll("table.stack :is(th, td)")].filter((one) => one.offsetParent && one.textContent.trim()
  && (one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1)
  && !one.closest("thead")).map((one) => one.textContent)
"""
SMALL = """
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const small = [];
while (texts.nextNode()) {
  const one = texts.currentNode.parentElement;
  const size = parseFloat(getComputedStyle(one).fontSize);
  if (texts.currentNode.textContent.trim() && one.checkVisibility() && size < 12) small.push([texts.currentNode.textContent, size]);
}
return small;
"""


HIDES = "return [...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1).length"


@pytest.mark.process
@pytest.mark.parametrize("fragment", ["", "#/pair/greedy/two", "#/bot/greedy", "#/match/greedy%3Atwo%2F0%2F0"])
def test_on_a_tablet_no_table_hides_a_column(browser: Browser, finished: Path, fragment: str) -> None:
    browser.look(width=800)
    browser.open(address(finished / "report.html", fragment))
    browser.find("table.stack")
    assert browser.run(HIDES) == 0


@pytest.mark.process
def test_in_print_nothing_fades_and_a_dark_system_prints_in_light(browser: Browser, finished: Path) -> None:
    browser.look(dark=True, width=800)
    browser.open(address(finished / "report.html"))
    browser.find("table.stack")
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": dark})
    browser.run("document.querySelector('.scroll').classList.add('more-right')")
    try:
        style = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
        assert browser.run(style, ".scroll", "maskImage") == "none"
        assert browser.run(style, ":root", "colorScheme") == "light"
        card = "return getComputedStyle(document.documentElement).getPropertyValue('--card').trim()"
        assert browser.run(card) == "#ffffff"
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.process
@pytest.mark.parametrize("fragment", ["", "#/pair/greedy/two", "#/bot/greedy", "#/match/greedy%3Atwo%2F0%2F0"])
def test_on_a_phone_rows_stack_and_no_cell_is_cut_off(browser: Browser, finished: Path, fragment: str) -> None:
    browser.look(width=390)
    browser.open(address(finished / "report.html", fragment))
    browser.find("table.stack")
    assert browser.run("return getComputedStyle(document.querySelector('table.stack tbody tr')).display") == "flex"
    assert browser.run(TOO_WIDE) == []
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.process
@pytest.mark.parametrize("fragment", ["", "#/pair/greedy/two"])
def test_no_text_is_smaller_than_twelve_pixels(browser: Browser, finished: Path, fragment: str) -> None:
    browser.open(address(finished / "report.html", fragment))
    browser.find("figure svg")
    assert browser.run(SMALL) == []


@pytest.mark.process
def test_a_wide_matrix_fades_where_it_goes_on(browser: Browser, finished: Path) -> None:
    browser.look(width=260)
    browser.open(address(finished / "report.html"))
    browser.wait(lambda: browser.run("return document.querySelector('#crosstable .scroll').matches('.more-right:not(.more-left)')"))
    browser.run("document.querySelector('#crosstable .scroll').scrollLeft = 10000")
    browser.wait(lambda: browser.run("return document.querySelector('#crosstable .scroll').matches('.more-left:not(.more-right)')"))


@pytest.mark.process
def test_the_page_of_a_pairing_has_totals_with_an_interval_and_the_running_score(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html", "#/pair/greedy/two"))
    assert re.fullmatch(r"[+-]\d+\.\d\d\u00a0±\u00a0\d+\.\d\d", browser.texts("#detail table td:last-child")[0])
    browser.find("#detail figure svg[aria-label^='net points of greedy']")
    matches = browser.run(
        "return Report.tournament.results.filter((one) => one[0].startsWith('greedy:two') || one[0].startsWith('two:greedy'))"
    )
    assert browser.texts("#detail .note")[0].startswith(f"{len(matches)} matches.")


@pytest.mark.process
def test_breadcrumbs_end_in_where_one_is(browser: Browser, finished: Path) -> None:
    fixture = hand(browser, finished)
    browser.find(".crumbs")
    assert browser.texts(".crumbs li")[-2:] == [fixture_words(fixture), "game 1, hand 1"]
    assert browser.texts(".crumbs [aria-current=page]") == ["game 1, hand 1"]


@pytest.mark.process
@pytest.mark.parametrize(
    "fragment", ["#/nonsense", "#/", "#/bot/nobody", "#/pair/greedy/nobody", "#/match/none", "#/hand/none/0.0/0", "#/bot/%E0"]
)
def test_an_unknown_address_in_a_report_is_said_to_be_unknown(browser: Browser, finished: Path, fragment: str) -> None:
    browser.open(address(finished / "report.html", fragment))
    assert browser.text("#detail h1").endswith("not found")
    assert browser.texts(".crumbs [aria-current=page]") == ["Not found"]


@pytest.mark.process
def test_a_heading_has_a_focus_box_only_where_keys_led_to_it(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html", "#/bot/greedy"))
    browser.find("#detail h1")
    assert browser.run("return document.activeElement === document.body")
    browser.click("#detail tbody a")
    browser.wait(lambda: "/pair/" in browser.driver.current_url and browser.run("return document.activeElement.tagName") == "H1")
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "none"


DRAWN = """
Charts.draw({ history: arguments[0], rows: Object.keys(arguments[0]).map((entrant) => ({ entrant })) });
const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
return [document.querySelector("svg[role=img]").getAttribute("aria-label"),
  texts("[data-mark='y-axis tick label'] text").map((one) => parseFloat(one.replace(/[^\\d.+]/, "-"))), texts("[class$=swatch]")];
"""


@pytest.mark.process
def test_a_bot_far_off_the_others_does_not_set_the_scale_of_points_over_time(browser: Browser) -> None:
    browser.open("about:blank")
    lines = {
        "a": [[10, 1.0, None], [20, 1.5, 2.0]],
        "b": [[10, 2.0, None], [20, 0.5, 2.0]],
        "c": [[20, 0.0, 1.0]],
        "weak": [[20, -50.0, 4.0]],
    }
    names = ("vendor/d3.min.js", "vendor/plot.umd.min.js", "numbers.js", "dom.js", "estimates.js", "charts.js")
    scripts = "".join(map(text, names))
    found = browser.run(
        "document.body.innerHTML = '<figure id=chart-history></figure>';" + scripts.replace('"use strict";', "") + DRAWN, lines
    )
    assert found[0].endswith("off the scale: weak: −50.00\u00a0±\u00a04.00")
    assert min(found[1]) > -5
    assert found[2] == list(lines)


@pytest.mark.process
@pytest.mark.parametrize("chart", ["difference", "evidence", "history"])
def test_a_chart_has_an_arrow_where_a_line_or_an_interval_leaves_its_scale(browser: Browser, chart: str) -> None:
    browser.open("about:blank")
    ends = [[10, 1e5, 1e-5, 9.0, -40.0, 60.0], [20, 1.0, 1.0, 2.0, 1.0, 3.0], [30, 1.0, 1.0, 2.0, 1.5, 2.5]]
    compared = {"history": ends, "proof": [20, 20], "bounds": [0, 0.5], "above": "stronger", "below": "weaker", "unit": "points"}
    lines = {name: [[10, 9.0, 50.0], [20, value, 2.0], [300, value, 1.0]] for name, value in (("a", 1.0), ("b", 0.5))}
    names = ("vendor/d3.min.js", "vendor/plot.umd.min.js", "numbers.js", "dom.js", "estimates.js", "charts.js")
    scripts = "".join(map(text, names)).replace('"use strict";', "")
    shown = browser.run(
        f"document.body.innerHTML = '<figure id=chart-{chart}></figure>';{scripts}"
        "Charts.draw({ comparison: arguments[0], history: arguments[1], rows: [{ entrant: 'a' }, { entrant: 'b' }] });"
        "return [...document.querySelectorAll('.beyond text')].map((one) => one.textContent);",
        compared,
        lines,
    )
    assert [one[0] for one in shown] == ["▲", "▼"]


@pytest.mark.process
def test_a_command_is_whole_on_a_phone_and_can_be_copied(browser: Browser, tmp_path: Path) -> None:
    shown = report()
    command = "arena run a/rather/long/folder/of/runs/winter-league-2026-01-31/spec.yaml --results a/rather/long/folder/of/runs"
    page = tmp_path / "report.html"
    page.write_text(HtmlPage().render(replace(shown, answer=replace(shown.answer, surer="the rest of this run", command=command))))
    browser.look(width=390, height=844)
    browser.open(address(page))
    box = browser.find(".surer .command")
    assert box.text.replace("\n", " ").endswith(command)
    assert browser.run("return arguments[0].scrollWidth <= arguments[0].clientWidth && arguments[0].clientWidth < 390", box)
    browser.click(".surer button")
    assert browser.text(".surer [role=status]") in ("Copied.", "Select the command to copy it.")


@pytest.mark.process
def test_html_in_names_and_faults_is_shown_as_text(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(HtmlPage().render(report(odd=BAD, title=NAUGHTY + BAD)), encoding="utf-8")
    browser.open(address(page))
    assert browser.text("h1") == NAUGHTY + BAD
    assert BAD in browser.texts("#standing-rows th")
    browser.open(address(page, f"#/bot/{quote(BAD, safe='')}"))
    assert browser.text("#detail h1") == BAD
    assert browser.run("return window.broken === undefined")


@pytest.mark.process
def test_a_drawn_match_is_not_called_a_batch(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    browser.run(
        "const [fixture, match] = [...Report.matches][0]; match.winner = null;"
        " location.hash = `#/match/${encodeURIComponent(fixture)}`;"
    )
    assert "The match was drawn." in browser.text("#detail")


@pytest.mark.process
def test_a_note_is_text_at_its_turn_with_its_time_for_who_may_see_it(browser: Browser, finished: Path) -> None:
    browser.open(address(finished / "report.html"))
    fixture = browser.run("return Report.tournament.results[0][0]")
    actor = browser.run(
        """
    const match = Report.matches.get(arguments[0]);
    match.notes = [[0, 0, arguments[1]], [1, 1, "of another hand"]];
    location.hash = `#/hand/${encodeURIComponent(arguments[0])}/0.0/1`;
    return 1 - match.hands[0][2]; // who did not deal plays first
    """,
        fixture,
        f"{BAD}\u202e\x1b\0",
    )
    said = browser.text(".bot-note")
    assert re.search(r" noted \(\d+\.\d\d ms\): ", said)
    assert rf"{BAD}\u202e\u001b\u0000" in said
    browser.click(f"[aria-label='cards to show'] option[value='{1 - actor}']")
    assert browser.texts(".bot-note") == [""]
    browser.click(f"[aria-label='cards to show'] option[value='{actor}']")
    assert BAD in browser.text(".bot-note")
    browser.click("[aria-label^='next turn']")
    assert browser.texts(".bot-note") == [""]
    assert browser.run("return window.broken === undefined")


@pytest.mark.process
def test_invisible_characters_in_a_name_are_shown_as_escapes(browser: Browser, tmp_path: Path) -> None:
    page, name = tmp_path / "report.html", "x\u202ey\x9b"
    page.write_text(HtmlPage().render(report(odd=name)), encoding="utf-8")
    browser.open(address(page))
    assert r"x\u202ey\x9b" in browser.texts("#standing-rows th")
    browser.open(address(page, f"#/bot/{quote(name, safe='')}"))
    assert browser.text("#detail h1") == r"x\u202ey\u009b"


@pytest.mark.process
def test_a_page_says_where_to_see_hands_that_it_omits(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.reports.report_builder.HANDS_SHOWN", 5)
    page = tmp_path / "report.html"
    page.write_text(HtmlPage().render(report()), encoding="utf-8")
    browser.open(address(page, f"#/match/{quote('batch/alpha-beta', safe='')}"))
    assert "Its hands are not in this file" in browser.text("#detail")


def test_a_page_refers_to_no_other_file() -> None:
    text = HtmlPage().render(report())
    markup = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    assert [link for link in re.findall(r"""(?:src|href)="([^"]*)\"""", markup) if not link.startswith(("#", "data:"))] == []
    assert "Content-Security-Policy" in markup


def of_a_hundred_bots() -> Report:
    """Return the report of a round robin of 100 bots, a match each."""
    field = [f"bot-{number:02}" for number in range(100)]
    played = [match(*pair, deals="-".join(pair), winner=0, points=[9, -4], games=[0]) for pair in combinations(field, 2)]
    find = {record.fixture.id: record for record in played}.__getitem__
    return make(enumerate(played), find, about(tuple(field)), Unrated(), lambda _: "a seed")


class Unrated(Rating, frozen=True, tag="unrated"):
    """Rates nobody."""

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        deque(records, maxlen=0)
        return {}


@pytest.mark.process
def test_a_page_of_a_hundred_bots_is_small_and_shows_the_rest_when_asked(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(HtmlPage().render(of_a_hundred_bots()), encoding="utf-8")
    assert page.stat().st_size < 600_000
    browser.open(address(page))
    browser.find("#chart-endings svg")
    assert browser.run("return document.querySelectorAll('*').length") < 2000
    assert len(browser.texts("#standing-rows tr")) == 20
    browser.click("#standings .all-rows")
    browser.wait(lambda: len(browser.texts("#standing-rows tr")) == 100)
    browser.run("document.getElementById('crosstable').scrollIntoView()")
    browser.wait(lambda: browser.run("return document.querySelector('#pair-matrix canvas')?.width > 400"))


def test_the_rows_of_a_small_field_are_all_in_the_page() -> None:
    assert "all-rows" not in HtmlPage().render(report())
