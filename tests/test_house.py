"""The figures of the tree keep the goals that they have reached; ``tests/studies/house.py`` prints all of them."""

import house
import pytest

HELD = (
    "stems in two packages or more",
    "lines of tests for a line of product",
    "lines of the median module, at most",
    "lines of the largest module",
    "words of README.md",
)


@pytest.mark.slow  # reads every file
def test_the_goals_that_were_reached_are_kept() -> None:
    figures = {figure.name: figure for figure in house.figures()}
    missed = [figures[name] for name in HELD if figures[name].value > figures[name].most]

    assert missed == [], "tests/studies/house.py --names shows the names"


@pytest.mark.parametrize(
    ("name", "lone"),
    [("played", True), ("_found", True), ("played_hands", False), ("read", False), ("feed", False), ("play", False)],
)
def test_a_lone_participle_is_no_verb_and_no_noun(name: str, *, lone: bool) -> None:
    assert house.is_participle(name) is lone
