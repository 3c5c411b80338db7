"""What a league's pages draw: curves of ratings, the ladder's axis, and two versions side by side."""

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from support.leagues.events import joined, pair
from support.leagues.position_sets import few_positions
from support.leagues.sites import league

from arena.gin.rules import Rules
from arena.league import show
from arena.league.rules.events import Answered, Retired
from arena.league.rules.field import fold
from arena.league.rules.history import History
from arena.league.rules.likeness import compare, nearest
from arena.league.rules.ratings import RatingTerms
from arena.league.rules.table_changes import anchors_in
from arena.league.rules.table_making import make_table
from arena.moments import now
from arena.stats.estimate import Estimate
from arena.stats.ratings import PointsRating
from arena.tournament.seeds import commitment
from arena.web.club import advice, views
from arena.web.club.heat_map import heat_map
from arena.web.club.ladder import drawn_strip, ladder_axis
from arena.web.club.side_by_side import matchups
from arena.web.club.views import CurveLine
from arena.web.club.watch import CurvePoint, on_one_scale


def point(number: int, **ratings: float) -> CurvePoint:
    return CurvePoint(number, {name: Estimate(value, value - 1, value + 1) for name, value in ratings.items()})


def test_a_strong_newcomer_moves_no_line_of_the_others() -> None:
    before, after = point(1, ann=2.0, gone=-2.0), point(2, ann=1.0, gone=-3.0, new=2.0)  # the mean of both fields is 0
    assert on_one_scale([before, after]) == [point(1, ann=1.0, gone=-3.0), after]


def test_a_version_that_has_become_better_known_moves_against_the_others() -> None:
    first, last = on_one_scale([point(1, ann=3.0, ben=-3.0), point(2, ann=1.0, ben=-1.0)])
    assert (first.ratings["ann"].value, last.ratings["ann"].value) == (3.0, 1.0)


def test_points_without_a_common_version_stay() -> None:
    points = [point(1, ann=0.0), point(2, ben=0.0)]
    assert on_one_scale(points) == points
    assert on_one_scale([]) == []


def test_anchors_hold_the_scale_where_there_are_any() -> None:
    points = [point(1, ann=3.0, ben=0.0), point(2, ann=1.0, ben=0.0)]
    assert on_one_scale(points, ["ben"]) == points


@pytest.mark.parametrize(("digest", "anchors"), [(commitment("ann-bot@1")[:8], ("ann-bot@1",)), ("00000000", ())])
def test_another_bot_than_the_anchor_holds_no_scale(tmp_path: Path, digest: str, anchors: tuple[str, ...]) -> None:
    terms = f"{{target: 10, best_of: 1}}\nanchors: [{{version: ann-bot@1, rating: 0, digest: '{digest}'}}]"
    path = league(tmp_path, *joined("ann-bot"), rules=terms)
    report = show.league_report(path, None, now())
    assert anchors_in(report.now, report.spec.anchors) == anchors


def snapshot(**known: Any) -> Any:
    """Return what the drawings read of a snapshot of a league in which ann@2 has taken the place of ann@1 after four rounds."""
    retired = Retired(at="2026-01-02T00:00:00Z", version="ann@1")
    events = (*joined("ann"), *joined("ben"), *joined("cat"), *joined("ann", 2), retired)
    played = tuple(pair(name, other, number, points=points) for name, number, points in PLAYED for other in ("ben@1", "cat@1"))
    history = History(events=events, played=played, faults=())
    shown = make_table(history, RatingTerms(rating=PointsRating()))
    return SimpleNamespace(field=fold(events), history=history, table=shown, nearest={}, alike={}, **known)


PLAYED = tuple((f"ann@{1 + number // 5}", number, (100 if number < 5 else 300) + 20 * (number % 3)) for number in range(1, 10))


def test_the_line_of_a_version_that_plays_no_more_is_flat_from_its_last_round_on() -> None:
    moving = tuple(point(number, **{"ann@1": 1.0 * number, "ann@2": 0.0}) for number in range(1, 10))
    found = views.curve(snapshot(curve=moving), fold((*joined("ann"), *joined("ann", 2))).of("ann"))
    assert found
    old, new = found.lines
    heights = {float(place.split(",")[1]) for place in old.flat.split()}
    assert len(heights) == 1
    assert old.points.count(" ") == 3  # four rounds
    assert old.flat.startswith(old.points.split()[-1])
    assert new.flat == ""


