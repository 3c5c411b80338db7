"""Results that look like help: within a team, all meetings together, and between two entrants of different teams."""

from itertools import count
from math import log
from statistics import NormalDist

import numpy as np
import pytest
from msgspec.structs import astuple

from arena.stats.comparisons import TABLES, Array, Comparisons
from arena.stats.fit import least_squares
from arena.stats.help import FALSE_ALARM, HONEST, Surplus, evidence_of_help, signs_of_help

NAMES = list("abcdefghi")
TEAMS = {name: "ann" if name in "abc" else name for name in NAMES}
JOINED = {name: number for number, name in enumerate(NAMES, 1)}


def table(more: dict[tuple[str, str], float], meetings: int = 4) -> Comparisons:
    """Return meetings of 20 pairs of hands between every two of nine equal entrants, in which some score more against others."""
    chance = np.random.default_rng(3)
    tables = np.zeros((6, 9, 9))
    for one in range(9):
        for other in range(one):
            lead = more.get((NAMES[one], NAMES[other]), 0.0) - more.get((NAMES[other], NAMES[one]), 0.0)
            nets: Array = 40 * (lead + chance.normal(0, 2.7, meetings))
            hands, score = 40.0, float(nets.sum())
            tables[:, one, other] = meetings * hands, score, meetings * hands**2, hands * score, (nets**2).sum(), meetings
            tables[:, other, one] = meetings * hands, -score, meetings * hands**2, -hands * score, (nets**2).sum(), meetings
    return Comparisons(*tables)


def found(more: dict[tuple[str, str], float], meetings: int = 4) -> list[Surplus]:
    return signs_of_help(NAMES, table(more, meetings), TEAMS, JOINED)


def test_honest_entrants_show_nothing() -> None:
    assert found({}) == []


def test_help_of_several_of_a_team_counts_together() -> None:
    (sign,) = [one for one in found({("a", "b"): 9.0, ("a", "c"): 9.0}) if one.one == "a"]
    assert sign.others == ("b", "c")
    assert 5 < sign.more < 13


def test_help_of_a_stranger_is_found_too() -> None:
    (sign,) = found({("d", "e"): 25.0}, meetings=12)
    assert (sign.one, sign.others) == ("d", ("e",))


def test_a_surplus_of_strangers_is_what_the_ratings_without_their_own_meetings_do_not_predict() -> None:
    played = table({("d", "e"): 25.0}, meetings=12)
    ones, friends = np.ones((9, 9)), np.ones((9, 9))
    ones[3, 4] = ones[4, 3] = 0
    friends[:3, :3] = 0
    values = least_squares(Comparisons(*(one * ones * friends for one in astuple(played)[:TABLES]))).values
    (sign,) = signs_of_help(NAMES, played, TEAMS, JOINED)
    assert sign.more == pytest.approx(played.score[3, 4] / played.weight[3, 4] - (values[3] - values[4]))


def test_the_surplus_against_a_team_is_that_of_all_meetings_with_its_members() -> None:
    played, friends = table({("a", "b"): 9.0, ("a", "c"): 9.0}), np.zeros((9, 9))
    friends[:3, :3] = 1
    fit = least_squares(Comparisons(*(one * (1 - friends) for one in astuple(played)[:TABLES])))
    lever = np.array([1, -0.5, -0.5, *[0.0] * 6])
    more = played.score[0, 1:3].sum() / 320 - lever @ fit.values
    variance = fit.noise.sum() / (played.weight * (1 - friends)).sum() / 320 + lever @ fit.covariance @ lever
    (sign,) = [one for one in signs_of_help(NAMES, played, TEAMS, JOINED) if one.one == "a"]
    assert sign.more == pytest.approx(more)
    assert sign.evidence == pytest.approx(evidence_of_help(more, variance, HONEST**2 / 2))


@pytest.mark.parametrize(("more", "late", "tests"), [({("a", "b"): 7.0, ("a", "c"): 7.0}, "a", 1), ({("d", "e"): 14.0}, "e", 2)])
def test_a_surplus_is_reported_if_its_evidence_outweighs_all_tests_that_could_be_made(
    more: dict[tuple[str, str], float], late: str, tests: int
) -> None:
    played = table(more, meetings=12)
    (sign,) = signs_of_help(NAMES, played, TEAMS, JOINED)

    def needed(number: int) -> float:
        """Half of the alarms are for each kind, and of that 1 / (n (n + 1)) for entrant n, or that for each of n - 1 pairings."""
        return log(2 * number * (number + 1) * (1 if tests == 1 else number - 1) / FALSE_ALARM)

    last = next(number for number in count(9) if needed(number + 1) > sign.evidence)
    for number in (last, last + 1):
        found = signs_of_help(NAMES, played, TEAMS, JOINED | {late: number})
        assert [one.one for one in found] == ([sign.one] if number == last else [])


def test_help_is_found_at_the_first_meeting() -> None:
    assert [one.one for one in found({("a", "b"): 20.0}, meetings=1)] == ["a"]


def test_nobody_has_nothing_to_show() -> None:
    assert signs_of_help([], Comparisons(*np.zeros((6, 0, 0))), {}, {}) == []


@pytest.mark.parametrize(("honest", "help_"), [(4.0, 100.0), (100.0, 400.0)])
def test_help_is_as_large_as_is_typical_or_twice_the_deviation_of_honest_bots(honest: float, help_: float) -> None:
    one, other = NormalDist(0, (9 + help_) ** 0.5), NormalDist(0, (9 + honest) ** 0.5)
    assert evidence_of_help(12.0, 9.0, honest) == pytest.approx(log(one.pdf(12) / other.pdf(12)))


def test_evidence_is_a_likelihood_ratio_whose_mean_is_one_under_honest_play() -> None:
    variance, honest = 9.0, 4.0
    deviation = (variance + honest) ** 0.5
    more, step = np.linspace(-100, 100, 20_001, retstep=True)
    density = np.exp(-0.5 * (more / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))
    ratio = np.exp([evidence_of_help(one, variance, honest) for one in more.tolist()])
    assert abs((density * ratio).sum() * step - 1) < 1e-6
