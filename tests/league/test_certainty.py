"""A statement about a league is wrong as rarely as its level says, whenever one stops."""

from random import Random

import pytest
from leagues import pair, versions

from arena.league.certainty import certainty

LEAGUES = 300


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_equal_bots_are_seldom_said_to_be_in_order_at_any_time(level: float) -> None:
    field, chance, wrong = versions(2), Random(1), 0
    for _ in range(LEAGUES):
        played = []
        for number in range(60):
            played.append(pair("b000@1", "b001@1", number, outcome=chance.choice((-1, 0, 1))))
            points = sum(one.outcome for one in played)
            ranked = ["b000@1", "b001@1"] if points > 0 else ["b001@1", "b000@1"]
            if certainty(field, ranked, played, "order", level).sure:
                wrong += 1
                break
    assert wrong <= (1 - level) * LEAGUES


def test_a_better_bot_is_found_out() -> None:
    chance = Random(2)
    outcomes = chance.choices((-1, 0, 1), (1, 2, 3), k=400)
    played = [pair("b000@1", "b001@1", number, outcome=outcome) for number, outcome in enumerate(outcomes)]
    assert certainty(versions(2), ["b000@1", "b001@1"], played, "order", 0.95).sure
