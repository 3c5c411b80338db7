"""What a sandbox grants when a user starts bots without a spec."""

import pytest
from msgspec.structs import replace

from arena.confinement.profiles import Sandbox
from arena.players.sandboxes import NoSandbox, StandardSandbox, StrictSandbox
from arena.roster.entrant import Launch

PLAIN = Launch(command=("x",), folder="/")
THREADED = replace(PLAIN, threads=4)
WRITING = replace(PLAIN, scratch_mb=16)


@pytest.mark.parametrize("sandbox", [StrictSandbox(memory_mb=64), StandardSandbox(memory_mb=64)], ids=["strict", "standard"])
def test_a_sandbox_with_limits_grants_the_most_that_any_bot_asks_for(sandbox: Sandbox) -> None:
    assert sandbox.granting([PLAIN, THREADED, WRITING]) == replace(sandbox, threads=4, scratch_mb=16)


def test_a_sandbox_with_limits_grants_no_more_than_the_bots_ask_for() -> None:
    assert StrictSandbox(threads=8, scratch_mb=8).granting([PLAIN]) == StrictSandbox()


def test_a_sandbox_without_limits_grants_itself() -> None:
    assert NoSandbox().granting([THREADED]) == NoSandbox()


class OtherSandbox(Sandbox, frozen=True, kw_only=True, tag="other"):
    """A sandbox of a plugin, without the limits of arena's own."""


def test_a_plugins_sandbox_need_not_know_of_grants() -> None:
    sandbox = OtherSandbox()
    assert sandbox.granting([THREADED]) is sandbox


def test_a_sandbox_takes_over_the_limits_of_another() -> None:
    assert StandardSandbox(memory_mb=64, threads=2).with_limits_of(StrictSandbox(memory_mb=512)) == StandardSandbox(memory_mb=512)
    assert StandardSandbox(memory_mb=64).with_limits_of(NoSandbox()) == StandardSandbox(memory_mb=64)
    assert NoSandbox().with_limits_of(StrictSandbox()) == NoSandbox()
