"""Ratings of a field whose pairings play the same deals: simulated leagues, and what must not depend on how it is computed."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from msgspec.structs import replace
from support.sizes import mostly_nightly

from arena.stats.comparisons import Comparisons, sum_pairs
from arena.stats.estimate import Estimate
from arena.stats.estimates import estimates, fit_points, hand_points, matches
from arena.stats.fit import Fit, bradley_terry, least_squares
from arena.stats.pairs import Pair
from arena.stats.shared_deals import SharedPairs, deal_noise

HANDS = 10  # of a pair of legs
Meeting = tuple[int, int, int]  # the number of the deals, and of the two that meet on them


def pair(deals: str, one: str, other: str, points: int) -> Pair:
    return Pair(
        entrant=one,
        opponent=other,
        deals=deals,
        batch=True,
        legs=2,
        matches=(0, 0),
        games=(0, 0),
        points=(max(points, 0), max(-points, 0)),
        capped_points=points,
        hands=HANDS,
    )


def round_robin(size: int, deals: int) -> list[Meeting]:
    return [(key, one, other) for key in range(deals) for one, other in combinations(range(size), 2)]


def ladder(size: int, rounds: int, chance: np.random.Generator) -> list[Meeting]:
    """Return a round in which each meets three others, then rounds in which each meets one."""
    first = [(0, one, other) for one, other in combinations(range(size), 2) if (other - one) % size in (1, 2, size - 1, size - 2)]
    later = ((number, *sorted(both)) for number in range(1, rounds) for both in chance.permutation(size).reshape(-1, 2).tolist())
    return [*first, *((key, one, other) for key, one, other in later)]


def played(meetings: Sequence[Meeting], size: int, own: float, alike: float, chance: np.random.Generator) -> list[Pair]:
    """Return results between equal bots: points that suit a bot on some deals, and points that come of a pairing alone.

    The first half of the bots play alike: ``alike`` is the correlation of what suits them.
    """
    keys = 1 + max(key for key, _, _ in meetings)
    group = np.where(np.arange(size) < size // 2, alike**0.5, 0.0)
    suits = own * (group * chance.normal(size=(keys, 1)) + (1 - group**2) ** 0.5 * chance.normal(size=(keys, size)))
    points = [round(20 * (suits[key, one] - suits[key, other] + chance.normal())) for key, one, other in meetings]
    return [
        pair(f"all/{key}", f"bot{one:03}", f"bot{other:03}", net) for (key, one, other), net in zip(meetings, points, strict=True)
    ]


def coverage(table: Callable[[], Comparisons], fitted: Callable[[Comparisons], Fit], leagues: int) -> float:
    """Return how often the interval of a difference between two equal bots holds 0."""
    inside = []
    for fit in (fitted(table()) for _ in range(leagues)):
        errors = np.add.outer(np.diag(fit.covariance), np.diag(fit.covariance)) - 2 * fit.covariance
        above = np.triu_indices(len(errors), 1)
        inside.append(np.abs(np.subtract.outer(fit.values, fit.values))[above] <= 1.96 * np.sqrt(errors[above]))
    return float(np.mean(inside))


def simulated(size: int, deals: int, alike: float, chance: np.random.Generator, *, aware: bool = True) -> Comparisons:
    table = sum_pairs(played(round_robin(size, deals), size, 1.0, alike, chance), hand_points)[1]
    return table if aware else replace(table, shared=None)


@pytest.mark.process
def test_intervals_hold_their_share_where_those_of_independent_pairs_do_not() -> None:
    aware = coverage(partial(simulated, 6, 20, 0.5, np.random.default_rng(1)), least_squares, 100)
    naive = coverage(partial(simulated, 6, 20, 0.5, np.random.default_rng(1), aware=False), least_squares, 100)
    assert 0.92 <= aware <= 0.975
    assert naive < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("alike", [0.0, 0.8])
@pytest.mark.parametrize(("size", "deals"), mostly_nightly([(4, 10), (8, 8), (8, 20), (12, 40)], (8, 8)))
def test_intervals_hold_their_share_in_a_round_robin(size: int, deals: int, alike: float) -> None:
    found = coverage(partial(simulated, size, deals, alike, np.random.default_rng(2)), least_squares, 200)
    assert 0.92 <= found <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("alike", [0.0, 0.8])
def test_intervals_hold_their_share_in_the_rounds_of_a_league(alike: float) -> None:
    chance = np.random.default_rng(3)

    def table() -> Comparisons:
        return sum_pairs(played(ladder(30, 20, chance), 30, 1.0, alike, chance), hand_points)[1]

    assert 0.925 <= coverage(table, least_squares, 200) <= 0.97


@pytest.mark.slow
def test_intervals_by_matches_hold_their_share() -> None:
    chance = np.random.default_rng(4)

    def table() -> Comparisons:
        return sum_pairs(played(round_robin(6, 30), 6, 1.0, 0.5, chance), matches)[1]

    def fitted(found: Comparisons) -> Fit:
        fit = bradley_terry(found, 3.0, by_pair=True).fit
        assert fit
        return fit

    assert 0.92 <= coverage(table, fitted, 300) <= 0.975


def test_two_that_play_alike_are_distinguished_by_fewer_deals_if_they_share_them() -> None:
    chance = np.random.default_rng(5)
    table = sum_pairs(played(round_robin(6, 200), 6, 1.0, 0.98, chance), hand_points)[1]

    def error(fit: Fit, one: int, other: int) -> float:
        return float(fit.covariance[one, one] + fit.covariance[other, other] - 2 * fit.covariance[one, other])

    shared, own = least_squares(table), least_squares(replace(table, shared=None))
    assert error(shared, 0, 1) < 0.7 * error(own, 0, 1)
    assert error(shared, 4, 5) > 1.3 * error(own, 4, 5)


def by_points(results: Iterable[Pair]) -> dict[str, Estimate]:
    return estimates(fit_points(*sum_pairs(results, hand_points)))


def test_deals_that_only_one_pairing_has_are_as_its_own() -> None:
    results = played(round_robin(5, 8), 5, 1.0, 0.0, np.random.default_rng(6))
    alone = [replace(one, deals=f"all/{place}") for place, one in enumerate(results)]
    own = [replace(one, deals=f"{one.entrant}:{one.opponent}/{place}") for place, one in enumerate(results)]
    for name, estimate in by_points(own).items():
        assert by_points(alone)[name].high == pytest.approx(estimate.high)
    assert sum_pairs(own, hand_points)[1].shared is None


def test_ratings_do_not_depend_on_the_order_of_play() -> None:
    results = played(ladder(10, 6, np.random.default_rng(7)), 10, 1.0, 0.5, np.random.default_rng(7))
    assert by_points(results) == by_points(reversed(results))


def test_a_league_with_shared_and_own_deals_can_be_rated() -> None:
    chance = np.random.default_rng(8)
    shared = played(round_robin(5, 8), 5, 1.0, 0.0, chance)
    own = [replace(one, deals=f"{one.entrant}:{one.opponent}/1") for one in played(round_robin(5, 8), 5, 1.0, 0.0, chance)]
    both, half = by_points([*shared, *own]), by_points(shared)
    assert all(both[name].high - both[name].low < half[name].high - half[name].low for name in both)


@pytest.mark.parametrize(
    ("deals", "note"), [(3, "few deals: a reliable interval needs at least 4 that the pairings share"), (4, "")]
)
def test_few_deals_are_named_as_what_limits_the_intervals(deals: int, note: str) -> None:
    found = by_points(played(round_robin(8, deals), 8, 1.0, 0.0, np.random.default_rng(9)))
    assert {one.note for one in found.values()} == {note}


def test_the_variances_are_those_whose_expected_sums_of_squares_are_found() -> None:
    meetings = [(0, 0, 1), (0, 0, 2), (0, 1, 2), (1, 0, 1), (1, 1, 2), (1, 2, 3), (2, 0, 1), (2, 2, 3)]
    deals, one, other = np.array(meetings).T
    count, size, own, alike = len(meetings), 4, 1.5, 4.0
    met = np.eye(size)[one] - np.eye(size)[other]
    suits = np.eye(3 * size)[size * deals + one] - np.eye(3 * size)[size * deals + other]  # by deals and entrant
    bread = np.linalg.pinv(met.T @ met)
    left = np.eye(count) - met @ bread @ met.T  # makes residuals of scores
    noise = left @ (own * np.eye(count) + alike * suits @ suits.T) @ left  # their covariances
    wanted = np.array([np.trace(noise), np.trace(suits.T @ noise @ suits)])
    sums, ways = np.linalg.eigh(left @ suits @ suits.T @ left)
    chosen = [int(np.flatnonzero(sums > 1e-9)[0]), -1]
    residuals = ways[:, chosen] @ np.sqrt(np.linalg.solve(np.stack([np.ones(2), sums[chosen]]), wanted))  # has both sums of squares
    pairs = SharedPairs(deals, one, other, np.ones(count), residuals)
    alone = np.ones((size, size))
    inflation, _ = deal_noise(pairs, 0 * alone, alone, bread, alone)
    assert inflation == pytest.approx((own + 2 * alike) * count / wanted[0])
