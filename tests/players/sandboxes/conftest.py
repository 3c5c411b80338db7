"""Starts bots behind walls, as a player does."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Struct

from arena.players.sandboxes.base import Sandbox
from arena.players.sandboxes.birth import Birth
from arena.players.sandboxes.probe import STRICT, tried
from arena.players.sandboxes.walls import StrictProfile
from arena.roster.entrant import Launch


class Life(Struct):
    """What became of a bot."""

    said: str  # on standard output
    log: str
    exit_code: int
    peak_kb: int
    pid: int


@pytest.fixture
def live() -> Callable[..., Life]:
    """Return a starter of bots behind a sandbox's walls, which waits for their end."""
    return _live


def _live(sandbox: Sandbox, launch: Launch, questions: bytes = b"") -> Life:
    """Start a bot, say something to it and wait for its end. Raises: Stillborn."""
    wrapped = sandbox.wrap(launch)
    birth = Birth()
    process = subprocess.Popen(
        wrapped.command,
        cwd=wrapped.folder,
        env=birth.environment(wrapped),
        pass_fds=birth.descriptors,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    pid = birth.bot(process, wrapped, within=20)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process.stdin, process.stdout, process.stderr:
        try:
            process.stdin.write(questions)
            process.stdin.close()
        except BrokenPipeError:
            pass
        said, log = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(pid, 0)
    process.returncode = 0  # waited for, by its own number or the launcher's
    return Life(said.decode(), log.decode(), os.waitstatus_to_exitcode(status), usage.ru_maxrss, pid)


@pytest.fixture(params=STRICT)
def profile(request: pytest.FixtureRequest) -> StrictProfile:
    """Return each strict profile that this machine can prove."""
    trial = tried(request.param)
    if trial.state != "PROVED":
        pytest.skip(f"profile {trial.profile} is {trial.state} here: {trial.reason}")
    chosen: StrictProfile = request.param
    return chosen


@pytest.fixture
def bot_folder(tmp_path: Path) -> Path:
    """Return a folder that the user a root's bot becomes can reach."""
    for folder in (tmp_path, *tmp_path.parents[:2]) if os.geteuid() == 0 else ():
        folder.chmod(0o755)
    return tmp_path


@pytest.fixture
def python_bot(bot_folder: Path) -> Callable[..., Launch]:
    """Return a maker of bots in Python: from a text to a launch."""

    def make(text: str, *, reads: tuple[str, ...] = (), threads: int = 1, scratch_mb: int = 0) -> Launch:
        (bot_folder / "some_bot.py").write_text(text, encoding="utf-8")
        command = (sys.executable, "-s", "-P", "-m", "some_bot")
        environment = (("PYTHONPATH", str(bot_folder)), ("PYTHONHASHSEED", "0"))
        return Launch(
            command=command, folder=str(bot_folder), environment=environment, reads=reads, threads=threads, scratch_mb=scratch_mb
        )

    return make
