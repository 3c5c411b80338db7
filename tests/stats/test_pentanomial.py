from math import exp, isfinite, log, log10, sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arena.errors import InputError
from arena.stats.pentanomial import (
    NORMALIZED,
    Model,
    Sample,
    chernoff,
    divergence,
    pentanomial_sprt,
    strength,
    with_mean,
    with_mean_in_deviations,
)

KNOWN = (120, 0, 260, 0, 160)
MODELS: tuple[Model, ...] = ("normalized", "logistic")
COUNTS = st.lists(st.one_of(st.integers(0, 3), st.integers(0, 10**5)), min_size=5, max_size=5)


@pytest.mark.parametrize(("model", "llr"), [("normalized", 2.7377), ("logistic", 2.7226)])
def test_the_likelihood_ratio_agrees_with_published_values(model: Model, llr: float) -> None:
    assert pentanomial_sprt(KNOWN, 0, 20, model).llr == pytest.approx(llr, abs=5e-5)


def test_elo_and_superiority_agree_with_published_values() -> None:
    found = strength(KNOWN)
    low, high = found.elo_interval
    assert low is not None
    assert high is not None
    assert found.elo == pytest.approx(25.78, abs=0.005)
    assert (high - low) / 2 == pytest.approx(21.13, abs=0.005)
    assert found.los == pytest.approx(0.9919, abs=5e-5)
    assert found.normalized_elo == pytest.approx(25.41, abs=0.005)


def test_a_test_ends_at_wald_s_bounds() -> None:
    found = pentanomial_sprt(KNOWN, 0, 20, alpha=0.05, beta=0.1)
    assert [found.lower, found.upper] == pytest.approx([log(0.1 / 0.95), log(0.9 / 0.05)])
    assert pentanomial_sprt([10 * count for count in KNOWN], 0, 20).state == "accept H1"
    assert pentanomial_sprt([10 * count for count in KNOWN[::-1]], 0, 20).state == "accept H0"
    assert pentanomial_sprt(KNOWN, 0, 20).state == "continue"


def test_no_pairs_give_no_numbers_instead_of_zeros() -> None:
    found = pentanomial_sprt((0, 0, 0, 0, 0), 0, 5)
    assert (found.state, found.llr, found.elo, found.los) == ("no pairs", None, None, None)
    assert "no pairs" in found.note


def test_only_wins_give_only_a_lower_end_and_a_note() -> None:
    found = strength((0, 0, 0, 0, 100))
    assert found.elo is None
    assert found.elo_interval[0] == pytest.approx(570.03, abs=0.01)
    assert found.elo_interval[1] is None
    assert found.los == pytest.approx(1.0)
    assert "every game was won" in found.note


def test_one_pair_gives_a_wide_interval() -> None:
    drawn, won = strength((0, 0, 1, 0, 0)), strength((0, 0, 0, 0, 1))
    assert list(drawn.elo_interval) == pytest.approx([-1522.4, 1522.4], abs=0.1)
    assert won.los == pytest.approx(0.75)


def test_the_interval_stays_below_one_with_a_single_lost_pair() -> None:
    low, high = strength((1, 0, 0, 0, 100_000)).elo_interval
    assert low is not None
    assert high is not None
    assert low < 2000 < high


@pytest.mark.parametrize(("pairs", "few"), [((5, 0, 100, 0, 4), True), ((5, 0, 100, 0, 5), False), ((0, 0, 0, 30, 400), False)])
def test_fewer_than_ten_pairs_that_differ_have_chernoffs_interval(pairs: tuple[int, ...], *, few: bool) -> None:
    found = strength(pairs)
    assert found.note.startswith("fewer than 10 pairs differ") is few
    if few:
        low, high = chernoff(0.5 - 0.5 / 109, 109)
        assert found.elo_interval == pytest.approx((-400 * log10(1 / low - 1), -400 * log10(1 / high - 1)))


def test_chernoffs_interval_ends_where_the_divergence_is_that_of_the_level() -> None:
    for end in chernoff(0.3, 40):
        assert 40 * divergence(0.3, end) == pytest.approx(log(2 / 0.05))
        assert divergence(0.3, end) == pytest.approx(0.3 * log(0.3 / end) + 0.7 * log(0.7 / (1 - end)))


