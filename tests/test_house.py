"""The figures of the tree keep the goals that they have reached; ``tests/studies/house.py`` prints all of them."""

import house
import pytest

HELD = (
    "lines of the median module, at most",
    "lines of the largest module",
    "functions named by a lone participle, in %",
    "nobody, everybody, somebody",
    "what came of",
    "docstrings that begin with Return what, how or whether",
    "words of README.md",
)


@pytest.fixture(scope="module")
def figures() -> dict[str, house.Figure]:
    return {figure.name: figure for figure in house.figures()}


@pytest.mark.parametrize("name", HELD)
def test_a_goal_that_was_reached_is_kept(name: str, figures: dict[str, house.Figure]) -> None:
    figure = figures[name]

    assert figure.value <= figure.most, "tests/studies/house.py --names shows the names"


@pytest.mark.parametrize(
    ("name", "lone"),
    [("played", True), ("_found", True), ("played_hands", False), ("read", False), ("feed", False), ("play", False)],
)
def test_a_lone_participle_is_no_verb_and_no_noun(name: str, *, lone: bool) -> None:
    assert house.is_participle(name) is lone
