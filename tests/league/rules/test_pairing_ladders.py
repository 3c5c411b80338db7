"""By simulation: to know its best a league needs fewer pairings than round robin (at full size: ``studies.ladders``)."""

from functools import partial

import ladders
import pytest
from support.sizes import mostly_nightly

from arena.league.rules.aims import TopAim


@pytest.mark.process
def test_the_best_three_of_thirty_are_known_after_half_of_the_pairings_of_round_robin() -> None:
    ((_, full), (half, _)) = (
        ladders.means(30, scheme, 3, (217, 435), 12) for scheme in (ladders.round_robin, partial(ladders.ladder, TopAim(3)))
    )
    assert half.top >= full.top


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("size", "cycles"), mostly_nightly([(10, 4), (50, 1)], (10, 4)))
def test_at_most_half_of_the_pairings_are_needed_for_the_best_bot_and_for_the_best_three(size: int, cycles: int) -> None:
    whole = size * (size - 1) // 2 * cycles
    (full,) = ladders.means(size, ladders.round_robin, 3, (whole,), 100)
    (best,) = ladders.means(size, partial(ladders.ladder, TopAim(1)), 3, (whole // 2,), 100)
    (three,) = ladders.means(size, partial(ladders.ladder, TopAim(3)), 3, (whole // 2,), 100)
    assert best.best >= full.best - 0.05  # the standard error of either is 0.035
    assert three.top >= full.top - 0.02
