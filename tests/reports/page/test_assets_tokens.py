"""The stylesheets of pages take sizes of text, and space, from the tokens at the top of style.css."""

import re

import pytest

from arena.reports.page.assets import text

SCALED = r"em|cqi|clamp\(12px"  # as large as what they stand in; a card as wide as its board
DRAWN = r"\d\dpx"  # in the units of a drawing
ROOM = r"(?<![\w-])(?:margin|padding|gap|row-gap|column-gap)[a-z-]*: ([^;}]+)"


@pytest.mark.parametrize("name", ["style.css", "pages.css", "table.css"])
def test_text_has_one_of_six_sizes_and_space_one_of_eight(name: str) -> None:
    screen, _, _ = text(name).partition("@media print")
    sizes = re.findall(r"font-size: ([^;}]+)", screen)
    assert [size for size in sizes if not re.match(rf"var\(--t-[1-6]\)|[\d.]+({SCALED})|{SCALED}|{DRAWN}", size)] == []
    rooms = [room for room in re.findall(ROOM, screen) if re.search(r"\d(rem|px)", room)]
    assert [room for room in rooms if "10rem" not in room] == []  # beside the signs of the bar of a table


def test_a_cell_of_a_list_is_not_drawn_as_the_card_of_an_answer() -> None:
    assert ".answer {" in text("style.css")
    assert not re.search(r'<td class="[^"]*\banswer\b', text("templates/run_rows.html"))
