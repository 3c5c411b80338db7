import subprocess
import sys

import pytest
from msgspec.json import encode

from arena.players.sandboxes.birth import Birth, Stillborn
from arena.players.sandboxes.launcher import PYTHON
from arena.players.sandboxes.policy import Limits, Policy, Reads
from arena.roster.entrant import Launch

TALKS = "import os; os.write(int(os.environ['ARENA_STATUS']), {!r}); {}"


def born(launch: Launch, *, within: float = 10) -> tuple[int, int, Birth]:
    """Start a launch, and return its process number, the bot's, and the birth."""
    birth = Birth()
    environment = birth.environment(launch)
    with subprocess.Popen(launch.command, env=environment, pass_fds=birth.descriptors, stdin=subprocess.DEVNULL) as process:
        return process.pid, birth.bot(process, launch, within=within), birth


def told(report: bytes, then: str = "") -> Launch:
    return Launch(command=(sys.executable, "-c", TALKS.format(report, then)), folder="/", reports=True)


def test_without_walls_the_process_is_the_bot() -> None:
    started, bot, _ = born(Launch(command=("/bin/true",), folder="/"))

    assert bot == started


def test_a_launcher_that_is_ready_and_closes_the_pipe_is_a_bot_from_then_on() -> None:
    started, bot, birth = born(told(b"missing landlock: [Errno 38]\nready\n"))

    assert bot == started
    assert birth.missing == ("landlock: [Errno 38]",)


def test_a_wall_that_fails_is_told_with_its_reason() -> None:
    with pytest.raises(Stillborn, match=r"failed at landlock: \[Errno 38\]"):
        born(told(b"failed landlock: [Errno 38]\n"))


def test_a_launcher_that_dies_without_a_word_bore_no_bot() -> None:
    with pytest.raises(Stillborn, match="no whole report"):
        born(told(b""))


def test_a_launcher_that_never_closes_the_pipe_bore_no_bot() -> None:
    with pytest.raises(Stillborn, match="no whole report"):
        born(told(b"ready\n", "import time; time.sleep(60)"), within=0.5)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these walls")
def test_a_root_that_cannot_be_built_ends_the_launcher_before_the_bot() -> None:
    policy = Policy(
        command=("/bin/echo", "born"), folder="/", limits=Limits(64, 10, 0), reads=Reads(("/no/such/path",)), namespaces=True
    )
    launch = Launch(
        command=(*PYTHON, "arena.players.sandboxes.launcher", encode(policy).decode()),
        folder="/",
        environment=(("PYTHONPATH", ":".join(sys.path)),),
        reports=True,
    )

    with pytest.raises(Stillborn) as stillborn:
        born(launch)

    assert stillborn.value.wall in ("namespaces", "private root")
