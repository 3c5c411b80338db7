"""Whether league tables are right, by simulation; each study prints its whole table."""

import numpy as np
import pytest
from helping import simulate as simulate_help
from intervals import simulate
from resubmitting import STRATEGIES, stands_first

from arena.stats import ranks

LEAGUES = 40


@pytest.mark.slow
@pytest.mark.parametrize("field", [pytest.param("equal", marks=pytest.mark.nightly), "normal, 0.6 apart"])
def test_intervals_hold_where_results_decide_who_plays(field: str) -> None:
    seen = simulate(field, "top: 1", 12, 8, LEAGUES)
    shown, measured = zip(*seen, strict=True)
    assert np.mean([one.covered for one in shown]) > 0.94
    assert np.mean([one.leader for one in shown]) > 0.85 > np.mean([one.leader for one in measured])


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", ["a version each round", "another name each round"])
def test_submitting_again_until_lucky_gains_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "DRAWS", 200)
    strategy = next(one for one in STRATEGIES if one.name == name)
    first = np.mean([stands_first(strategy, "order", 24, np.random.default_rng(seed)) for seed in range(LEAGUES)])
    assert first < 1 / 8 + 3 * (1 / 8 * 7 / 8 / LEAGUES) ** 0.5


@pytest.mark.slow
def test_help_of_one_author_is_noted_and_honest_play_is_not() -> None:
    chance = np.random.default_rng(1)
    helped = [simulate_help("equal", "order", 24, chance, help_of=15.0, one_author=True).after for _ in range(10)]
    honest = [simulate_help("equal", "order", 24, chance, help_of=0.0, one_author=True).after for _ in range(10)]
    assert sum(after is not None for after in helped) >= 8
    assert honest == [None] * 10
