"""The picture of an answer, for sharing."""

from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from arena.errors import InputError
from arena.reports.answer_card import NOTHING_PLAYED, AnswerCard, Strip
from arena.reports.answer_pictures import png, svg

LONG = "a name that is much too long"
STRIPS = (Strip("ann", 90.0, 10.0, 170.0, "+90 ± 80"), Strip(LONG, 0.0, -80.0, 80.0, "+0 ± 80"))
ANSWER = AnswerCard(
    finished=True,
    who="<b>ann & bob</b> won",
    how="14–2 in matches",
    sure="Not settled",
    why="the intervals overlap",
    unit="Elo",
    strips=STRIPS,
)


def texts(picture: str) -> list[str]:
    return [one.text or "" for one in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


def test_the_picture_has_who_won_how_sure_that_is_and_each_strip() -> None:
    found = texts(svg("Friday", ANSWER))
    assert found[:4] == ["Friday", "<b>ann & bob</b> won", "14–2 in matches", "Not settled: the intervals overlap"]
    assert {
        "ann",
        "a name that is much t…",
        "+90\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}80",
        "Elo, 95\N{NO-BREAK SPACE}% interval",
    } <= set(found)


def test_long_sentences_are_broken_and_shortened_and_nothing_played_is_a_picture_too() -> None:
    found = texts(svg("Friday", AnswerCard(finished=True, who="word " * 60, why="reason " * 60)))
    assert max(map(len, found)) <= 80
    assert len(found) == 1 + 2 + 2 + 1
    assert "Nothing has been played yet" in texts(svg("Friday", NOTHING_PLAYED))


def test_a_png_needs_its_library() -> None:
    pytest.importorskip("resvg_py")
    assert png(svg("Friday", ANSWER)).startswith(b"\x89PNG")


def test_without_the_library_the_refusal_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "resvg_py", None)
    with pytest.raises(InputError, match=r"ginrummy-arena\[picture\]"):
        png("<svg/>")


def test_the_picture_has_room_for_four_strips_and_the_unit_alone() -> None:
    unit = "rating, points a hand held to ±40, mean 0, by rank; 6 of 7 bots; dan above +3.00"
    found = svg("Friday", replace(ANSWER, unit=unit, strips=3 * STRIPS))
    assert found.count("<circle") == 4
    assert max(float(one.attrib["y"]) for one in ET.fromstring(found).iter("{http://www.w3.org/2000/svg}text")) == 604
    assert "rating, points a hand held to ±40, mean 0, by rank, 95\N{NO-BREAK SPACE}% interval" in texts(found)
