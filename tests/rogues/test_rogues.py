"""Every rogue succeeds without a sandbox, and none under a profile."""

from functools import cache

import pytest
from msgspec import Struct
from support.processes.cages import EVERY, USERS, best_profile, caged


class AttackResult(Struct):
    succeeded: bool
    how: str
    root_only: bool
    known_under_c: bool


@cache
def attacks(user: str, setting: str) -> dict[str, AttackResult]:
    return caged("referee", user, setting, AttackResult)


def holes(outcomes: dict[str, AttackResult], profile: str) -> dict[str, str]:
    """Return the attacks that succeeded and how, except those that are known to under C: Landlock does not cover stat(2)."""
    return {name: one.how for name, one in outcomes.items() if one.succeeded and not (profile == "C" and one.known_under_c)}


@pytest.mark.process
@pytest.mark.timeout(600)
@pytest.mark.nightly
@pytest.mark.parametrize("user", USERS)
def test_every_rogue_succeeds_without_a_sandbox(user: str) -> None:
    outcomes = attacks(user, "bare")

    assert len(outcomes) > 130
    assert {name: one.how for name, one in outcomes.items() if not one.succeeded and (user == "root" or not one.root_only)} == {}


@pytest.mark.process
@pytest.mark.timeout(600)
def test_no_rogue_succeeds_under_the_best_profile_of_this_machine() -> None:
    best = best_profile()

    assert holes(attacks(USERS[-1], best), best) == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("user", "profile", "start"), EVERY)
def test_no_rogue_succeeds_under_any_profile(user: str, profile: str, start: str) -> None:
    outcomes = attacks(user, profile + start)

    assert len(outcomes) > 130
    assert holes(outcomes, profile) == {}
