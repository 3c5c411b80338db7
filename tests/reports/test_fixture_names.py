"""Fixtures in words."""

import pytest

from arena.reports.fixture_names import fixture_words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("r3/ann@1:ben@1/1240/1", "round 3, pair 1,241, leg 2"),
        ("ann:ben/0/0", "pair 1, leg 1"),
        ("a-b/0/7", "a-b/0/7"),
    ],
)
def test_a_fixture_is_counted_from_1_and_one_of_another_form_is_called_by_its_id(name: str, words: str) -> None:
    assert fixture_words(name) == words
