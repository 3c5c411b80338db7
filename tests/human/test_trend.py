"""A person's error rate over its matches, from what is kept beside them."""

from pathlib import Path

import pytest
from commands import arena, league
from reviewed_hands import reviewed_hand

from arena.human.persons_review import earlier_matches, in_words, match_errors
from arena.review.summary import Mean
from arena.runs.review_cache import SHOWN_FILE, keep
from arena.store.folder import Folder
from arena.store.store import Store


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
    (tmp_path / "results" / "first" / SHOWN_FILE).write_text("{", encoding="utf-8")
    assert len(earlier_matches(Folder(tmp_path / "results" / "now"), "one")) == 1


def test_a_review_has_a_trend_once_there_was_a_match_before() -> None:
    hands = [reviewed_hand("x", "you")]
    assert in_words(hands).trend == ()
    before = match_errors("greedy, 2026-01-31", 4, Mean(1.254, 0.5))
    assert [(one.match, one.text, one.half) for one in in_words(hands, [before]).trend] == [
        ("greedy, 2026-01-31", "1.25 ± 1.00", 1.0),
        ("this match", "9.50", None),
    ]
