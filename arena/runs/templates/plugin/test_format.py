"""Tests of my-part: run them with ``python -m pytest``."""

from my_part import MyPart

from arena.sdk import Bot
from arena.testing import play


def test_neighbours_meet_from_both_seats() -> None:
    records = play(MyPart(), {"one": Bot, "two": Bot, "three": Bot})
    assert [record.fixture.seats for record in records] == [("one", "two"), ("two", "one"), ("two", "three"), ("three", "two")]
