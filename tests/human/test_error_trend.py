"""A person's error rate over its matches, from what is kept beside them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.commands.calls import arena
from support.commands.runs import league
from support.records.reviewed_hands import reviewed_hand
from support.servers.asgi import HOST, ask

from arena.gin.rules import Rules
from arena.human import error_trend
from arena.human.error_trend import LATEST, MatchErrors, earlier_matches, errors_in, match_errors
from arena.human.persons_review import in_words
from arena.review.summary import Mean, Place, TriedPrice
from arena.runs.review_cache import SHOWN_FILE, keep
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web.table import TableServer


@pytest.mark.process
def test_earlier_matches_beside_a_folder_have_their_error_rates_the_oldest_first(tmp_path: Path) -> None:
    spec = league(tmp_path)
    for name in ("first", "second", "other", "now"):
        assert arena("run", spec, "--results", tmp_path / "results" / name, "--seed", name).returncode == 0
    for name, bot in (("second", "one"), ("first", "one"), ("other", "somebody"), ("now", "one")):
        folder = Folder(tmp_path / "results" / name)
        with Store(folder.database) as store:
            keep(folder, store.fact("commitment"), "review", [reviewed_hand("x", bot)])
    found = earlier_matches(Folder(tmp_path / "results" / "now"), "one")
    assert [(one.hands, one.rate, one.half, one.text) for one in found] == [(1, 9.5, None, "9.50")] * 2
    assert all(one.match.startswith("two, 20") for one in found)
    assert sorted(one.run for one in found) == ["first", "second"]
    table = TableServer(("one", "two"), 1, Rules())
    table.keep_reviews(Folder(tmp_path / "results" / "now"), "")
    app, key = table.app([HOST]), table.places[0].key
    assert ask(app, "GET", f"/{key}/hands?run=first").document["hands"]
    assert 'data-hands="hands?run=first"' in ask(app, "GET", f"/{key}/replay?run=first").text
    for path in ("hands?run=other", "replay?run=other", "hands?run=../results/first", "replay"):
        assert ask(app, "GET", f"/{key}/{path}").status == 404
    (tmp_path / "results" / "first" / SHOWN_FILE).write_text("{", encoding="utf-8")
    assert len(earlier_matches(Folder(tmp_path / "results" / "now"), "one")) == 1


def test_the_trend_has_a_persons_last_matches_also_after_many_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2 * LATEST):
        (tmp_path / f"{number:02}").mkdir()
        (tmp_path / f"{number:02}" / SHOWN_FILE).touch()
        os.utime(tmp_path / f"{number:02}" / SHOWN_FILE, (number, number))

    def of_run(folder: Folder, _: str) -> Iterator[tuple[str, MatchErrors]]:
        if folder.path.name in ("00", "01"):
            yield folder.path.name, match_errors(folder.path.name, 4, Mean(1.0, 0.5))

    monkeypatch.setattr(error_trend, "_of_run", of_run)
    assert [one.match for one in earlier_matches(Folder(tmp_path / "now"), "one")] == ["00", "01"]


def test_a_review_has_a_trend_once_there_was_a_match_before() -> None:
    hands = [reviewed_hand("x", "you")]
    assert in_words(hands).trend == ()
    before = match_errors("greedy, 2026-01-31", 4, Mean(1.254, 0.5))
    assert [(one.match, one.text, one.half) for one in in_words(hands, [before]).trend] == [
        ("greedy, 2026-01-31", "1.25\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}1.00", 1.0),
        ("this match", "9.50", None),
    ]


def test_the_mistakes_of_a_match_that_can_be_tried_again_are_counted_and_the_first_has_its_place() -> None:
    hand = reviewed_hand("x", "you")
    tried = (TriedPrice("2c", 0.0, 0.1), TriedPrice("Kd", 9.5, 0.5))
    later = replace(hand, place=Place("x", 0, 1), decisions=(replace(hand.decisions[0], tried=tried),))
    found = errors_in("x", [later, hand], "first")
    assert (found.run, found.mistakes, found.first) == ("first", 1, "0.1/3")
    assert errors_in("x", [hand]).mistakes == 0
