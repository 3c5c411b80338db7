"""Grades of a course, by a league's table and a scheme."""

from pathlib import Path

import pytest
from leagues import joined, moment, pair, refused
from msgspec.structs import replace

from arena.cli.bots import gradescope
from arena.errors import InputError, SpecError
from arena.league.grades import BaselineTerms, FaultTerms, Grade, GradingScheme, RankBand, award, load_scheme
from arena.league.rules.events import AnyEvent, Retired
from arena.league.rules.history import History
from arena.league.rules.ratings import RatingTerms
from arena.league.rules.table import LeagueTable, table
from arena.stats.estimates import PointsRating
from arena.tournament.audition import Finding

SCHEME = GradingScheme(
    joined=40,
    baseline=BaselineTerms(bot="base", points=30),
    ranks=(RankBand(best=1, points=10), RankBand(best=0.5, points=20), RankBand(best=0.1, points=30)),
    faults=FaultTerms(points=1, most=3),
)


def graded(scheme: GradingScheme = SCHEME, authors: tuple[str, ...] = (), **faults: int) -> dict[str, Grade]:
    """Return the grades where ann beats ben and base, ben equals base, cat loses and dan has failed; ann has a weaker bot, too."""
    bots = (("ann", "anns"), ("low", "anns"), ("ben", "bens"), ("cat", "cats"), ("base", "host"))
    events: list[AnyEvent] = [event for name, author in bots for event in joined(name, author=author)]
    submitted, failed = refused("dan", 1, 21)
    events += [replace(submitted, author="dans"), failed, Retired(at=moment(30), version="low@1")]
    points = {"ann": 400, "low": -300, "ben": 5, "cat": -200, "base": 0}
    played = tuple(
        pair(f"{one}@1", f"{other}@1", number, points=points[one] - points[other])
        for number in range(1, 9)
        for place, one in enumerate(points)
        for other in list(points)[place + 1 :]
    )
    history = History(events=tuple(events), played=played, faults=())
    found = table(history, RatingTerms(rating=PointsRating()))
    rows = tuple(replace(row, faults=faults.get(row.name, 0)) for row in found.rows)
    return {
        one.author: one for one in award(LeagueTable(rows), history.field(), {"fays": "not valid Python"}, scheme, authors).grades
    }


def test_each_author_is_graded_by_the_best_bot_and_the_baselines_author_is_not() -> None:
    grades = graded(ben=2, cat=9)
    assert [(one.bot, one.rank, one.ranked) for one in grades.values()][:3] == [
        ("ann@1", 1, 30),
        ("ben@1", 2, 20),
        ("cat@1", 3, 10),
    ]
    assert (grades["anns"].baseline, grades["bens"].baseline, grades["cats"].baseline) == (30, 0, 0)
    assert (grades["anns"].confidence or 0) > 0.95 > (grades["bens"].confidence or 0) > 0.3 > (grades["cats"].confidence or 0)
    assert [one.points for one in grades.values()] == [100, 58, 47, 0, 0]
    assert (grades["dans"].bot, grades["dans"].note) == ("", "crash")
    assert grades["fays"].note == "not valid Python"
    assert "host" not in grades


def test_who_has_handed_in_nothing_is_graded_if_the_course_says_so() -> None:
    grades = graded(authors=("cats", "eve"))
    assert (grades["cats"].rank, grades["cats"].points) == (1, 70)
    assert (grades["eve"].points, grades["eve"].note) == (0, "nothing was handed in")
    with pytest.raises(InputError, match="no bot 'none' in this league"):
        graded(replace(SCHEME, baseline=BaselineTerms(bot="none", points=1)))


def test_a_scheme_is_read_and_its_mistakes_are_named_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "scheme.yaml").write_text("joined: 40\nbaseline: {bot: base, points: 30}\nranks: [{best: 0.1, points: 30}]\n")
    assert load_scheme(tmp_path / "scheme.yaml") == replace(SCHEME, ranks=SCHEME.ranks[2:], faults=None)
    (tmp_path / "scheme.yaml").write_text("joined: 40\nranks: [{best: 2, points: 30}]\n")
    with pytest.raises(SpecError, match=r"scheme.yaml:2: ranks\.0\.best: expected a number <= 1\.0; found 2"):
        load_scheme(tmp_path / "scheme.yaml")


def test_an_audition_is_written_as_gradescope_reads_it_also_where_a_step_has_failed() -> None:
    found = [Finding(step="start", passed=True, summary="ready"), Finding(step="hands", passed=False, summary="crash", turn="{}")]
    tests = gradescope("mine.py", found, "").tests
    assert [(one.name, one.score, one.max_score, one.status) for one in tests][:3] == [
        ("start", 10, 10, "passed"),
        ("hands", 0, 40, "failed"),
        ("same play", 0, 10, "failed"),
    ]
    assert sum(one.max_score for one in tests) == 100
    assert "the turn    {}" in tests[1].output
    assert tests[2].output == "not tested, because a step before it failed"
    assert gradescope("mine.py", [], "mine.py:1: not valid Python").tests[0].output == "mine.py:1: not valid Python"
