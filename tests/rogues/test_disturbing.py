"""A bot that does something hostile at any step of its life costs its opponent nothing."""

import pytest
from msgspec import Struct
from support.processes.cages import EVERY, USERS, best_profile, caged
from support.sizes import size

SEEDS = size(8, 60)  # of matches; each draws one or two acts


class Disturbance(Struct):
    acts: tuple[str, ...]
    faults: tuple[str, ...]
    harm: str


def harm(user: str, setting: str) -> dict[tuple[str, ...], str]:
    """Return what the opponent lost by each disturbance that cost it something."""
    found = caged("disturbing", user, setting, Disturbance, *map(str, range(SEEDS)))
    return {one.acts: one.harm for one in found.values() if one.harm}


@pytest.mark.process
@pytest.mark.timeout(600)
def test_no_hostile_act_at_any_step_harms_the_opponent() -> None:
    assert harm(USERS[-1], best_profile()) == {}


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("user", "profile", "start"), [one for one in EVERY if not one.values[2]])
def test_under_no_profile_a_hostile_act_at_any_step_harms_the_opponent(user: str, profile: str, start: str) -> None:
    assert harm(user, profile + start) == {}
