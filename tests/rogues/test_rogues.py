"""Every rogue gets through where there is no wall, and none where there are."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.json import decode

from arena.players.sandboxes.probe import STRICT, tried

CAGE = Path(__file__).with_name("cage.py")
USERS = ("root", "ordinary") if os.geteuid() == 0 else ("oneself",)
NEEDS_ROOT = {"reads the systems passwords", "talk by the hosts name", "is root", "holds a capability"}
SEEN_UNDER_C = {"sees that a file is there"}  # Landlock does not cover stat(2)
EVERY = [pytest.param(user, profile, marks=pytest.mark.slow) for user in USERS for profile in STRICT]


class Outcome(Struct):
    through: bool
    how: str


@cache
def caged(user: str, profile: str) -> dict[str, Outcome]:
    ended = subprocess.run([sys.executable, CAGE, user, profile], capture_output=True, text=True, check=False)
    if ended.returncode == 3:
        pytest.skip(f"no cage for the rogues on this machine: {ended.stdout.strip()}")
    if ended.returncode != 0 and "SandboxError" in ended.stderr:
        pytest.skip(ended.stderr.strip().splitlines()[-1])
    assert ended.returncode == 0, ended.stderr
    return decode(ended.stdout, type=dict[str, Outcome])


def through(outcomes: dict[str, Outcome]) -> set[str]:
    return {name for name, outcome in outcomes.items() if outcome.through}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("user", [USERS[0], *(pytest.param(user, marks=pytest.mark.slow) for user in USERS[1:])])
def test_every_rogue_gets_through_where_there_is_no_wall(user: str) -> None:
    outcomes = caged(user, "bare")

    assert len(outcomes) > 150
    assert outcomes.keys() - through(outcomes) <= (set() if user == "root" else NEEDS_ROOT)


@pytest.mark.timeout(600)
def test_no_rogue_gets_through_the_best_walls_of_this_machine() -> None:
    best = next((profile for profile in STRICT if tried(profile).state == "PROVED"), None)
    if best is None:
        pytest.skip(f"no strict profile can be proved here: {[tried(profile).reason for profile in STRICT]}")

    outcomes = caged(USERS[0], best)

    assert through(outcomes) <= (SEEN_UNDER_C if best == "C" else set())


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("user", "profile"), EVERY)
def test_no_rogue_gets_through_any_profile(user: str, profile: str) -> None:
    outcomes = caged(user, profile)

    assert len(outcomes) > 150
    assert {name: outcomes[name].how for name in through(outcomes)}.keys() <= (SEEN_UNDER_C if profile == "C" else set())
