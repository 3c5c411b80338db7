"""Tests of my-part: run them with ``python -m pytest``."""

from my_part import MyPart

from arena.testing import match_record


def test_who_scores_more_is_rated_higher() -> None:
    found = MyPart().rate([match_record("one", "two", points=(20, -5, 10))])
    assert found["one"].value > 0 > found["two"].value
    assert found["one"].low < found["one"].value < found["one"].high
