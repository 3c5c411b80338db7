"""Behind namespaces a bot has no means to end by SIGKILL: one that does was killed by somebody else, and plays again."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from builders import FIRST, dealt

from arena.errors import WorkerLost
from arena.gin.hand import Hand
from arena.gin.rules import Rules
from arena.gin.view import View, see
from arena.players.base import PlayerFault
from arena.players.remote import LineLimits, RemotePlayer, TimeLimits
from arena.players.sandboxes.none import NoSandbox
from arena.players.sandboxes.strict import Strict
from arena.players.sandboxes.walls import StrictProfile
from arena.roster.entrant import Launch

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


def view() -> View:
    deal = dealt("Ac2c3c 4d5d6d 7h8h9h Ks", "Ad2d3d 4h5h6h 7s8s9s Kd", "Qd")
    return see(Hand.start(deal, Rules()), FIRST)


@contextmanager
def seated(launch: Launch) -> Iterator[RemotePlayer]:
    """Give a player that has sat down."""
    remote = RemotePlayer(launch, Rules(), TimeLimits(stall=10.0), LineLimits(), "seed")
    try:
        remote.start()
        remote.begin(0, None)
        yield remote
    finally:
        remote.close()


def children() -> set[int]:
    lists = [task / "children" for task in Path("/proc/self/task").iterdir()]
    return {int(pid) for listed in lists for pid in listed.read_text().split()}


def killed_at_its_turn(launch: Launch) -> None:
    before = children()
    with seated(launch) as remote:
        (bot,) = children() - before
        os.kill(bot, signal.SIGKILL)
        remote.ask(view())


def only_with_namespaces(profile: StrictProfile) -> None:
    if profile == "C":
        pytest.skip("profile C has no namespaces: a bot may kill itself, and who did it cannot be told")


def test_who_is_killed_from_outside_has_done_no_wrong(profile: StrictProfile, python_bot: Make) -> None:
    only_with_namespaces(profile)
    with pytest.raises(WorkerLost, match="a bot was killed from outside"):
        killed_at_its_turn(Strict(profile=profile).wrap(python_bot(WAITS)))


def test_without_walls_it_is_a_crash_like_any_other(python_bot: Make) -> None:
    with pytest.raises(PlayerFault, match="ended with SIGKILL without an answer") as fault:
        killed_at_its_turn(NoSandbox().wrap(python_bot(WAITS)))
    assert fault.value.kind == "crash"


def test_no_bot_can_have_itself_killed(profile: StrictProfile, python_bot: Make) -> None:
    only_with_namespaces(profile)
    with seated(Strict(profile=profile).wrap(python_bot(TRIES))):
        pass  # it said that it is ready, so it lives
