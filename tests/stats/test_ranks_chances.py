"""Whether it is true who is called the strongest; ``python tests/studies/ranks.py`` prints the tables."""

from itertools import pairwise

import numpy as np
import pytest
from ranks import BINS, CHANCES, SETTLED, Field, StatedChance, ahead, chance_table, chances, elo, settled, settled_table
from support.sizes import mostly_nightly, size

LEAGUES = size(40, 100)

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def found() -> list[tuple[Field, list[StatedChance]]]:
    return [(field, chances(field, LEAGUES)) for field in CHANCES]


@pytest.mark.slow
@pytest.mark.nightly
def test_in_no_kind_of_field_is_the_stated_chance_above_the_truth(found: list[tuple[Field, list[StatedChance]]]) -> None:
    """Within three standard errors."""
    for field, leagues in found:
        beyond = np.array([one.low - one.true for one in leagues])
        assert beyond.mean() < 3 * beyond.std() / LEAGUES**0.5 + 0.03, field.name
        short = np.array([one.true - one.high for one in leagues])
        assert short.mean() < 3 * short.std() / LEAGUES**0.5 + 0.03, field.name
        assert np.mean([one.places for one in leagues]) > 0.95, field.name


@pytest.mark.slow
@pytest.mark.nightly
def test_over_all_leaders_a_chance_that_is_stated_is_true_as_often(found: list[tuple[Field, list[StatedChance]]]) -> None:
    every = [one for _, leagues in found for one in leagues]
    for name in ("low", "stated"):
        for bottom, top in pairwise(BINS):
            inside = np.array([(getattr(one, name), one.true) for one in every if bottom < getattr(one, name) <= top])
            if len(inside) > 50:
                above = inside[:, 0] - inside[:, 1]
                assert above.mean() < 3 * above.std() / len(inside) ** 0.5 + 0.04, (name, bottom)


@pytest.mark.slow
@pytest.mark.parametrize("field", mostly_nightly(SETTLED, *SETTLED[::8]), ids=lambda field: field.name)
def test_what_is_settled_at_some_look_is_wrong_at_most_one_time_in_twenty(field: Field) -> None:
    leagues = settled(field, size(60, 200))
    noise = 2 * (0.05 * 0.95 / len(leagues)) ** 0.5
    assert np.mean([one.wrong for one in leagues]) <= 0.05 + noise
    assert np.mean([one.lost for one in leagues]) <= 0.025 + noise


@pytest.mark.process
def test_of_two_equal_bots_ahead_of_others_none_is_called_likely_the_strongest() -> None:
    for field in (ahead(2, 8, 3.0), ahead(3, 8, 4.0), elo("0, 0, -0.9, -8", 2, 0.0, 0.0, -0.9, -8.0)):
        assert np.mean([one.low for one in chances(field, 30)]) < 0.5


@pytest.mark.process
def test_a_bot_that_is_six_errors_ahead_is_settled() -> None:
    leagues = settled(ahead(1, 8, 6.0), 20)
    assert sum(one.settled for one in leagues) > 14
    assert not any(one.wrong for one in leagues)


def test_the_tables_have_a_row_for_every_field() -> None:
    two = CHANCES[:2]
    rows = list(chance_table((field, chances(field, 2)) for field in two))
    assert [row.split(" | ")[0] for row in rows[2:4]] == [f"| {field.name}" for field in two]
    assert [row.split(" | ")[0] for row in settled_table((field, settled(field, 1)) for field in two)][2:] == [
        f"| {field.name}" for field in two
    ]
