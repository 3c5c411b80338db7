"""The grades of a course, by a league's table and a scheme."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from support.leagues.events import joined, moment, pair, refused

from arena.errors import InputError, SpecError
from arena.league import grading, leagues
from arena.league.grading import BaselineTerms, FaultTerms, Grade, GradingScheme, RankBand, award
from arena.league.rules.events import AnyEvent, Reason, Retired, SeasonClosed, Suspended
from arena.league.rules.field import LeagueField
from arena.league.rules.history import History
from arena.league.rules.league_table import LeagueTable
from arena.league.rules.ratings import RatingTerms
from arena.league.rules.table_making import make_table
from arena.stats.ratings import PointsRating
from arena.tournament.spec import read_struct

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
    found = make_table(history, RatingTerms(rating=PointsRating()))
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


def test_an_author_whose_bot_has_no_rank_has_the_reason_in_its_row() -> None:
    events: list[AnyEvent] = [event for name in ("ann", "ben", "cat", "dan") for event in joined(name, author=f"{name}s")]
    events += [
        Retired(at=moment(30), version="ann@1", by="olga", reason="it was handed in twice"),
        Suspended(at=moment(31), version="ben@1", reason=Reason("at fault in 3 of 8 matches")),
        Retired(at=moment(32), version="cat@1"),
    ]
    history = History(events=tuple(events), played=(), faults=())
    found = award(make_table(history, RatingTerms(rating=PointsRating())), history.field(), {}, GradingScheme(joined=40))
    assert [(one.author, one.points, one.note) for one in found.grades] == [
        ("anns", 40, f"ann@1 is retired since {moment(30)}: it was handed in twice"),
        ("bens", 40, f"ben@1 is suspended since {moment(31)}: at fault in 3 of 8 matches"),
        ("cats", 40, f"cat@1 is retired since {moment(32)}"),
        ("dans", 40, "dan@1 has not played yet"),
    ]


def test_grades_are_those_of_a_moment_or_of_the_end_of_a_season(league: Path, tmp_path: Path) -> None:
    scheme = tmp_path / "scheme.yaml"
    scheme.write_text("joined: 40\n")
    first, second, third = (f"2099-01-0{day}T00:00:00Z" for day in (1, 2, 4))
    events = [
        *(replace(event, at=first) for event in joined("ann", author="anns")),
        SeasonClosed(at=second, season=1),
        *(replace(event, at=third) for event in joined("ben", author="bens")),
    ]
    with leagues.open_league(league, write=True) as opened, opened.store.deciding():
        leagues.add(opened.store, *events)
    assert [one.author for one in grading.grades(league, scheme).grades] == ["anns", "bens"]
    assert [one.author for one in grading.grades(league, scheme, season=1).grades] == ["anns"]
    assert [one.author for one in grading.grades(league, scheme, at="2099-01-03T00:00:00Z").grades] == ["anns"]
    with pytest.raises(InputError, match=r"^--season: found 2; expected a season that is over, of which the last is 1$"):
        grading.grades(league, scheme, season=2)


@pytest.mark.parametrize(("best", "places"), [(0.28, 7), (0.29, 8), (0.01, 1), (1, 25)])
def test_a_band_of_ranks_has_the_share_of_places_that_is_written_rounded_up(best: float, places: int) -> None:
    history = History(events=tuple(joined("ann", author="anns")), played=(), faults=())
    (row,) = make_table(history, RatingTerms(rating=PointsRating())).rows
    authors = [f"author-{number}" for number in range(1, 26)]
    rows = tuple(replace(row, rank=rank, author=author) for rank, author in enumerate(authors, 1))
    scheme = GradingScheme(ranks=(RankBand(best=best, points=10),))
    grades = award(LeagueTable(rows), LeagueField(), {}, scheme, authors).grades
    assert [one.author for one in grades if one.ranked] == authors[:places]


def test_who_has_handed_in_nothing_is_graded_if_the_course_says_so() -> None:
    grades = graded(authors=("cats", "eve"))
    assert (grades["cats"].rank, grades["cats"].points) == (1, 70)
    assert (grades["eve"].points, grades["eve"].note) == (0, "nothing was handed in")
    with pytest.raises(InputError, match=r"^baseline\.bot: no bot 'none' in this league; expected one of ann, "):
        graded(replace(SCHEME, baseline=BaselineTerms(bot="none", points=1)))


def test_a_scheme_is_read_and_its_mistakes_are_named_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "scheme.yaml").write_text("joined: 40\nbaseline: {bot: base, points: 30}\nranks: [{best: 0.1, points: 30}]\n")
    assert read_struct(tmp_path / "scheme.yaml", GradingScheme) == replace(SCHEME, ranks=SCHEME.ranks[2:], faults=None)
    (tmp_path / "scheme.yaml").write_text("joined: 40\nranks: [{best: 2, points: 30}]\n")
    with pytest.raises(SpecError, match=r"scheme.yaml:2: ranks\.0\.best: expected a number <= 1\.0; found 2"):
        read_struct(tmp_path / "scheme.yaml", GradingScheme)


def test_a_baseline_that_is_not_in_the_league_is_named_with_the_file_of_the_scheme(league: Path, tmp_path: Path) -> None:
    scheme = tmp_path / "scheme.yaml"
    scheme.write_text("baseline: {bot: none, points: 30}\n")
    with pytest.raises(InputError, match=r"scheme\.yaml: baseline\.bot: no bot 'none' in this league; no bot has joined yet"):
        grading.grades(league, scheme)
