"""The gallery of components: every state is laid out without a fault at four widths, light and dark.

What is compared is structure, not pixels, so that fonts, a browser's version and a busy machine change nothing.
"""

import asyncio
import re
from gzip import compress
from pathlib import Path

import gallery
import pytest
from support.browser.axe import check, needs_axe
from support.browser.driver import Browser, address
from support.browser.table_page import open_table, say, with_styles
from support.servers.asgi import HOST, Response, asked
from support.sizes import mostly_nightly

from arena.reports.page import assets
from arena.web.connection_limits import ConnectionLimits

HEIGHTS = {390: 844, 768: 1024, 1024: 768, 1440: 900}
LOOKS = [*((width, False) for width in HEIGHTS), (390, True), (1440, True)]
FAULTS = """
const found = [];
const say = (what, one) => found.push(`${what}: ${one.id || one.className || one.tagName} ${one.textContent.trim().slice(0, 40)}`);
const seen = (one) => one.checkVisibility() && one.getClientRects().length;
const boxes = (selector) => [...document.querySelectorAll(selector)].filter(seen);
const box = (one) => one.getBoundingClientRect();
if (document.documentElement.scrollWidth > innerWidth) say("wider than the screen", document.body);
for (const one of boxes("h1, h2, p, button, a, li, td, th, .pill, .answer, .answer > *")) {
  if (one.closest(".scroll, .said, .skip, .command, thead")) continue;
  if (box(one).right > innerWidth + 1 || box(one).left < -1) say("beside the screen", one);
}
for (const one of boxes("button:not(th button, .link), select, input, a.tool, .acts summary")) {
  const { width, height } = box(one.closest("label") ?? one);
  if (Math.min(width, height) < 24) say("too small to press", one);
}
const pressed = boxes("button:not(.card), select, a.tool, .acts summary");
pressed.forEach((one, at) => pressed.slice(at + 1).forEach((other) => {
  const [a, b] = [box(one), box(other)];
  const over = [["left", "right"], ["top", "bottom"]].map(([from, to]) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]));
  if (Math.min(...over) > 1 && !one.closest(".acts") === !other.closest(".acts")) say("over another", one);
}));
for (const one of boxes("p, li, td, th, button, small, h2")) {
  if (!one.closest("svg, .card, .said") && parseFloat(getComputedStyle(one).fontSize) < 12) say("text below 12 pixels", one);
}
for (const cell of boxes("td, .number, dd")) {
  const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (text.nextNode()) {
    const number = /[+\\u2212-]?[\\d.,]+(\\u00a0\\u00b1\\u00a0[\\d.]+)?/u.exec(text.currentNode.data);
    if (!number || cell.closest("dl")?.textContent.includes("commitment")) continue;
    const range = document.createRange();
    range.setStart(text.currentNode, number.index);
    range.setEnd(text.currentNode, number.index + number[0].length);
    if (range.getClientRects().length > 1) say("a number that breaks", cell);
  }
}
for (const one of boxes("figure svg text")) if (/\\de[+\\u2212-]?\\d/u.test(one.textContent)) say("scientific notation", one);
for (const one of boxes("figure[id]")) if (one.querySelectorAll("svg text").length < 4) say("a chart without ticks", one);
for (const card of boxes(".answer")) {
  const parts = [".summary", ".how", ".sure", ".strips", ".surer"].map((one) => card.querySelector(one)).filter(Boolean).map(box);
  const early = (part, at) => at && part.top < parts[at - 1].bottom - 1 && part.left < parts[at - 1].right - 1;
  if (parts.some(early)) say("parts of the card out of order", card);
}
return [...new Set(found)];
"""


def faults(browser: Browser) -> list[str]:
    """Return what is wrong with the layout of the open page, at each width and in both schemes."""
    found = []
    papers = set()
    for width, dark in LOOKS:
        browser.look(width=width, height=HEIGHTS[width], dark=dark, calm=True)
        browser.driver.execute_async_script("document.fonts.ready.then(() => requestAnimationFrame(() => arguments[0]()))")
        found += [f"{width}{' dark' if dark else ''}: {one}" for one in browser.run(FAULTS)]
        papers.add((dark, browser.run("return getComputedStyle(document.body).backgroundColor")))
    assert len(papers) == 2, "a scheme has one colour of paper"
    return found


@pytest.mark.process
@pytest.mark.slow
@needs_axe
@pytest.mark.parametrize("component", mostly_nightly(gallery.COMPONENTS, *list(gallery.COMPONENTS)[::3]))
def test_every_state_of_a_component_is_laid_out_without_a_fault(browser: Browser, tmp_path: Path, component: str) -> None:
    html = with_styles(gallery.page(component))
    html = re.sub(r'<script src="/static/([^"]*)"></script>', lambda one: f"<script>{assets.text(one[1])}</script>", html)
    html = html.replace('<script src="/gallery.js"></script>', f"<script>{gallery.SCRIPT}</script>")
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    browser.open(address(tmp_path / "page.html"))
    assert faults(browser) == []
    check(browser)


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("kind", mostly_nightly(gallery.table_states(), *list(gallery.table_states())[::4]))
def test_every_state_of_a_table_is_laid_out_without_a_fault_and_fits_a_phone(browser: Browser, tmp_path: Path, kind: str) -> None:
    browser.look(width=390, height=844, calm=True)
    open_table(browser, tmp_path)
    say(browser, gallery.table_states()[kind])
    assert faults(browser) == []
    browser.look(width=390, height=844, calm=True)
    assert browser.run("return document.documentElement.scrollHeight") <= 844


@pytest.mark.process
@pytest.mark.slow
def test_a_fault_of_the_layout_is_found(browser: Browser, tmp_path: Path) -> None:
    number = '<dl><dd style="width: 2em; overflow-wrap: anywhere">+0.33\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}3.90</dd></dl>'
    wrong = f'<p style="width: 2000px">wide<p style="font-size: 9px">small</p><button style="height: 9px">x</button>{number}'
    (tmp_path / "page.html").write_text(
        f"<!doctype html><meta name=viewport content='width=device-width'>{wrong}", encoding="utf-8"
    )
    browser.open(address(tmp_path / "page.html"))
    browser.look(width=390, height=844)
    kinds = {one.partition(":")[0] for one in browser.run(FAULTS)}
    expected = {"wider than the screen", "beside the screen", "too small to press", "text below 12 pixels", "a number that breaks"}
    assert kinds == expected


def get(path: str) -> Response:
    return asyncio.run(asked(gallery.app({HOST}, ConnectionLimits()), "GET", path))


@pytest.mark.parametrize("path", ["/", "/tables", "/table/knock/"])
def test_a_page_of_the_gallery_has_all_that_it_names_and_weighs_at_most_300_kilobytes(path: str) -> None:
    page = get(path)
    assert page.status == 200
    named = re.findall(r'(?:src|href)="(/static/[^"]+|/gallery.js)"', page.text)
    files = [get(name) for name in named]
    assert {one.status for one in files} == {200}
    assert len(page.body) + sum(len(compress(one.body)) for one in files) < 300_000


def test_only_what_is_in_the_gallery_has_a_page() -> None:
    assert [get(path).status for path in ("/nothing", "/table/nothing/", "/static/../gallery.py", "/gallery.html")] == [404] * 4
    assert get("/table/nothing/events").status == 404
