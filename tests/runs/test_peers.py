from xml.etree import ElementTree as ET

import pytest

from arena.runs.peers import comparison
from arena.runs.peers.comparison import Benchmark, Peer, Row, of_hands
from arena.runs.peers.plot import svg

OWN = Row("arena 1.0", 4000.0, "hands/s", 1.0)
OTHER = Row("other <2>", 400.0, "hands/s", 10.0, "28 moves a hand")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "ROUNDS", 1)
    monkeypatch.setattr(comparison, "ARENA", Peer("arena", "arena_greedy", "ginrummy-arena", 5))


@pytest.mark.usefixtures("quick")
def test_a_peer_that_is_not_installed_or_fails_is_said_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    absent, broken = Peer("Absent", "arena_greedy", "no-such-package", 5), Peer("Broken", "no_such_module", "msgspec", 5)
    monkeypatch.setattr(comparison, "HANDS", (absent, broken))
    compared = of_hands()
    assert [row.label.split()[0] for row in compared.rows] == ["arena"]
    first, second = compared.missing
    assert first == "Absent: no-such-package is not installed; pip install 'ginrummy-arena[peers]'"
    assert second.startswith("Broken: cannot be run: ")
    assert "\n" not in second


@pytest.mark.usefixtures("quick")
def test_a_peer_is_compared_with_arena_in_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "HANDS", (Peer("Twin", "arena_greedy", "ginrummy-arena", 5),))
    own, twin = of_hands().rows
    assert own.ratio == 1
    assert twin.ratio == own.value / twin.value
    assert twin.detail == own.detail != ""


def test_the_plot_is_a_picture_with_a_longer_bar_for_a_larger_value() -> None:
    picture = ET.fromstring(svg((Benchmark("Hands", (OWN, OTHER), ()),), "today"))
    texts = ["".join(text.itertext()) for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"today", "Hands", "arena 1.0", "other <2>", "4,000 hands/s", "400 hands/s; arena: 10 times as fast"} <= set(texts)
    own, other = (float(bar.attrib["width"]) for bar in picture.iter("{http://www.w3.org/2000/svg}rect"))
    assert own > other > 0
