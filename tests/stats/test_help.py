"""Results that look like help: within a team, all meetings together, and between two entrants of different teams."""

import numpy as np
import pytest
from msgspec.structs import astuple

from arena.stats.fit import TABLES, Array, Comparisons, least_squares
from arena.stats.help import Surplus, evidence_of_help, signs_of_help

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


def test_help_is_found_at_the_first_meeting() -> None:
    assert [one.one for one in found({("a", "b"): 20.0}, meetings=1)] == ["a"]


def test_nobody_has_nothing_to_show() -> None:
    assert signs_of_help([], Comparisons(*np.zeros((6, 0, 0))), {}, {}) == []


def test_evidence_is_a_likelihood_ratio_whose_mean_is_one_under_honest_play() -> None:
    variance, honest = 9.0, 4.0
    deviation = (variance + honest) ** 0.5
    more, step = np.linspace(-100, 100, 20_001, retstep=True)
    density = np.exp(-0.5 * (more / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))
    ratio = np.exp([evidence_of_help(one, variance, honest) for one in more.tolist()])
    assert abs((density * ratio).sum() * step - 1) < 1e-6
