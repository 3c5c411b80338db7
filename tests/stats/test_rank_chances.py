"""Whether the stated chance to be first is the true one; ``python tests/studies/ranks.py`` prints the table."""

import numpy as np
import pytest
from ranks import SETTINGS, Setting, SimulatedLeague, by_chance, by_setting, simulate, stated_and_true

LEAGUES = 40

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(600)]  # the fixture simulates 1,000 leagues


@pytest.fixture(scope="module")
def found() -> list[tuple[Setting, list[SimulatedLeague]]]:
    return [(setting, simulate(setting, LEAGUES)) for setting in SETTINGS]


@pytest.mark.slow
def test_over_all_leagues_what_is_stated_is_true(found: list[tuple[Setting, list[SimulatedLeague]]]) -> None:
    every = [one for _, leagues in found for one in leagues]
    stated, true = stated_and_true(every)
    assert stated == pytest.approx(true, abs=0.06)
    sure = stated_and_true([one for one in every if one.stated > 0.9])
    assert sure[1] > sure[0] - 0.06


@pytest.mark.slow
def test_in_every_kind_of_field_the_true_chance_is_in_the_range(found: list[tuple[Setting, list[SimulatedLeague]]]) -> None:
    """Within three standard errors, of equal, near-equal, spread, cyclic, sparse and disconnected fields.

    Results of exactly equal bots exclude that they are equal in a few leagues of a hundred, so 0.03 more is allowed.
    """
    for setting, leagues in found:
        low, high, true = np.array([(one.low, one.high, one.true) for one in leagues]).T
        assert np.mean(low - true) < 3 * np.std(low - true) / LEAGUES**0.5 + 0.03, setting
        assert np.mean(true - high) < 3 * np.std(true - high) / LEAGUES**0.5 + 0.03, setting


@pytest.mark.slow
def test_in_every_kind_of_field_the_intervals_of_places_hold(found: list[tuple[Setting, list[SimulatedLeague]]]) -> None:
    for setting, leagues in found:
        assert np.mean([one.places for one in leagues]) > 0.95, setting
        assert sum(not one.leader for one in leagues) <= 5, setting


def test_the_tables_have_a_row_for_every_setting() -> None:
    two = [(setting, simulate(setting, 2)) for setting in SETTINGS[:2]]
    assert [row.split(" | ")[0] for row in by_setting(two)][2:] == ["| 2 bots, 0 apart", "| 2 bots, 0.5 apart"]
    assert next(by_chance([one for _, leagues in two for one in leagues])).startswith("| learned between")
