"""Every rogue succeeds without a sandbox, and none under a profile."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.json import decode

from arena.players.confinement.probe import STRICT, prove

CAGE = Path(__file__).with_name("cage.py")
USERS = ("root", "ordinary") if os.geteuid() == 0 else ("current",)
STARTS = ("", "-launcher")  # by a template, by a launcher
EVERY = [(user, profile, start) for user in USERS for profile in STRICT for start in STARTS]


class AttackResult(Struct):
    succeeded: bool
    how: str
    root_only: bool
    known_under_c: bool


@cache
def caged(user: str, setting: str) -> dict[str, AttackResult]:
    ended = subprocess.run([sys.executable, CAGE, "referee", user, setting], capture_output=True, text=True, check=False)
    if ended.returncode == 3:
        pytest.skip(f"this machine cannot make a cage for the rogues: {ended.stdout.strip()}")
    if ended.returncode != 0 and "SandboxError" in ended.stderr:
        pytest.skip(ended.stderr.strip().splitlines()[-1])
    assert ended.returncode == 0, ended.stderr
    return decode(ended.stdout, type=dict[str, AttackResult])


def holes(outcomes: dict[str, AttackResult], profile: str) -> dict[str, str]:
    """Return the attacks that succeeded and how, except those that are known to under C: Landlock does not cover stat(2)."""
    return {name: one.how for name, one in outcomes.items() if one.succeeded and not (profile == "C" and one.known_under_c)}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("user", [USERS[0], *(pytest.param(user, marks=pytest.mark.slow) for user in USERS[1:])])
def test_every_rogue_succeeds_without_a_sandbox(user: str) -> None:
    outcomes = caged(user, "bare")

    assert len(outcomes) > 130
    assert {name: one.how for name, one in outcomes.items() if not one.succeeded and (user == "root" or not one.root_only)} == {}


@pytest.mark.timeout(600)
def test_no_rogue_succeeds_under_the_best_profile_of_this_machine() -> None:
    best = next((profile for profile in STRICT if prove(profile).state == "PROVED"), None)
    if best is None:
        pytest.skip(f"no strict profile can be proved here: {[prove(profile).reason for profile in STRICT]}")

    assert holes(caged(USERS[0], best), best) == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("user", "profile", "start"), EVERY)
def test_no_rogue_succeeds_under_any_profile(user: str, profile: str, start: str) -> None:
    outcomes = caged(user, profile + start)

    assert len(outcomes) > 130
    assert holes(outcomes, profile) == {}
