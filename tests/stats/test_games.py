"""Games and matches from hands: against simulation, and where the answer is known."""

from math import comb, log
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from arena.gin.facts import GameScore, Seat
from arena.gin.rules import Rules
from arena.gin.rulesets import Hollywood, Oklahoma
from arena.records import Fixture, Result, SingleHand
from arena.stats import game_chances, games
from arena.stats.games import GameForm
from arena.stats.scales import Interval

POINTS = st.lists(st.integers(-90, 90).filter(bool), min_size=2, max_size=30)


def test_a_hand_a_game_and_best_of_three() -> None:
    found = games.chances(games.gather([10, 10, 10, -10]), GameForm(10, 3))
    assert found.game == pytest.approx(0.75)
    assert found.match == pytest.approx(0.75**2 * (1 + 2 * 0.25))
    assert found.game_hands == pytest.approx(1.0)
    assert found.match_hands == pytest.approx(2 * (0.75**2 + 0.25**2) + 3 * 2 * 0.75 * 0.25)


def test_a_bonus_that_is_added_at_once_counts_towards_the_target() -> None:
    hands = games.gather([10, 0, -30])
    at_once = games.chances(hands, GameForm(60, 1, 20))
    assert at_once.game == pytest.approx(games.chances(games.gather([30, 0, -50]), GameForm(60, 1)).game)
    assert games.chances(hands, GameForm(60, 1)).game != at_once.game


def test_the_form_of_games_follows_from_the_rules_or_is_not_known() -> None:
    class Longest(Rules, frozen=True, kw_only=True, tag="longest"):
        """Ends after ten hands."""

        def ended_by(self, game: GameScore) -> Seat | None:
            return super().ended_by(game) if game.hands < 10 else 0

    assert GameForm.of(Rules(hand_bonus=20)) == GameForm(250, 5)
    assert GameForm.of(Oklahoma(hand_bonus=20, hand_bonus_added="at_once")) == GameForm(150, 1, 20)
    assert GameForm.of(Hollywood()) is None
    assert GameForm.of(Longest()) is None


def test_points_are_those_of_the_first_bot_in_either_seat() -> None:
    singles = (SingleHand(20), SingleHand(-7))
    legs = [
        Result(fixture=Fixture(name, seats, "d", 2), winner=None, games=(0, 0), points=(20, 7), hands=2, singles=singles)
        for name, seats in (("0", ("a", "b")), ("1", ("b", "a")))
    ]
    assert list(game_chances.net_points("a", legs)) == [20, -7, -20, 7]


def test_equity_solves_the_problem_of_points() -> None:
    table = games.equity(games.gather([1, -1]), 3)
    ways = [[sum(comb(5 - a - b, n) for n in range(3 - a, 6 - a - b)) / 2 ** (5 - a - b) for b in range(3)] for a in range(3)]
    assert table == pytest.approx(np.array(ways))


@pytest.mark.process
@given(points=POINTS)
def test_the_chances_of_both_sides_sum_to_one(points: list[int]) -> None:
    hands = games.gather(points)
    other = games.gather([-net for net in points])
    assert games.chances(hands, GameForm(50, 5)).game == pytest.approx(1 - games.chances(other, GameForm(50, 5)).game)


def test_dead_hands_only_make_games_longer() -> None:
    live, dead = (games.chances(games.gather(points), GameForm(250, 5)) for points in ([20, -10], [20, -10, 0, 0]))
    assert dead.game == pytest.approx(live.game)
    assert dead.game_hands == pytest.approx(2 * live.game_hands)


def test_chances_and_lengths_agree_with_simulation() -> None:
    chance, points = Random(1), [25, 31, 8, -12, -40, 0, 3, -25]
    won = hands = 0
    for _ in range(4000):
        score = [0, 0]
        while max(score) < 250:
            net = chance.choice(points)
            score[net < 0] += abs(net)
            hands += 1
        won += score[0] >= 250
    found = games.chances(games.gather(points), GameForm(250, 5))
    assert found.game == pytest.approx(won / 4000, abs=0.03)
    assert found.game_hands == pytest.approx(hands / 4000, rel=0.02)


@given(points=POINTS, share=st.floats(0.05, 0.95))
def test_hands_can_be_tilted_to_any_reachable_mean(points: list[int], share: float) -> None:
    hands = games.mirror(games.gather(points))
    mean = (2 * share - 1) * 0.9 * float(hands.points.max())
    assert games.tilt_to(hands, mean).mean == pytest.approx(mean, abs=1e-6)


def test_mirrored_hands_are_as_likely_for_one_side_as_for_the_other() -> None:
    even = games.mirror(games.gather([10, 10, -10, 3]))
    assert (even.points.tolist(), even.chances.tolist()) == ([-10, -3, 3, 10], [3 / 8, 1 / 8, 1 / 8, 3 / 8])


