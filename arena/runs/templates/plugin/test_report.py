"""Tests of my-part: run them with ``python -m pytest``."""

from my_part import MyPart

from arena.testing import match_record, report
from arena.tournament.formats.round_robin import RoundRobin


def test_the_winner_stands_first() -> None:
    made = report([match_record("weak", "strong", winner=1)], league=RoundRobin(pairs=1))
    assert MyPart().render(made) == "1 strong\n2 weak\n"
