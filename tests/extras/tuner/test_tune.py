"""``arena tune``: the search is a pure function of its rounds; what it finds is judged by a duel on other deals."""

from collections.abc import Callable

import numpy as np
import pytest

from arena.extras.tuner.tune import Round, Tuner, summarize
from arena.parameters import Parameter

PARAMETERS: dict[str, Parameter[float]] = {"a": Parameter(0.2, 0.0, 1.0), "b": Parameter(10, 0, 10)}


def search(objective: Callable[[dict[str, float]], float], budget: int = 20_000, deviation: float = 18.0) -> Tuner:
    """Return what is known at the end of a search on a simulated objective."""
    rounds: list[Round] = []
    while True:
        tuner = Tuner(PARAMETERS, "seed", rounds)
        asked = tuner.next_candidates()
        if tuner.reason_to_end(budget) or not asked:
            return tuner
        random = np.random.default_rng(len(rounds))
        scores = [objective(values) + deviation * random.normal(size=80) for values in asked]
        rounds.append(summarize(asked, np.array(scores), 160 * len(asked)))


def peak(values: dict[str, float]) -> float:
    """Return a gain of 3 points where a is 0.7; b does nothing."""
    return 3 * (1 - ((values["a"] - 0.7) / 0.5) ** 2)


def test_a_planted_optimum_is_found_and_a_parameter_that_does_nothing_keeps_its_start() -> None:
    tuner = search(peak, deviation=2.0)
    assert tuner.best["a"] == pytest.approx(0.7, abs=0.1)
    assert tuner.best["b"] == 10
    assert tuner.gain(tuner.best).value == pytest.approx(3, abs=0.5)
    assert [value for value, _ in tuner.curve("b")] == list(range(11))


def test_where_no_parameter_matters_the_search_ends_early_and_keeps_the_start() -> None:
    tuner = search(lambda _: 0.0, deviation=2.0)
    assert tuner.reason_to_end(20_000) == "flat"
    assert tuner.best == tuner.start


@pytest.mark.process
def test_the_next_candidates_depend_on_nothing_but_the_seed_and_the_rounds() -> None:
    rounds = search(peak, budget=5_000).rounds
    assert Tuner(PARAMETERS, "seed", rounds).next_candidates() == Tuner(PARAMETERS, "seed", rounds).next_candidates()
    assert Tuner(PARAMETERS, "other", rounds).next_candidates() != Tuner(PARAMETERS, "seed", rounds).next_candidates()
    assert all(one != {"a": 0.2, "b": 10} for round_ in rounds for one in round_.candidates)


def test_a_round_knows_how_much_the_common_deals_correlate_and_in_how_many_blocks_a_candidate_played_as_the_start() -> None:
    random = np.random.default_rng(1)
    common = random.normal(0, 10, 400)
    scores = np.array([common + random.normal(0, 10, 400), common + random.normal(0, 10, 400), np.zeros(400)])
    found = summarize([{"a": 0.1}, {"a": 0.3}, {"a": 0.21}], scores, 2_400)
    assert found.correlation == pytest.approx(0.5, abs=0.1)
    assert found.errors[0] == pytest.approx(200**0.5 / 20, rel=0.1)
    assert found.errors[2] > 0
    assert found.differing == (400, 400, 0)


def test_the_scatter_of_one_result_that_differs_is_no_error_and_candidates_that_played_alike_count_as_one() -> None:
    once, often = [-13.0, *[0.0] * 7], np.random.default_rng(1).normal(0, 13, 8).tolist()
    alone = summarize([{"a": 0.1}, {"a": 0.3}], np.array([once, often]), 64)
    assert alone.differing == (1, 8)
    twice = summarize([{"a": 0.1}, {"a": 0.3}, {"a": 0.4}], np.array([once, often, often]), 64)
    both = twice.errors[1] * ((1 + twice.correlation) / 2) ** 0.5  # the error of the mean of the two
    assert both == pytest.approx(alone.errors[1], rel=0.1)
    none = summarize([{"a": 0.1}, {"a": 0.3}], np.array([[0.0] * 8, often]), 64)
    assert none.errors[0] > 0.2 * none.errors[1]


@pytest.mark.parametrize(("differing", "reason"), [(0, None), (3, None), (40, "narrow")])
def test_a_search_does_not_end_early_on_few_or_mostly_equal_results(differing: int, reason: str | None) -> None:
    # four rounds of fourteen hands a candidate once gave a gain of +7.3 [+4.6, +10.0], where the duel found -3.0 [-6.1, +0.4]
    gains = [(7.0 - 20 * (a - 0.7) ** 2) for a in (0.5, 0.6, 0.7, 0.8, 0.9)]
    tried = tuple({"a": a} for a in (0.5, 0.6, 0.7, 0.8, 0.9))
    found = Round(candidates=tried, gains=tuple(gains), errors=(0.1,) * 5, correlation=0.0, hands=70, differing=(differing,) * 5)
    tuner = Tuner({"a": PARAMETERS["a"]}, "seed", [found] * 4)
    assert tuner.reason_to_end(1_000) == reason
