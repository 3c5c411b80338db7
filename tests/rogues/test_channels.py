"""Two bots pass 64 bits by every channel without a sandbox, and none under a profile."""

from functools import cache

import pytest
from cages import EVERY, USERS, best_profile, caged
from msgspec import Struct


class ChannelResult(Struct):
    succeeded: bool
    right: int
    reason: str
    root_only: bool
    known_under_c: bool
    unavoidable: bool


@cache
def conversations(user: str, setting: str) -> dict[str, ChannelResult]:
    return caged("conversations", user, setting, ChannelResult)


def open_channels(outcomes: dict[str, ChannelResult], profile: str) -> dict[str, int]:
    """Return how many bits arrived by channels that should be closed; profile C cannot hide the results of stat(2)."""
    closed = {name: one for name, one in outcomes.items() if not one.unavoidable and not (profile == "C" and one.known_under_c)}
    return {name: one.right for name, one in closed.items() if one.succeeded}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("user", [USERS[0], *(pytest.param(user, marks=pytest.mark.slow) for user in USERS[1:])])
def test_64_bits_pass_by_every_channel_without_a_sandbox(user: str) -> None:
    outcomes = conversations(user, "bare")

    closed = {
        name: one
        for name, one in outcomes.items()
        if not one.succeeded and not one.unavoidable and (user == "root" or not one.root_only)
    }

    assert len(outcomes) > 40
    assert closed == {}


@pytest.mark.timeout(600)
def test_no_bits_pass_under_the_best_profile_of_this_machine() -> None:
    best = best_profile()

    assert open_channels(conversations(USERS[0], best), best) == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("user", "profile", "start"), EVERY)
def test_no_bits_pass_under_any_profile(user: str, profile: str, start: str) -> None:
    outcomes = conversations(user, profile + start)

    assert len(outcomes) > 40
    assert open_channels(outcomes, profile) == {}
