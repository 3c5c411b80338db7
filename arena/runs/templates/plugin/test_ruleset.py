"""Tests of my-part: run them with ``python -m pytest``."""

from my_part import MyPart

from arena.sdk import Bot
from arena.testing import play
from arena.tournament.formats.round_robin import RoundRobin


def test_a_match_is_one_game_to_fifty_points() -> None:
    (first, *_) = play(RoundRobin(pairs=1), {"one": Bot, "two": Bot}, rules=MyPart())
    assert len(first.games) == 1
    assert max(first.games[0].totals) >= 50
