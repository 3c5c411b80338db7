"""How reliable a table is: computed from records in any order, and shown on the console."""

from random import Random

import pytest
from msgspec.structs import replace
from support.matches.records import appraised, batch
from support.records.reported import about

from arena.records import MatchRecord
from arena.reports.report_builder import ReportBuilder
from arena.reports.text import ConsoleText
from arena.stats.estimate import Estimate
from arena.stats.pairs import pairs
from arena.stats.ratings import BradleyTerry
from arena.stats.strengths import Strength, Strengths, notes, rank_interval

CYCLE = {("rock", "paper"): -6, ("paper", "scissors"): -6, ("scissors", "rock"): -6}
LINE = {("a", "b"): 4, ("b", "c"): 4, ("a", "c"): 8}


def league(edges: dict[tuple[str, str], int], number: int = 40) -> list[MatchRecord]:
    """Return pairs of batches; each edge gives the lead of the first of two in points a hand."""
    chance, records = Random(1), []
    for (one, two), edge in edges.items():
        for pair in range(number):
            for zero, first in ((one, two), (two, one)):
                sign = 1 if zero == one else -1
                points = [round(chance.gauss(sign * edge, 10)) for _ in range(10)]
                records.append(batch(zero, first, points, deals=f"{one}{two}/{pair}"))
    return records


def test_a_transitive_field_is_distinguished_from_a_cycle() -> None:
    line, cycle = appraised(league(LINE)), appraised(league(CYCLE))
    assert not line.warns
    assert cycle.warns
    assert line.cyclic == pytest.approx(0.0, abs=0.02)
    assert cycle.cyclic == pytest.approx(1.0, abs=0.1)


def test_the_points_rating_is_the_lead_in_points_a_hand() -> None:
    entrants = appraised(league(LINE)).entrants
    assert [entrants[name].points.value for name in "abc"] == pytest.approx([4.0, 0.0, -4.0], abs=0.6)


def test_in_a_cycle_each_has_a_large_residual() -> None:
    found = appraised(league(CYCLE)).entrants["rock"].largest_residual
    assert found is not None
    assert abs(found[1]) > 2


def test_the_largest_residual_is_the_furthest_from_zero_on_either_side_and_none_if_all_are_zero() -> None:
    strength = Strength(points=Estimate(0.0, -1.0, 1.0), residuals={"bob": 1.0, "cid": -2.0})
    assert strength.largest_residual == ("cid", -2.0)
    assert replace(strength, residuals={"bob": 0.0}).largest_residual is None
    assert replace(strength, residuals={}).largest_residual is None


def test_the_order_of_the_records_does_not_matter() -> None:
    records = league(LINE, 5)
    shuffled = list(records)
    Random(2).shuffle(shuffled)
    assert appraised(shuffled) == appraised(records)


def test_a_field_that_never_met_has_only_ratings() -> None:
    known = appraised([*league({("a", "b"): 4}), *league({("x", "y"): 4})])
    assert known.cyclic is None
    assert all("2 parts that never met" in one.points.note for one in known.entrants.values())


def test_no_records_give_no_strengths() -> None:
    assert appraised([]) == Strengths(entrants={})


@pytest.mark.parametrize(
    ("chances", "between"),
    [
        ((1.0, 0.0), (1, 1)),
        ((0.5, 0.5), (1, 2)),
        ((0.01, 0.98, 0.01), (2, 2)),
        ((0.03, 0.0, 0.97), (1, 3)),
        ((0.025, 0.95, 0.025), (2, 2)),
        ((), None),
    ],
)
def test_an_interval_of_ranks_leaves_out_2_5_percent_at_each_end(
    chances: tuple[float, ...], between: tuple[int, int] | None
) -> None:
    assert rank_interval(chances) == between


def test_the_console_shows_strengths_within_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    records = league({("a" * 16, "b" * 16): 4, ("b" * 16, "c" * 16): 4, ("a" * 16, "c" * 16): 8})
    growing = ReportBuilder()
    for record in records:
        growing.add(record)
    ratings = BradleyTerry().rate(records)
    report = growing.report(about(("a" * 16, "b" * 16, "c" * 16)), ratings, strengths=appraised(records))
    shown = ConsoleText().render(report)
    assert max(map(len, shown.splitlines()[:24])) <= 80
    table = shown[shown.index("Rating by points") : shown.index("Hands and faults")]
    assert "100 %" in table
    assert "a" * 16 in table, "no name is broken"
    assert "results in a circle" not in shown, "there are none"
    assert len(list(pairs(records))) == 120


def test_each_note_is_listed_once_with_its_entrants() -> None:
    ratings = BradleyTerry().rate(league({("a", "b"): 60}, 3))
    found = dict(notes({**ratings}))
    assert [names for note, names in found.items() if "few pairs" in note] == [["a", "b"]]
    assert [names for note, names in found.items() if "unbeaten" in note] == [["a"]]
    assert [names for note, names in found.items() if "without a win" in note] == [["b"]]
