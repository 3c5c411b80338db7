"""Whether the stated chance to be first is the true one; ``python tests/studies/ranks.py`` prints the table."""

import pytest
from ranks import SETTINGS, Setting, SimulatedLeague, by_chance, by_setting, simulate, stated_and_true

LEAGUES = 40

pytestmark = pytest.mark.timeout(600)  # the fixture simulates 1,000 leagues


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
def test_equal_bots_are_stated_far_less_surely_than_by_the_errors_alone(
    found: list[tuple[Setting, list[SimulatedLeague]]],
) -> None:
    for setting, leagues in found:
        if setting.size > 2 and not setting.spread and not setting.special:
            stated, true = stated_and_true(leagues)
            by_errors = sum(one.by_errors for one in leagues) / LEAGUES
            assert stated - true < 0.75 * (by_errors - true)


def test_the_tables_have_a_row_for_every_setting() -> None:
    two = [(setting, simulate(setting, 2)) for setting in SETTINGS[:2]]
    assert [row.split(" | ")[0] for row in by_setting(two)][2:] == ["| 2 bots, 0 apart", "| 2 bots, 0.5 apart"]
    assert next(by_chance([one for _, leagues in two for one in leagues])).startswith("| stated between")
