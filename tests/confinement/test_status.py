import subprocess
import sys
import time

import pytest
from msgspec.json import encode
from msgspec.structs import replace

from arena.confinement.launch_policy import Policy, ReadAccess, ResourceLimits
from arena.confinement.status import LaunchFailedError, LaunchStatus
from arena.interpreter import SANDBOXED
from arena.roster.entrant import Launch

LAUNCHER = "import os; os.write(int(os.environ['ARENA_STATUS']), {!r}); {}"


def started(launch: Launch, *, within: float = 10) -> tuple[int, int, LaunchStatus]:
    """Start a launch, and return the launcher's process number, the bot's, and the status."""
    status = LaunchStatus()
    environment = status.environment(launch)
    with subprocess.Popen(launch.command, env=environment, pass_fds=status.descriptors, stdin=subprocess.DEVNULL) as process:
        return process.pid, status.wait_ready(process, launch, within=within), status


def launcher(lines: bytes, then: str = "") -> Launch:
    """Return a launcher that writes these status lines, then runs this code."""
    return Launch(command=(sys.executable, "-c", LAUNCHER.format(lines, then)), folder="/", reports=True)


def test_without_a_sandbox_the_process_is_the_bot() -> None:
    process, bot, _ = started(Launch(command=("/bin/true",), folder="/"))

    assert bot == process


def test_a_launcher_that_is_ready_and_closes_the_pipe_has_become_the_bot() -> None:
    process, bot, status = started(launcher(b"missing landlock: [Errno 38]\nready\n"))

    assert bot == process
    assert status.missing == ("landlock: [Errno 38]",)


@pytest.mark.parametrize(
    ("launch", "reason"),
    [
        (launcher(b"failed landlock: [Errno 38]\n"), r"failed at landlock: \[Errno 38\]"),
        (launcher(b""), "it ended with exit code 0 before the sandbox was complete"),
        (replace(launcher(b"ready\n"), in_namespace=True), "before the sandbox was complete"),
    ],
    ids=["a step fails", "it ends without a status", "it is not the bot, which has a process of its own"],
)
def test_a_launcher_that_has_failed_is_reported_with_the_reason(launch: Launch, reason: str) -> None:
    with pytest.raises(LaunchFailedError, match=reason):
        started(launch)


def test_a_killed_launcher_fails_at_once_with_the_signal() -> None:
    start = time.monotonic()
    with pytest.raises(LaunchFailedError, match="it ended with signal 9 before the sandbox was complete"):
        started(launcher(b"missing landlock: none\n", "os.kill(os.getpid(), 9)"), within=600)
    assert time.monotonic() - start < 60


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has written to a socket")
def test_the_bot_is_the_process_that_has_written_the_status() -> None:
    lines = "if os.fork() == 0: os.write(int(os.environ['ARENA_STATUS']), b'ready\\n')"
    launch = Launch(command=(sys.executable, "-c", f"import os\n{lines}"), folder="/", reports=True, in_namespace=True)

    process, bot, _ = started(launch)

    assert bot != process


@pytest.mark.process
def test_a_launcher_that_does_not_close_the_pipe_in_time_has_failed() -> None:
    with pytest.raises(LaunchFailedError, match=r"it did not finish within 0\.5 s"):
        started(launcher(b"ready\n", "import time; time.sleep(60)"), within=0.5)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these layers")
def test_a_root_that_cannot_be_built_ends_the_launcher_before_the_bot_starts() -> None:
    policy = Policy(
        command=("/bin/echo", "started"),
        folder="/",
        limits=ResourceLimits(64, 10, 0),
        reads=ReadAccess(("/no/such/path",)),
        namespaces=True,
    )
    launch = Launch(
        command=(*SANDBOXED, "arena.confinement.launcher", encode(policy).decode()),
        folder="/",
        environment=(("PYTHONPATH", ":".join(sys.path)),),
        reports=True,
        in_namespace=True,
    )

    with pytest.raises(LaunchFailedError) as caught:
        started(launch)

    assert caught.value.step in ("namespaces", "private root")
