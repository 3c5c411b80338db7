"""The spec of a league: every mistake is one line."""

import pytest

from arena.errors import SpecError
from arena.gin.rules import Rules
from arena.league.rules.certainty import TopAim
from arena.league.rules.spec import LeagueSpec, LearningTerms, parse
from arena.plugins import manager
from arena.stats.estimates import PointsRating

KINDS = manager.kinds(manager.load(entry_points=False))


def read(text: str) -> LeagueSpec:
    return parse(text, KINDS, "friday.yaml")


def test_everything_but_the_mapping_has_a_default() -> None:
    spec = read("title: Friday\n")
    assert (spec.title, spec.rules, spec.rating, spec.aim, spec.pairs, spec.hands) == (
        "Friday",
        Rules(),
        PointsRating(),
        "order",
        1,
        None,
    )


def test_an_aim_is_the_order_or_the_best_few() -> None:
    assert read("aim: order\n").aim == "order"
    assert read("aim: {top: 3}\n").aim == TopAim(3)


def test_bots_keep_what_they_learn_only_if_the_spec_says_so() -> None:
    assert read("title: Friday\n").learning is None
    assert read("learning: {}\n").learning == LearningTerms(size_mb=1, files=100, rounds=50)
    assert read("learning: {size_mb: 4, rounds: 2}\n").learning == LearningTerms(size_mb=4, rounds=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bots: [greedy]\n", "1: bots: a league has none: authors submit them, by `arena league submit`"),
        ("title: F\naim: best\n", "2: aim: found 'best'; expected one of order, {top: …}"),
        ("aim: {top: 0}\n", "1: aim.top: "),
        ("level: 2\n", "1: level: "),
        ("limits: {active: 1001}\n", "1: limits.active: "),
        ("limits: {authors: 3}\n", "1: limits.authors: unknown key; "),
        ("suspension: {share: much}\n", "1: suspension.share: "),
        ("season: 3\n", "1: season: "),
        ("learning: {size_mb: 65}\n", "1: learning.size_mb: "),
        ("learning: {mb: 1}\n", "1: learning.mb: unknown key; expected one of size_mb, files"),
        (
            "anchors:\n- {version: a@1, rating: 0}\n- {version: a@1, rating: 3}\n",
            "3: anchors.1: 'a@1' is named 2 times; expected once",
        ),
        ("templates: starter.py\n", "1: templates: "),
        ("templates: [a.py, a.py]\n", "1: templates.1: 'a.py' is named 2 times; expected once"),
        ("rating: elo\n", "1: rating.name: found 'elo'; expected one of bradley-terry, points"),
        ("format: duel\n", "1: format: a league has none: "),
        ("[]\n", "1: found a list; expected a mapping"),
        ("title: [\n", "2: "),
    ],
)
def test_a_mistake_is_one_line_with_its_place(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        read(text)
    line = str(caught.value)
    assert line.startswith(f"friday.yaml:{message}")
    assert "\n" not in line
