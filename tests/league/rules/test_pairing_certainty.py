"""A statement about a league is wrong as rarely as its level says, whenever one stops."""

from itertools import combinations
from math import exp, log
from random import Random
from statistics import mean

import pytest
from msgspec.structs import replace
from support.leagues.events import pair, versions

from arena.league.rules.aims import OUTCOMES, POINTS, TopAim, certainty, log_wealth
from arena.stats.pairs import Pair

LEAGUES = 100


def noisy(number: int, outcome: int, chance: Random) -> Pair:
    """Return a pair of legs whose points have the noise of a match, with a sign that is given."""
    return pair("b000@1", "b001@1", number, outcome=outcome, points=abs(round(chance.gauss(0, 160))))


@pytest.mark.process
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("elo", [True, False])
def test_equal_bots_are_seldom_said_to_be_in_order_at_any_time(level: float, elo: bool) -> None:  # noqa: FBT001
    field, chance, wrong = versions(2), Random(1), 0
    for _ in range(LEAGUES):
        played = []
        for number in range(60):
            played.append(noisy(number, chance.choice((-1, 1)), chance))
            points = sum(one.capped_points for one in played)
            ranked = ["b000@1", "b001@1"] if points > 0 else ["b001@1", "b000@1"]
            if number % 5 == 4 and certainty(field, ranked, played, "order", level, elo=elo).sure:
                wrong += 1
                break
    assert wrong <= (1 - level) * LEAGUES


def on_shared_deals(number: int, chance: Random) -> list[Pair]:
    """Return a round of three equal bots, in which most of the noise is how well the deals suit each."""
    suits = [chance.gauss(0, 120) for _ in range(3)]
    points = {(one, other): suits[one] - suits[other] + chance.gauss(0, 60) for one, other in combinations(range(3), 2)}
    return [
        replace(
            pair(f"b00{one}@1", f"b00{other}@1", number, outcome=1 if net > 0 else -1, points=abs(round(net))),
            deals=f"r{number}/all/0",
        )
        for (one, other), net in points.items()
    ]


@pytest.mark.process
def test_on_shared_deals_equal_bots_are_seldom_said_to_be_in_order_either() -> None:
    field, chance, wrong = versions(3), Random(3), 0
    names = [version.id for version in field]
    for _ in range(LEAGUES):
        played: list[Pair] = []
        for number in range(40):
            played += on_shared_deals(number, chance)
            if number % 5 == 4 and any(
                certainty(field, [name, *(other for other in names if other != name)], played, TopAim(1), 0.8).decided
                for name in names
            ):
                wrong += 1
                break
    assert wrong <= 0.2 * LEAGUES


@pytest.mark.parametrize("elo", [True, False])
def test_a_better_bot_is_found_out(elo: bool) -> None:  # noqa: FBT001
    chance = Random(2)
    outcomes = chance.choices((-1, 0, 1), (1, 2, 3), k=400)
    played = [pair("b000@1", "b001@1", number, outcome=outcome) for number, outcome in enumerate(outcomes)]
    assert certainty(versions(2), ["b000@1", "b001@1"], played, "order", 0.95, elo=elo).sure


@pytest.mark.process
@pytest.mark.parametrize("elo", [True, False])
def test_how_soon_an_order_is_known_does_not_depend_on_whose_name_sorts_first(elo: bool) -> None:  # noqa: FBT001
    ranked = ["b000@1", "b001@1"]
    played = [pair("b000@1", "b001@1", number, outcome=outcome) for number, outcome in enumerate([1, 1, 0] * 50)]
    back = [replace(one, matches=one.matches[::-1], points=one.points[::-1], capped_points=-one.capped_points) for one in played]
    known = [
        [certainty(versions(2), order, pairs[:count], "order", 0.9, elo=elo).sure for count in range(len(played) + 1)]
        for order, pairs in ((ranked, played), (ranked[::-1], back))
    ]
    assert known[0] == known[1] == sorted(known[0])
    assert len(set(known[0])) == 2


def net(points: float, number: int) -> Pair:
    """Return a pair of legs of 20 deals in which the first bot scored ``points`` a hand."""
    return replace(pair("b000@1", "b001@1", number), capped_points=round(40 * points))


@pytest.mark.process
def test_a_bot_that_wins_a_little_and_throws_some_processes_away_is_seldom_called_the_better() -> None:
    """It gains 2 points a hand, but in 5 % of its processes it gives all hands away: its mean is -0.1."""
    chance, wrong = Random(4), 0
    for _ in range(LEAGUES):
        legs = [[2.0 if chance.random() < 0.95 else -40.0 for _ in range(2)] for _ in range(300)]
        played = [net(max(-40.0, mean(both) + chance.gauss(0, 2.7)), number) for number, both in enumerate(legs)]
        wrong += certainty(versions(2), ["b000@1", "b001@1"], played, "order", 0.95).sure
    assert wrong <= 0.05 * LEAGUES


def test_what_is_known_once_stays_known() -> None:
    played = [net(points, number) for number, points in enumerate([10.0] * 40 + [-10.0] * 40)]
    known = [certainty(versions(2), ["b000@1", "b001@1"], played[:count], "order", 0.9).sure for count in range(81)]
    assert known == sorted(known)
    assert known[40]


@pytest.mark.parametrize(("count", "share"), [(2, 1 / 4), (3, 1 / 24), (4, 1 / 72)])
def test_the_chances_to_be_wrong_that_all_comparisons_have_sum_to_the_level(count: int, share: float) -> None:
    """Each of the 2 (n - 1) questions between the n-th version and those before it has a share of 1 / (2 (n - 1)^2 n)."""
    field = versions(count)
    played = [pair(field[0].id, field[-1].id, number) for number in range(40)]
    for legs in range(40):
        wealth = log_wealth([1.0] * legs, OUTCOMES)
        known = certainty(field, [field[0].id, field[-1].id], played[:legs], "order", 0.9, elo=True).sure
        assert known == (wealth >= -log(0.1 * share))


def test_no_stake_depends_on_the_pair_that_it_is_settled_on() -> None:
    """Over both signs of the last score the mean wealth is what it was before: the game is fair."""
    before = [3.0, 1.0, 7.5, 2.0, 4.0, 8.0] * 20
    after = [exp(log_wealth([*before, last], POINTS)) for last in (0.2, -0.2)]
    assert after[1] == exp(log_wealth(before, POINTS)), "the largest wealth so far counts"
    assert after[0] > after[1]


def test_by_points_a_small_lead_over_short_legs_is_known_sooner_than_by_who_won() -> None:
    """The scores are those of legs of two deals."""
    chance = Random(3)
    leagues = [[chance.gauss(2.0, 6.3) for _ in range(200)] for _ in range(20)]
    by_points = mean(log_wealth(scores, POINTS) for scores in leagues)
    assert by_points > mean(log_wealth([(score > 0) - (score < 0) for score in scores], OUTCOMES) for scores in leagues) + 0.5