def test_tilting_to_the_same_mean_changes_nothing() -> None:
    hands = games.gather([1, 2, 3, -30])
    assert games.tilt_to(hands, hands.mean).chances == pytest.approx(hands.chances, abs=1e-9)


@pytest.mark.parametrize("chance", [0.45, 0.5, 0.525, 0.55, 0.7])
def test_walds_sample_size_agrees_with_simulation(chance: float) -> None:
    random, taken = Random(1), 0
    for _ in range(300):
        evidence = 0.0
        while abs(evidence) < log(19):
            evidence += log(0.55 / 0.5) if random.random() < chance else log(0.45 / 0.5)
            taken += 1
    assert games.wald(chance, 0.5, 0.55, 0.05, 0.05) == pytest.approx(taken / 300, rel=0.15)


@pytest.mark.parametrize("chance", [0.0, 1e-9, 1 - 1e-9, 1.0])
def test_if_one_side_always_wins_the_sample_size_is_small(chance: float) -> None:
    assert 0 < games.wald(chance, 0.499, 0.501, 0.05, 0.05) < 1000


def test_walds_sample_size_at_either_rate_follows_from_the_error_levels() -> None:
    # Wald (1945), 3.57: at the first rate H1 is accepted with the chance alpha, at the second H0 with the chance beta
    alpha, beta, zero, one = 0.05, 0.1, 0.5, 0.6
    upper, lower = log((1 - beta) / alpha), log(beta / (1 - alpha))
    drift = {chance: chance * log(one / zero) + (1 - chance) * log((1 - one) / (1 - zero)) for chance in (zero, one)}
    sizes = [games.wald(chance, zero, one, alpha, beta) for chance in (zero, one)]
    assert sizes[0] == pytest.approx((alpha * upper + (1 - alpha) * lower) / drift[zero])
    assert sizes[1] == pytest.approx(((1 - beta) * upper + beta * lower) / drift[one])


def test_a_walk_that_reaches_one_bound_alone_takes_its_distance_over_the_drift() -> None:
    alpha, beta = 1e-6, 1e-7
    drift = 0.999 * log(0.501 / 0.499) + 0.001 * log(0.499 / 0.501)
    assert games.wald(0.999, 0.499, 0.501, alpha, beta) == pytest.approx(log((1 - beta) / alpha) / drift)
    assert games.wald(0.001, 0.499, 0.501, alpha, beta) == pytest.approx(log((1 - alpha) / beta) / drift)


def test_in_games_of_one_hand_a_difference_in_points_is_one_in_chances() -> None:
    def won(chance: float) -> float:
        return chance**2 * (3 - 2 * chance)  # best of three

    difference, form, shares = Interval(1.0, -1.0, 4.0), GameForm(10, 3), (0.55, 0.45, 0.7)
    found = game_chances.implied_chances([10, -10, 10, -10], difference, (0.0, 2.0), (0.05, 0.1), form)
    assert found
    assert astuple(found.games) == pytest.approx(shares)
    assert astuple(found.matches) == pytest.approx([won(share) for share in shares])
    tested = games.wald(won(0.55), won(0.5), won(0.6), 0.05, 0.1)
    assert found.match_wins == pytest.approx(tested * (2 + 2 * 0.55 * 0.45))
    by_field = game_chances.chances_by_field([10, 10, 10, -10], difference, form)
    assert by_field
    assert astuple(by_field.games) == pytest.approx(shares)
    assert astuple(by_field.matches) == pytest.approx([won(share) for share in shares])
    assert game_chances.chances_by_field([0, 0], difference, form) is None


def test_walds_sample_size_without_drift_is_the_limit_of_those_with_little() -> None:
    zero, one = 0.3, 0.4
    level = log((1 - zero) / (1 - one)) / (
        log(one / zero) + log((1 - zero) / (1 - one))
    )  # the chance at which the walk stays level
    sizes = [games.wald(level + beside, zero, one, 0.05, 0.05) for beside in (-1e-4, 0.0, 1e-4)]
    assert sizes == pytest.approx([sizes[0]] * 3, rel=1e-3)


def test_win_rates_that_are_rounded_to_0_or_1_have_a_sample_size() -> None:
    assert 0 < games.wald(0.5, 0.5, 1.0, 0.05, 0.05) < 100
    assert 0 < games.wald(0.5, 0.0, 0.5, 0.05, 0.05) < 100
    assert 0 < games.wald(1.0, 0.0, 1.0, 0.05, 0.05) < 100


def test_a_game_without_scoring_hands_never_ends() -> None:
    assert np.isnan(games.equity(games.gather([0, 0]), 10)).all()


def test_a_hand_of_many_points_leaves_no_chance_undefined() -> None:
    found = game_chances.implied_chances([0, 0, 500], Interval(167.0, -60.0, 60.0), (0.0, 0.5), (0.05, 0.05), GameForm(100, 5))
    assert found is not None
    assert found.games == found.matches == Interval(1.0, 1.0, 1.0)
