from arena.stats.estimate import Estimate
from arena.stats.standings import standings
from arena.stats.tally import Counts, Tally


def table(**rows: Counts) -> Tally:
    return Tally({entrant: {"rest": counts} for entrant, counts in rows.items()})


def test_rank_goes_by_matches_then_pairs_then_games_then_points() -> None:
    tally = table(
        points=Counts(matches_won=1, pairs_drawn=1, games_won=3, points_for=10),
        games=Counts(matches_won=1, pairs_drawn=1, games_won=4),
        last=Counts(matches_won=1, pairs_drawn=1, games_won=3, points_for=9),
        matches=Counts(matches_won=2),
        pairs=Counts(matches_won=1, pairs_won=1),
    )
    assert [row.entrant for row in standings(tally, {})] == ["matches", "pairs", "games", "points", "last"]


def test_two_drawn_pairs_equal_one_won_and_one_lost() -> None:
    tally = table(draws=Counts(pairs_drawn=2), both=Counts(pairs_won=1, pairs_lost=1), less=Counts(pairs_drawn=1, pairs_lost=1))
    assert [(row.rank, row.entrant) for row in standings(tally, {})] == [(1, "both"), (1, "draws"), (3, "less")]


def test_two_drawn_matches_equal_one_won_and_one_lost() -> None:
    tally = table(draws=Counts(matches_drawn=2), both=Counts(matches_won=1, matches_lost=1), less=Counts(matches_drawn=1))
    assert [(row.rank, row.entrant) for row in standings(tally, {})] == [(1, "both"), (1, "draws"), (3, "less")]


def test_entrants_equal_in_everything_share_a_rank() -> None:
    tally = table(zoe=Counts(matches_won=1), amy=Counts(matches_won=1), bob=Counts(), top=Counts(matches_won=2))
    assert [(row.rank, row.entrant) for row in standings(tally, {})] == [(1, "top"), (2, "amy"), (2, "zoe"), (4, "bob")]


def test_the_rating_does_not_affect_the_rank() -> None:
    tally = table(a=Counts(matches_won=2), b=Counts(matches_won=1))
    rows = standings(tally, {"b": Estimate(99.0, 9.0, 189.0)})
    assert [(row.entrant, row.rating) for row in rows] == [("a", None), ("b", Estimate(99.0, 9.0, 189.0))]


def test_an_entrant_that_has_not_played_has_a_row() -> None:
    rows = standings(table(a=Counts(matches_won=1)), {}, field=["a", "new"])
    assert [(row.rank, row.entrant, row.counts) for row in rows] == [(1, "a", Counts(matches_won=1)), (2, "new", Counts())]
    assert standings(Tally({}), {}) == []


def test_given_places_decide_the_rank() -> None:
    tally = table(a=Counts(matches_won=3), b=Counts(matches_won=2), c=Counts(matches_won=1))
    rows = standings(tally, {}, ["a", "b", "c", "d"], [["c"], ["d", "a"], ["b"]])
    assert [(row.rank, row.entrant) for row in rows] == [(1, "c"), (2, "a"), (2, "d"), (4, "b")]
