"""Starts bots in sandboxes, as a player does."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from arena.confinement.profiles import Sandbox, StrictProfile
from arena.players.child import Child
from arena.players.proofs import STRICT, prove
from arena.roster.entrant import Launch


class Life(Struct):
    """What a bot wrote, and how it ended."""

    output: str
    log: str
    exit_code: int
    peak_kb: int
    pid: int


@pytest.fixture
def live() -> Callable[..., Life]:
    """Return a function that starts a bot in a sandbox and waits for its end."""
    return _live


def _live(sandbox: Sandbox | None, launch: Launch, questions: bytes = b"", *, prefork: bool = True) -> Life:
    """Start a bot, write to it and wait for its end. ``sandbox``: None: the launch is confined. Raises: LaunchFailedError.

    A bot of which only the output is read cannot be sealed.
    """
    wrapped = sandbox.wrap(replace(launch, reads_while_playing=True)) if sandbox else launch
    child = Child(replace(wrapped, prefork=wrapped.prefork and prefork))
    child.wait_ready()
    with open(child.stdout, "rb", closefd=False) as output, open(child.stderr, "rb", closefd=False) as log:
        with suppress(BrokenPipeError):
            os.write(child.stdin, questions)
        _end_input(child)
        written, logged = output.read(), log.read()
    ended = child.end()
    return Life(written.decode(), logged.decode(), ended.code, ended.peak_kb, child.pid)


def _end_input(child: Child) -> None:
    """Close the only end at which its input can be written; the descriptor still denotes the pipe, as ``end`` expects."""
    pipe = os.open(f"/proc/self/fd/{child.stdin}", os.O_PATH)
    os.dup2(pipe, child.stdin, inheritable=False)
    os.close(pipe)


@pytest.fixture(params=STRICT)
def profile(request: pytest.FixtureRequest) -> StrictProfile:
    """Return each strict profile that this machine can prove."""
    test = prove(request.param)
    if test.state != "PROVED":
        pytest.skip(f"profile {test.profile} is {test.state} here: {test.reason}")
    chosen: StrictProfile = request.param
    return chosen


@pytest.fixture
def bot_folder(tmp_path: Path) -> Path:
    """Return a folder that other users can enter, as they can all folders above it: bots started by root run as another user."""
    above = (tmp_path, *tmp_path.parents) if os.geteuid() == 0 else ()
    closed = [folder for folder in above if not folder.stat().st_mode & 0o001]
    assert closed == []
    return tmp_path


@pytest.fixture
def python_bot(bot_folder: Path) -> Callable[..., Launch]:
    """Return a function that writes a bot in Python and returns its launch.

    It says nothing when it is ready, so it is never sealed; test_seal.py has those that are.
    """

    def make(text: str, *, reads: tuple[str, ...] = (), threads: int = 1, scratch_mb: int = 0) -> Launch:
        (bot_folder / "some_bot.py").write_text(text, encoding="utf-8")
        command = (sys.executable, "-s", "-P", "-m", "some_bot")
        environment = (("PYTHONPATH", str(bot_folder)), ("PYTHONHASHSEED", "0"))
        return Launch(
            command=command,
            folder=str(bot_folder),
            environment=environment,
            reads=reads,
            threads=threads,
            scratch_mb=scratch_mb,
            reads_while_playing=True,
        )

    return make
