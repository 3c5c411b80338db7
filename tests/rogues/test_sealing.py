"""Whatever a bot does to resist its seal, it is sealed or at fault; never is the machine."""

from functools import cache

import pytest
from msgspec import Struct
from support.processes.cages import EVERY, USERS, best_profile, caged
from support.sizes import mostly_nightly, size


class SealOutcome(Struct):
    outcomes: dict[str, int]
    seconds: float
    harness: float


STORMS = ("storms to go on", "storms its threads to go on", "starts threads without end")
MAY_END = {  # those that may end before they are sealed; from its second start on, profile C hides its library from Python
    "ends": "crash: ended with exit code 0 without an answer",
    "ends its first thread": "crash: cannot be sealed: the main thread has ended",
    "reads address zero": "crash: ended with SIGSEGV without an answer",
    "kills itself": "crash: ended with SIGKILL without an answer",
    "becomes itself again and again": "crash: ended with exit code 1 without an answer",
}
CANNOT_BE_SEALED = {
    "has more bytes open than it may": "its open and mapped files have 5.4 GB; allowed: 4.3 GB (close some)",
    "has mapped more regions than it may": "the table of its mapped memory has more than 4 MB (map less)",
}


@cache
def sealed(user: str, setting: str, *names: str) -> dict[str, SealOutcome]:
    return caged("sealing", user, setting, SealOutcome, *names)


def unexpected(outcomes: dict[str, SealOutcome]) -> dict[str, dict[str, int]]:
    """Return the outcomes that are neither "sealed" nor the fault of the bot."""
    allowed = {name.partition("*")[0]: {"sealed", MAY_END.get(name)} for name in outcomes}
    allowed |= {name: {f"crash: cannot be sealed: {why}"} for name, why in CANNOT_BE_SEALED.items()}
    return {name: one.outcomes for name, one in outcomes.items() if not set(one.outcomes) <= allowed[name.partition("*")[0]]}


@pytest.mark.process
@pytest.mark.timeout(600)
def test_a_bot_that_resists_its_seal_is_sealed_or_at_fault() -> None:
    outcomes = sealed(USERS[-1], best_profile())

    assert len(outcomes) > 15
    assert unexpected(outcomes) == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("user", "profile", "start"), EVERY)
def test_under_every_profile_a_bot_that_resists_its_seal_is_sealed_or_at_fault(user: str, profile: str, start: str) -> None:
    outcomes = sealed(user, profile + start)

    assert len(outcomes) > 15
    assert unexpected(outcomes) == {}


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("threads", mostly_nightly([3, 8, 16], 16))
def test_every_start_in_a_storm_of_signals_or_threads_is_sealed(threads: int) -> None:
    starts = size(10, 40)
    outcomes = sealed(USERS[-1], best_profile(), *(f"{name}*{threads}*{starts}" for name in STORMS))

    assert [one.outcomes for one in outcomes.values()] == [{"sealed": starts}] * len(STORMS)
