"""Every estimator on tiny and degenerate fields: copies, one pair, no scatter, perfect scores."""

from itertools import combinations
from math import isfinite, isinf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.matches.records import appraised, batch, counted, match
from support.records.reported import about
from support.sizes import size

from arena.records import MatchRecord
from arena.reports.report_builder import make
from arena.reports.text import ConsoleText
from arena.stats.comparisons import single_matches
from arena.stats.estimate import Estimate, Rating
from arena.stats.fit import bradley_terry, least_squares
from arena.stats.margin import Margin, of_blocks
from arena.stats.rank_certainty import non_transitivity
from arena.stats.ratings import BradleyTerry, PointsRating
from arena.stats.standings import standings

RATINGS = (BradleyTerry(), BradleyTerry(prior=0.0), BradleyTerry(prior=100.0), PointsRating())
NAMES = ("ann", "bob", "cid", "dan")


def copies(pairs: int, field: tuple[str, ...] = ("one", "two")) -> list[MatchRecord]:
    """Return matches of equal bots: seat 0 always wins, so every pair is split."""
    return [
        match(*seats, deals=f"{a}{b}/{number}", winner=0, points=[25, -10], games=[0])
        for a, b in combinations(field, 2)
        for number in range(pairs)
        for seats in ((a, b), (b, a))
    ]


def identical_batches(pairs: int) -> list[MatchRecord]:
    """Return batches of equal bots: each deal ends alike in both legs."""
    return [batch(*seats, [10, -10], deals=str(number)) for number in range(pairs) for seats in (("one", "two"), ("two", "one"))]


@pytest.mark.parametrize("rating", RATINGS, ids=str)
@pytest.mark.parametrize("records", [copies(30), identical_batches(30), copies(12, NAMES)], ids=["matches", "batches", "four"])
def test_equal_copies_are_reported_as_equal(rating: Rating, records: list[MatchRecord]) -> None:
    field = tuple(sorted({name for record in records for name in record.fixture.seats}))
    made = make(
        enumerate(records), {record.fixture.id: record for record in records}.__getitem__, about(field), rating, lambda _: "a seed"
    )
    assert [row.rank for row in made.standings] == [1] * len(field)
    for row in made.standings:
        assert row.rating is not None
        assert row.rating.value == pytest.approx(0.0, abs=1e-6)
        assert row.rating.ranks == pytest.approx([1 / len(field)] * len(field), abs=0.02)
    assert "nan" not in ConsoleText().render(made).split()


def test_pairs_that_all_end_alike_have_the_interval_of_the_rule_of_three_and_a_note() -> None:
    found = BradleyTerry().rate(copies(30))["one"]
    # in up to one pair of ten both matches may go to the same bot: a share of 55 % or 35 Elo, half of it on either side
    assert 12 < found.high < 20
    assert "all pairs ended alike" in found.note
    assert "all pairs ended alike" in PointsRating().rate(identical_batches(30))["one"].note


def test_pairs_that_differ_have_no_such_note() -> None:
    records = [*copies(30), match("one", "two", deals="x", winner=0), match("two", "one", deals="x", winner=1)]
    assert "alike" not in BradleyTerry().rate(records)["one"].note


def test_a_copy_in_a_field_of_others_has_an_interval() -> None:
    others = [
        match(*seats, deals=f"{name}{number}", winner=(number + leg) % 3 > 0)
        for name in ("one", "two")
        for number in range(30)
        for leg, seats in enumerate(((name, "other"), ("other", name)))
    ]
    found = BradleyTerry().rate([*copies(30), *others])
    assert all(estimate.high - estimate.low > 10 for estimate in found.values())


RESULTS = st.tuples(
    st.sampled_from(list(combinations(NAMES, 2))),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 1),
    st.sampled_from([0, 25, 60, 200]),
)


def played(rows: list[tuple[tuple[str, str], int, bool, int, int]]) -> list[MatchRecord]:
    """Return matches with distinct fixtures, both legs of some pairs among them."""
    once = {(pairing, number, swapped): (winner, points) for pairing, number, swapped, winner, points in rows}
    return [
        match(
            *(pairing[::-1] if swapped else pairing),
            deals=f"{pairing[0]}{pairing[1]}/{number}",
            winner=winner,
            points=[points if winner == 0 else -points],
        )
        for (pairing, number, swapped), (winner, points) in once.items()
    ]


def sound(estimate: Estimate) -> bool:
    one_sided = "against the rest of the field" in estimate.note
    finite = (estimate.value, *estimate.ranks, *(end for end in (estimate.low, estimate.high) if not (one_sided and isinf(end))))
    return all(isinstance(number, float) and isfinite(number) for number in finite) and (
        estimate.low <= estimate.value <= estimate.high
    )


@pytest.mark.process
@given(st.lists(RESULTS, max_size=12), st.sampled_from(RATINGS), st.integers(1, 12))
@settings(max_examples=size(20, 180))
def test_every_field_has_finite_estimates_within_their_intervals(
    rows: list[tuple[tuple[str, str], int, bool, int, int]], rating: Rating, times: int
) -> None:
    once = played(rows)
    # the same results many times over have little or no scatter
    records = [
        match(*record.fixture.seats, deals=f"{record.fixture.deals}/{time}", winner=record.winner, points=[25])
        for record in once
        for time in range(times)
    ]
    found = rating.rate(records)
    known = appraised(records)
    assert all(map(sound, (*found.values(), *(one.points for one in known.entrants.values()))))
    assert all(not estimate.ranks or sum(estimate.ranks) == pytest.approx(1.0) for estimate in found.values())
    assert known.cyclic is None or 0 <= known.cyclic <= 1
    rows_shown = standings(counted(records), found)
    assert [row.rank for row in rows_shown] == sorted(row.rank for row in rows_shown)


@given(st.integers(1, 3), st.integers(1, 10**6), st.integers(0, 10**6))
def test_the_non_transitive_share_of_any_two_counts_is_a_number(size: int, won: int, lost: int) -> None:
    wins = np.triu(np.full((size, size), float(won)), 1) + np.tril(np.full((size, size), float(lost)), -1)
    table = single_matches(wins, np.zeros_like(wins))
    for fit in (bradley_terry(table, 3.0, by_pair=True).fit, least_squares(table)):
        assert fit
        assert isinstance(non_transitivity(table, fit).warns, bool)


def test_two_deals_without_scatter_have_a_margin_of_zero() -> None:
    assert of_blocks([[0.0], [0.0]]) == Margin(0.0, 0.0, 0.0, 2, 2)
