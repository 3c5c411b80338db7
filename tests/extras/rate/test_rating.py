"""``arena rate``: a bot on a scale that is the same everywhere."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.commands.calls import arena
from support.sizes import size

from arena.errors import RosterError
from arena.extras.rate.rating import entrants, plan_rating, read_scale


@pytest.mark.process
def test_the_anchors_are_the_bots_that_were_rated_and_neighbours_differ_by_at_most_three_points() -> None:
    scale = read_scale()
    assert [anchor.digest for anchor in entrants(scale)] == [anchor.digest for anchor in scale.anchors]
    ratings = [anchor.rating for anchor in scale.anchors]
    assert ratings == sorted(ratings)
    assert all(upper - lower <= 3.0 for lower, upper in pairwise(ratings))
    assert ratings[0] < -40
    assert {anchor.name: anchor.rating for anchor in scale.anchors}["greedy"] == 0.0


@pytest.mark.process
def test_another_version_of_an_anchor_is_refused() -> None:
    scale = read_scale()
    changed = replace(scale, anchors=(replace(scale.anchors[0], digest="0" * 64), *scale.anchors[1:]))
    with pytest.raises(RosterError, match=r"random-kind: found digest .*, expected 000000000000: not the bot by which scale 1"):
        entrants(changed)


@pytest.mark.process
def test_an_anchor_can_be_rated_itself() -> None:
    plan = plan_rating("greedy", 4_000, "none")
    assert plan.names[0] == "greedy-rated"
    assert "greedy" in plan.names[1:]


@pytest.mark.process
def test_a_rating_says_where_a_bot_stands_and_two_runs_give_the_same(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text("from arena.sdk import Bot\n\n\nclass Mine(Bot):\n    pass\n", encoding="utf-8")
    line = ("rate", "mine.py", "--hands", "1000", "--sandbox", "none", "--quiet")
    runs = ("one", "two")[: size(1, 2)]  # the deals of a rating are always the same; that its results are, is tested at night
    first, *more = (json.loads(arena(*line, "--json", "--results", folder, folder=tmp_path).stdout) for folder in runs)
    for second in more:
        measured = ("milliseconds", "slowest", "results")
        assert {key: value for key, value in first.items() if key not in measured} == {
            key: value for key, value in second.items() if key not in measured
        }
    assert first["schema"] == "arena/rate/1"
    assert first["low"] < 0 < first["high"] or abs(first["rating"]) < 3
    said = arena(*line, "--results", "one", folder=tmp_path).stdout
    assert f"Mine is rated {first['rating']:+.2f} (" in said
