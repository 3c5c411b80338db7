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
EVERY = [pytest.param(user, profile, marks=pytest.mark.slow) for user in USERS for profile in STRICT]


class Outcome(Struct):
    through: bool
    how: str
    root_only: bool
    seen_under_c: bool


@cache
def caged(user: str, profile: str) -> dict[str, Outcome]:
    ended = subprocess.run([sys.executable, CAGE, user, profile], capture_output=True, text=True, check=False)
    if ended.returncode == 3:
        pytest.skip(f"no cage for the rogues on this machine: {ended.stdout.strip()}")
    if ended.returncode != 0 and "SandboxError" in ended.stderr:
        pytest.skip(ended.stderr.strip().splitlines()[-1])
    assert ended.returncode == 0, ended.stderr
    return decode(ended.stdout, type=dict[str, Outcome])


def holes(outcomes: dict[str, Outcome], profile: str) -> dict[str, str]:
    """Return what got through and how, but for what is known of profile C: Landlock does not cover stat(2)."""
    return {name: one.how for name, one in outcomes.items() if one.through and not (profile == "C" and one.seen_under_c)}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("user", [USERS[0], *(pytest.param(user, marks=pytest.mark.slow) for user in USERS[1:])])
def test_every_rogue_gets_through_where_there_is_no_wall(user: str) -> None:
    outcomes = caged(user, "bare")

    assert len(outcomes) > 150
    assert {name: one.how for name, one in outcomes.items() if not one.through and (user == "root" or not one.root_only)} == {}


@pytest.mark.timeout(600)
def test_no_rogue_gets_through_the_best_walls_of_this_machine() -> None:
    best = next((profile for profile in STRICT if tried(profile).state == "PROVED"), None)
    if best is None:
        pytest.skip(f"no strict profile can be proved here: {[tried(profile).reason for profile in STRICT]}")

    assert holes(caged(USERS[0], best), best) == {}


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("user", "profile"), EVERY)
def test_no_rogue_gets_through_any_profile(user: str, profile: str) -> None:
    outcomes = caged(user, profile)

    assert len(outcomes) > 150
    assert holes(outcomes, profile) == {}
