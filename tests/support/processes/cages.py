"""The cages in which the rogues attack, and the settings in which they do; see tests/rogues."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import TypeVar

import pytest
from msgspec.json import decode

from arena.players.proofs import STRICT, prove

CAGE = Path(__file__).parents[2] / "rogues" / "cage.py"
USERS = ("root", "ordinary") if os.geteuid() == 0 else ("current",)
STARTS = ("", "-launcher", "-learning")  # by a template, by a launcher, with a state folder
EVERY = [  # at night; each day an ordinary user's bots by templates are attacked under the best profile of the machine
    pytest.param(user, profile, start, marks=pytest.mark.nightly)
    for user in USERS
    for profile in STRICT
    for start in STARTS
    if (profile, start) != ("C", "-learning")
]

Result = TypeVar("Result")


def caged(what: str, user: str, setting: str, result: type[Result], *names: str) -> dict[str, Result]:
    """Return what came of the attacks of a kind, by name, all or those named.

    The test is skipped where a cage or the setting cannot be had.
    """
    command = [sys.executable, str(CAGE), what, user, setting, *names]
    with CAGE.open() as lock:
        if what == "conversations":  # they share the machine's counters and caches, and would disturb each other
            fcntl.flock(lock, fcntl.LOCK_EX)
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode == 3:
        pytest.skip(f"this machine cannot make a cage for the rogues: {ended.stdout.strip()}")
    if ended.returncode != 0 and "SandboxError" in ended.stderr:
        pytest.skip(ended.stderr.strip().splitlines()[-1])
    assert ended.returncode == 0, ended.stderr
    return decode(ended.stdout, type=dict[str, result])  # type: ignore[valid-type] # the type is a value here


def best_profile() -> str:
    """Return the strictest profile that this machine proves; the test is skipped if it proves none."""
    for profile in STRICT:
        if prove(profile).state == "PROVED":
            return profile
    pytest.skip(f"no strict profile can be proved here: {[prove(profile).reason for profile in STRICT]}")