def test_the_line_of_a_version_whose_last_round_is_open_ends_with_the_last_closed_round() -> None:
    closed = tuple(point(number, **{"ann@1": 1.0 * number}) for number in range(1, 4))  # it has played in round 4, too
    found = views.curve(snapshot(curve=closed), fold(joined("ann")).of("ann"))
    assert found
    assert (found.lines[0].points.count(" "), found.lines[0].flat) == (2, "")


def test_a_hopeless_bot_does_not_press_the_others_together() -> None:
    row = snapshot().table.rows[0]
    rows = [
        replace(row, rank=rank, rating=value, low=value - 1, high=value + 1) for rank, value in enumerate((4.0, 2.0, 1.0, -45.0), 1)
    ]
    scale = ladder_axis(rows)
    assert scale
    assert -3 < scale.low < 0
    last = rows[-1].strip
    assert last
    assert (drawn_strip(scale, last).beyond, drawn_strip(scale, last).dot) == ("below", "")


def test_two_versions_are_compared_by_the_opponents_that_both_have_met() -> None:
    found = matchups(snapshot(), "ann@1", "ann@2")
    assert {(one.opponent, one.difference > 0, one.beyond_chance) for one in found} == {
        ("ben@1", True, True),
        ("cat@1", True, True),
    }
    assert all(one.strip and one.strip.value == pytest.approx(one.new - one.old) for one in found)


def test_the_matrix_has_each_pairing_from_both_sides() -> None:
    cells = {(row.id, cell.opponent): cell for row, line in heat_map(snapshot(), 1) for cell in line}
    assert cells["ann@2", "ben@1"].points == cells["ben@1", "ann@2"].points.replace("-", "+")
    assert (cells["ann@2", "ben@1"].side, cells["ben@1", "ann@2"].side, cells["ben@1", "cat@1"].points) == ("ahead", "behind", "")


def test_a_bot_is_like_the_other_bot_that_decides_most_alike() -> None:
    answers = {"ann@1": "a" * 60, "ann@2": "a" * 60, "ben@1": "a" * 50 + "b" * 10, "cat@1": "b" * 60}
    described = [
        Answered(at="2026-01-01T00:00:00Z", version=one, positions="0" * 64, answers=" ".join(text))
        for one, text in answers.items()
    ]
    field = fold((*joined("ann"), *joined("ben"), *joined("cat"), *joined("ann", 2))).versions
    found = nearest(field, described)
    assert {name: (like.one, like.same) for name, like in found.items()} == {
        "ann@1": ("ben@1", 50),
        "ann@2": ("ben@1", 50),
        "ben@1": ("ann@1", 50),
        "cat@1": ("ben@1", 10),
    }
    by = {version.id: version for version in field}
    same = compare(by["ann@1"], by["ann@2"], described)
    assert same
    assert (same.same, same.asked) == (60, 60)
    assert compare(by["ann@1"], by["ben@1"], described[:1]) is None


def test_decisions_of_better_bots_are_shown_only_in_the_positions_of_the_league() -> None:
    made = few_positions()

    def shown(digest: str) -> int:
        known = snapshot(spec=SimpleNamespace(rules=Rules()))
        row = replace(known.table.rows[0], author="ann")
        rows = (replace(row, name="ben", version=1, author="ben", rank=1), replace(row, name="ann", version=2, rank=2))
        known.table = replace(known.table, rows=rows)
        known.events = [
            Answered(at="2026-01-01T00:00:00Z", version=version, positions=digest, answers=60 * answer)
            for version, answer in (("ben@1", "take "), ("ann@2", "draw "))
        ]
        return len(advice.other_decisions(known, next(one for one in known.field.versions if one.id == "ann@2"), made))

    assert shown(made.digest) > 0
    assert shown("0" * 64) == 0


def test_labels_at_the_ends_of_lines_stand_apart_in_the_order_of_the_lines() -> None:
    ends = {"a": 100.0, "b": 99.0, "c": 219.0, "d": 220.0, "e": 101.0}
    labels = {
        line.id: line.label for line in views.labelled([CurveLine(id=one, points="", band="", end=at) for one, at in ends.items()])
    }
    heights = [labels[one] for one in sorted(ends, key=ends.__getitem__)]
    assert all(later - earlier >= views.LABEL - 0.2 for earlier, later in pairwise(heights))
    assert heights[-1] <= views.HEIGHT + views.LABEL / 3 + 0.1
