"""A comparison has a standardised effect, and the p-values that its evidence bounds."""

from math import exp, log

import pytest

from arena.stats.duels import _effect, _p_values, of_same_program


@pytest.mark.parametrize(
    ("better", "worse", "p"), [(log(20), -3.0, (0.05, 1.0)), (0.0, log(4), (1.0, 0.25)), (-1.0, -1.0, (1.0, 1.0))]
)
def test_a_p_value_is_one_over_the_evidence_and_at_most_one(better: float, worse: float, p: tuple[float, float]) -> None:
    assert _p_values(better, worse) == pytest.approx(p)
    assert _p_values(5000.0, 0.0)[0] == exp(-5000.0)


def test_an_effect_is_the_mean_in_standard_deviations_of_one_deal() -> None:
    assert _effect([1.0, 3.0], [1, 1]) == pytest.approx(2 / 2**0.5)
    assert _effect([1.0, 3.0], [4, 4]) == pytest.approx(2 / (2 * 2**0.5)), "a block of four deals has half the deviation of a deal"


@pytest.mark.parametrize("scores", [[], [1.0], [2.0, 2.0]])
def test_without_scatter_there_is_no_effect(scores: list[float]) -> None:
    assert _effect(scores, [1] * len(scores)) is None


def test_the_same_program_has_no_evidence_against_anything() -> None:
    outcome = of_same_program((0.0, 1.0), (0.05, 0.05), "points a hand")
    assert (outcome.p, outcome.effect) == ((1.0, 1.0), None)
