"""The start of a process of arena inside the sandbox, which reads what strangers have sent."""

import select
import time
from pathlib import Path

from msgspec.structs import replace

from arena.confinement.profiles import LimitedSandbox, Sandbox
from arena.confinement.status import LaunchFailedError
from arena.errors import SandboxError
from arena.interpreter import SANDBOXED
from arena.players.base import PlayerFaultError
from arena.players.child import Child
from arena.roster.entrant import Launch

CPU_SECONDS = 120
MEMORY_MB = 512


def start_confined(command: tuple[str, ...], folder: Path, reads: tuple[str, ...], sandbox: Sandbox) -> Child:
    """Start a module of arena inside the sandbox, where it may read ``folder`` and the files ``reads``. Raises: SandboxError.

    ``command`` is the module with its arguments.
    """
    # A seal would protect the cards of a hand, and this process knows none. So it has none (``reads_while_playing``), also if the
    # spec requires one of bots.
    options = {"memory_mb": MEMORY_MB, "cpu_seconds": CPU_SECONDS, "sealed": "preferred"}
    limited = replace(sandbox, **options) if isinstance(sandbox, LimitedSandbox) else sandbox
    environment = (("PYTHONHASHSEED", "0"), ("LANG", "C.UTF-8"))
    launch = Launch(
        command=(*SANDBOXED, *command), folder=str(folder), environment=environment, reads=reads, reads_while_playing=True
    )
    try:
        child = Child(limited.wrap(launch))
        child.wait_ready()
    except (PlayerFaultError, LaunchFailedError, OSError) as error:
        raise SandboxError(f"the process that reads a stranger's files could not be started: {error}") from None
    return child


def wait(pipe: int, event: int, deadline: float) -> None:
    """Wait until a pipe has the ``event`` of poll(2). Raises: EOFError, at the ``deadline`` of the monotonic clock."""
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(1000 * max(0.0, deadline - time.monotonic())):
        raise EOFError
