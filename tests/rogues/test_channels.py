"""Two bots pass 64 bits by every channel without a sandbox, and none under a profile."""

from functools import cache

import pytest
from msgspec import Struct
from support.processes.cages import EVERY, USERS, best_profile, caged
from support.sizes import mostly_nightly


class ChannelKind(Struct):
    root_only: bool
    known_under_c: bool
    by_seal: bool
    by_template: bool
    of_clones: bool
    unavoidable: bool


class ChannelResult(Struct):
    succeeded: bool
    right: int
    reason: str
    kind: ChannelKind


LASTING = ("missing names", "relayed names", "pages read plainly", "pages read from an open file", "numbers of pipes left")
LASTING_UNDER_C = (
    "missing names",
    "access times",
    "times of open files",
    "times of open folders",
    "numbers of threads left",
    "own numbers left",
)
SPY = "cards of a suit"


@cache
def conversations(user: str, setting: str, *names: str) -> dict[str, ChannelResult]:
    return caged("conversations", user, setting, ChannelResult, *names)


def failed(outcomes: dict[str, ChannelResult]) -> dict[str, int]:
    """Return how many bits arrived by channels that do not work."""
    return {name: one.right for name, one in outcomes.items() if not one.succeeded}


def open_channels(outcomes: dict[str, ChannelResult], setting: str) -> dict[str, int]:
    """Return how many bits arrived by channels that should be closed."""
    by_launcher, under_c = "launcher" in setting, setting.startswith("C")
    return {
        name: one.right
        for name, one in outcomes.items()
        if one.succeeded
        and not one.kind.unavoidable
        and not (under_c and one.kind.known_under_c)
        and not (by_launcher and one.kind.by_template)
    }


@pytest.mark.process
@pytest.mark.timeout(1200)
@pytest.mark.nightly
@pytest.mark.parametrize("user", USERS)
def test_64_bits_pass_by_every_channel_without_a_sandbox(user: str) -> None:
    outcomes = {
        name: one for name, one in conversations(user, "bare").items() if not one.kind.unavoidable and not one.kind.of_clones
    }

    assert len(outcomes) > 40
    assert failed({name: one for name, one in outcomes.items() if user == "root" or not one.kind.root_only}) == {}


@pytest.mark.process
@pytest.mark.timeout(1200)
def test_no_bits_pass_under_the_best_profile_of_this_machine() -> None:
    best = best_profile()

    assert open_channels(conversations(USERS[-1], best), best) == {}


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("user", "profile", "start"), EVERY)
def test_no_bits_pass_under_any_profile(user: str, profile: str, start: str) -> None:
    outcomes = conversations(user, profile + start)

    assert len(outcomes) > 40
    assert open_channels(outcomes, profile + start) == {}


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("profile", "names"), mostly_nightly([("A", LASTING), ("B", LASTING), ("C", (*LASTING, *LASTING_UNDER_C))], ("A", LASTING))
)
def test_without_the_seal_a_profile_lets_lasting_channels_pass(profile: str, names: tuple[str, ...]) -> None:
    assert failed(conversations(USERS[0], f"{profile}-unsealed", *dict.fromkeys(names))) == {}


@pytest.mark.process
def test_a_spy_sees_what_clones_of_one_template_share() -> None:
    assert failed(conversations(USERS[0], f"{best_profile()}-shared", SPY)) == {}
