"""With namespaces a bot cannot cause its own SIGKILL: one that ends by it was killed from outside."""

import os
import signal
import time
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from support.bots.players import UPCARD, begun
from support.processes.marked import children

from arena.confinement.profiles import StrictProfile
from arena.players.base import PlayerFaultError
from arena.players.sandboxes import NoSandbox, StrictSandbox
from arena.roster.entrant import Launch, StateLimits

Make = Callable[..., Launch]
READY = 'sys.stdin.readline(); print(\'{"type":"ready","protocol":1}\', flush=True)'
WAITS = f"import sys, time; {READY}; time.sleep(60)"
TRIES = f"""
import os, resource, signal, sys
os.kill(os.getpid(), signal.SIGKILL)
try:
    resource.setrlimit(resource.RLIMIT_CPU, (0, 0))
except (PermissionError, ValueError):
    {READY}
"""


def killed_at_its_turn(launch: Launch) -> None:
    before = children()
    with begun(launch) as remote:
        (bot,) = children() - before
        os.kill(bot, signal.SIGKILL)
        remote.ask(UPCARD)


def only_with_namespaces(profile: StrictProfile) -> None:
    if profile == "C":
        pytest.skip("profile C has no namespaces: a bot may kill itself, and the sender of a signal is not known")


def test_a_bot_killed_from_outside_is_lost_and_nothing_proves_its_fault(profile: StrictProfile, python_bot: Make) -> None:
    only_with_namespaces(profile)
    with pytest.raises(PlayerFaultError, match="was killed from outside") as fault:
        killed_at_its_turn(StrictSandbox(profile=profile).wrap(python_bot(WAITS)))
    assert fault.value.kind == "lost"


@pytest.mark.parametrize("memory_mb", [1, 256], ids=["its memory is used up", "it has memory left"])
def test_a_bot_killed_at_its_end_leaves_nothing_but_loses_no_match(
    profile: StrictProfile, python_bot: Make, memory_mb: int
) -> None:
    only_with_namespaces(profile)
    launch = StrictSandbox(profile=profile).wrap(replace(python_bot(WAITS), state=StateLimits()))
    before = children()
    with begun(replace(launch, memory_mb=memory_mb), keeps_state=True) as remote:
        (bot,) = children() - before
        os.kill(bot, signal.SIGKILL)
        remote.match_over(won=None, games=(0, 0))
        assert remote.learned is None


def test_without_a_sandbox_sigkill_is_a_crash(python_bot: Make) -> None:
    with pytest.raises(PlayerFaultError, match="ended with SIGKILL without an answer") as fault:
        killed_at_its_turn(NoSandbox().wrap(python_bot(WAITS)))
    assert fault.value.kind == "crash"


def test_a_bot_cannot_cause_its_own_sigkill(profile: StrictProfile, python_bot: Make) -> None:
    only_with_namespaces(profile)
    with begun(StrictSandbox(profile=profile).wrap(python_bot(TRIES))):
        pass  # it has sent ``ready``, so it is alive


@pytest.mark.process
def test_sigkill_is_a_crash_once_the_bot_may_have_met_its_cpu_limit(profile: StrictProfile, python_bot: Make) -> None:
    """RLIMIT_CPU counts whole ticks: a bot that is awake at each tick reaches it with little processor time."""
    only_with_namespaces(profile)
    launch = StrictSandbox(profile=profile, cpu_seconds=1).wrap(python_bot(WAITS))
    before = children()
    with begun(launch) as remote, pytest.raises(PlayerFaultError, match="ended with SIGKILL without an answer"):
        (bot,) = children() - before
        time.sleep(1.1)
        os.kill(bot, signal.SIGKILL)
        remote.ask(UPCARD)
