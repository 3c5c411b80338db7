"""The standing proof: bots with moods, of real hands, judged by the classes that arena ships.

``tests/studies/verdict_study.py`` says how the hands are drawn, and prints the same numbers as tables.
"""

from collections.abc import Callable

import numpy as np
import pytest
import verdict_study as study
from recorded_hands import Meetings
from support.sizes import mostly_nightly, size
from verdict_costs import drawn
from verdict_study import BOUND, FIELD_BOUND, HONEST, MOODS, MOST_HANDS, MoodyBot, largest

from arena.stats.scales import DIFFERENCES
from arena.tournament.formats.tested import LEG

RUNS = size(400, 2000)
NOISE = 2 * (0.05 * 0.95 / RUNS) ** 0.5  # two standard errors
ERROR = 0.05 + NOISE / 2


def name(bot: MoodyBot) -> str:
    return f"{bot.name}, by {bot.by}"


@pytest.mark.slow
@pytest.mark.nightly  # other hands and moods of what test_error_rates.py shows
@pytest.mark.parametrize("bot", MOODS, ids=name)
def test_a_bot_with_a_rare_mood_is_called_not_weaker_at_most_one_time_in_twenty(bot: MoodyBot) -> None:
    found = largest(bot.draw, BOUND, RUNS)
    assert found.better <= ERROR
    assert found.covered >= 0.95 - NOISE


@pytest.mark.slow
@pytest.mark.parametrize("played", HONEST.values(), ids=HONEST)
def test_a_bot_without_moods_at_a_bound_is_called_wrongly_at_most_one_time_in_twenty(played: Callable[[], Meetings]) -> None:
    found = largest(drawn(played(), BOUND), BOUND, RUNS)
    assert max(found.better, found.worse) <= 0.05 + NOISE
    assert found.covered >= 0.95 - NOISE


@pytest.mark.slow
@pytest.mark.parametrize(("way", "draw"), mostly_nightly(study.WAYS, *study.WAYS[::4]), ids=[way for way, _ in study.WAYS])
def test_a_way_in_is_closed_or_named_among_the_assumptions(way: str, draw: study.Draw) -> None:
    found = largest(draw, BOUND, RUNS)
    assert (found.better > 0.3) if way.startswith("outside") else (found.better <= ERROR)


@pytest.mark.slow
@pytest.mark.nightly  # other hands and moods of what test_error_rates.py shows
@pytest.mark.parametrize(("baseline", "bot"), study.FIELD_MOODS, ids=[f"{one} and {name(two)}" for one, two in study.FIELD_MOODS])
def test_a_bot_with_a_rare_mood_is_called_not_weaker_by_a_gauntlet_at_most_one_time_in_twenty(baseline: str, bot: MoodyBot) -> None:
    found = largest(study.gauntlet(baseline, bot), FIELD_BOUND, RUNS, DIFFERENCES, MOST_HANDS // (4 * LEG))
    assert found.better <= ERROR
    assert found.covered >= 0.95 - NOISE


@pytest.mark.parametrize("bot", [*MOODS, *(bot for _, bot in study.FIELD_MOODS)], ids=name)
def test_the_mean_of_a_bot_with_a_mood_is_at_the_bound(bot: MoodyBot) -> None:
    drawn = np.concatenate([bot.draw(np.random.default_rng(seed), 20_000).y for seed in range(5)])
    assert drawn.mean() == pytest.approx(bot.bound, abs=4 * drawn.std() / len(drawn) ** 0.5)