def test_a_sample_without_draws_is_rated() -> None:
    found = strength((40, 0, 0, 0, 60))
    assert found.note == ""
    assert found.elo == pytest.approx(400 * log(1.5) / log(10), abs=0.01)


@given(COUNTS, st.sampled_from(MODELS), st.floats(-150, 150), st.floats(0.5, 50))
def test_any_sample_gives_finite_numbers_or_a_note(counts: list[int], model: Model, elo0: float, width: float) -> None:
    found = pentanomial_sprt(counts, elo0, elo0 + width, model)
    numbers = [found.llr, found.elo, *found.elo_interval, found.los, found.normalized_elo]
    assert all(number is None or isfinite(number) for number in numbers)
    assert found.note or None not in numbers
    low, high = found.elo_interval
    if found.elo is not None:
        assert low is None or low <= found.elo + 1e-9
        assert high is None or found.elo <= high + 1e-9
    assert (found.llr is None) == (sum(counts) == 0)


@pytest.mark.process
@given(COUNTS, st.sampled_from(MODELS))
def test_swapping_the_two_reverses_all_numbers(counts: list[int], model: Model) -> None:
    assume(sum(counts))
    there, back = pentanomial_sprt(counts, -10, 30, model), pentanomial_sprt(counts[::-1], -30, 10, model)
    assert there.llr is not None
    assert there.llr == pytest.approx(-(back.llr or 0.0), rel=1e-3, abs=1e-4)
    if there.elo is not None and back.elo is not None and there.los is not None and back.los is not None:
        assert there.elo == pytest.approx(-back.elo, abs=1e-6)
        assert there.los == pytest.approx(1 - back.los, abs=1e-9)


@given(COUNTS, st.floats(0.05, 0.95), st.floats(-0.8, 0.8))
def test_the_nearest_distribution_sums_to_one_and_meets_its_constraint(counts: list[int], mean: float, deviations: float) -> None:
    cells = [count or 1e-3 for count in counts]
    observed = Sample(tuple(cell / sum(cells) for cell in cells))
    by_mean, by_deviations = with_mean(observed, mean), with_mean_in_deviations(observed, deviations)
    assert sum(by_mean.chances) == pytest.approx(1.0, abs=1e-5)
    assert by_mean.mean == pytest.approx(mean, abs=1e-5)
    assert by_deviations.mean - 0.5 == pytest.approx(deviations * by_deviations.deviation, abs=1e-5)
    assert by_mean.cost >= -1e-9


def test_the_nearest_distribution_is_the_observed_one_if_that_fits() -> None:
    observed = Sample((0.1, 0.2, 0.3, 0.25, 0.15))
    nearest = with_mean(observed, observed.mean)
    assert nearest.chances == pytest.approx(observed.chances)
    assert nearest.cost == pytest.approx(0.0, abs=1e-12)


def test_normalized_elo_is_the_mean_in_deviations_of_one_game() -> None:
    sample = Sample((0.25, 0.0, 0.25, 0.0, 0.5))
    found = strength([1000 * chance for chance in sample.chances])
    assert found.normalized_elo == pytest.approx((sample.mean - 0.5) / (sample.deviation * sqrt(2)) * NORMALIZED, rel=1e-3)


def test_chernoffs_interval_is_exact_if_everything_was_won() -> None:
    assert list(chernoff(1.0, 20)) == pytest.approx([exp(log(0.025) / 20), 1.0])
    assert divergence(0.3, 0.3) == 0.0


@pytest.mark.parametrize(
    "invalid",
    [
        {"pentanomial": (1, 2, 3, 4)},
        {"pentanomial": (1, 2, 3, 4, -5)},
        {"pentanomial": (1, 2, 3, 4, 10**9)},
        {"elo0": 5.0, "elo1": 5.0},
        {"elo0": -201.0},
        {"alpha": 0.6, "beta": 0.4},
        {"alpha": 0.0},
        {"beta": 0.0},
    ],
)
def test_invalid_arguments_are_refused(invalid: dict[str, object]) -> None:
    arguments: dict[str, object] = {"pentanomial": KNOWN, "elo0": 0.0, "elo1": 5.0} | invalid
    with pytest.raises(InputError, match="expected"):
        pentanomial_sprt(**arguments)  # type: ignore[arg-type] # each is of its type; mypy cannot see which
