"""How far to believe a table: worked out from records, in whatever order, and shown."""

from random import Random

import pytest
from match_records import batch
from reported import about

from arena.records import MatchRecord
from arena.reports.console import ConsoleText
from arena.reports.report import Growing
from arena.stats.appraisal import appraise
from arena.stats.pairs import pairs
from arena.stats.ratings.bradley_terry import BradleyTerry
from arena.stats.strengths import Strengths, notes, rank_interval

STRONG = {("rock", "paper"): -6, ("paper", "scissors"): -6, ("scissors", "rock"): -6}
LINE = {("a", "b"): 4, ("b", "c"): 4, ("a", "c"): 8}


def league(edges: dict[tuple[str, str], int], number: int = 40) -> list[MatchRecord]:
    """Return pairs of batches in which the first of two is ahead by so many points a hand."""
    chance, records = Random(1), []
    for (one, two), edge in edges.items():
        for pair in range(number):
            for zero, first in ((one, two), (two, one)):
                sign = 1 if zero == one else -1
                points = [round(chance.gauss(sign * edge, 10)) for _ in range(10)]
                records.append(batch(zero, first, points, deals=f"{one}{two}/{pair}"))
    return records


def test_a_line_of_strength_is_told_from_a_circle() -> None:
    line, circle = appraise(league(LINE)), appraise(league(STRONG))
    assert not line.warns
    assert circle.warns
    assert line.cyclic == pytest.approx(0.0, abs=0.02)
    assert circle.cyclic == pytest.approx(1.0, abs=0.1)


def test_the_points_rating_says_by_how_much() -> None:
    entrants = appraise(league(LINE)).entrants
    assert [entrants[name].points.value for name in "abc"] == pytest.approx([4.0, 0.0, -4.0], abs=0.6)
    assert entrants["a"].nash == pytest.approx(1.0, abs=1e-3), "who beats everybody is all that an opponent would pick"


def test_in_a_circle_everybody_weighs_the_same_and_is_strange_to_somebody() -> None:
    entrants = appraise(league(STRONG)).entrants
    assert [one.nash for one in entrants.values()] == pytest.approx([1 / 3] * 3, abs=0.1)
    found = entrants["rock"].strangest
    assert found is not None
    assert abs(found[1]) > 2


def test_the_order_of_the_records_changes_nothing() -> None:
    records = league(LINE, 5)
    shuffled = list(records)
    Random(2).shuffle(shuffled)
    assert appraise(shuffled) == appraise(records)


def test_of_a_field_that_never_met_only_the_ratings_are_told() -> None:
    known = appraise([*league({("a", "b"): 4}), *league({("x", "y"): 4})])
    assert known.cyclic is None
    assert all(one.nash is None and "2 parts that never met" in one.points.note for one in known.entrants.values())


def test_nobody_has_no_strength() -> None:
    assert appraise([]) == Strengths(entrants={})


@pytest.mark.parametrize(
    ("chances", "between"),
    [((1.0, 0.0), (1, 1)), ((0.5, 0.5), (1, 2)), ((0.01, 0.98, 0.01), (2, 2)), ((0.03, 0.0, 0.97), (1, 3)), ((), None)],
)
def test_an_interval_of_ranks_leaves_a_fortieth_off_either_end(chances: tuple[float, ...], between: tuple[int, int] | None) -> None:
    assert rank_interval(chances) == between


def test_a_console_shows_all_of_it_in_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    records = league({("a" * 16, "b" * 16): 4, ("b" * 16, "c" * 16): 4, ("a" * 16, "c" * 16): 8})
    growing = Growing()
    for record in records:
        growing.add(record)
    ratings = BradleyTerry().rate(records)
    report = growing.report(about(("a" * 16, "b" * 16, "c" * 16)), ratings, strengths=appraise(records))
    shown = ConsoleText().render(report)
    assert max(map(len, shown.splitlines()[:20])) <= 80
    table = shown[shown.index("Strength") : shown.index("Play")]
    assert "100%" in table
    assert "a" * 16 in table, "no name is broken"
    assert "circles:" in shown
    assert len(list(pairs(records))) == 120


def test_a_note_is_told_once_with_those_it_is_about() -> None:
    ratings = BradleyTerry().rate(league({("a", "b"): 60}, 3))
    told = dict(notes({**ratings}))
    assert [names for note, names in told.items() if "few pairs" in note] == [["a", "b"]]
    assert [names for note, names in told.items() if "unbeaten" in note] == [["a"]]
    assert [names for note, names in told.items() if "without a win" in note] == [["b"]]
