"""Starts a process of arena inside the sandbox, to read what strangers have sent."""

import select
import time
from pathlib import Path

from msgspec.structs import replace

from arena.errors import SandboxError
from arena.interpreter import SANDBOXED
from arena.players.base import PlayerFaultError
from arena.players.child import Child
from arena.players.confinement.status import LaunchFailedError
from arena.players.sandboxes.base import LimitedSandbox, Sandbox
from arena.roster.entrant import Launch

CPU_SECONDS = 120
MEMORY_MB = 512


def confined(command: tuple[str, ...], folder: Path, reads: tuple[str, ...], sandbox: Sandbox) -> Child:
    """Start a module of arena inside the sandbox, where it may read a folder and some files. Raises: SandboxError."""
    options = {"memory_mb": MEMORY_MB, "cpu_seconds": CPU_SECONDS, "sealed": "preferred"}  # it knows no card, and reads to its end
    limited = replace(sandbox, **options) if isinstance(sandbox, LimitedSandbox) else sandbox
    environment = (("PYTHONHASHSEED", "0"), ("LANG", "C.UTF-8"))
    launch = Launch(
        command=(*SANDBOXED, *command), folder=str(folder), environment=environment, reads=reads, reads_while_playing=True
    )
    try:
        child = Child(limited.wrap(launch))
        child.wait_ready()
    except (PlayerFaultError, LaunchFailedError) as error:
        raise SandboxError(f"the process that reads a stranger's files could not be started: {error}") from None
    return child


def wait(pipe: int, event: int, deadline: float) -> None:
    """Wait for a pipe. Raises: EOFError, at the deadline."""
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(1000 * max(0.0, deadline - time.monotonic())):
        raise EOFError
