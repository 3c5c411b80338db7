"""Starts a rogue in a setting, as a player starts a bot."""

import os
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, convert
from msgspec.json import encode
from msgspec.structs import replace
from rogues.rogue import Scene

from arena.confinement.launch_policy import STATE
from arena.confinement.profiles import StrictProfile
from arena.confinement.starting_bots import of_this_thread
from arena.errors import SandboxError
from arena.players.child import Child
from arena.players.sandboxes import NoSandbox, StrictSandbox
from arena.roster.entrant import Launch, StateLimits

STAGE = Path("/tmp/stage")  # noqa: S108 - in the cage
MEMORY_MB = 64
CPU_SECONDS = 60
TOO_LONG = 4.0  # seconds of processor time, for a rogue that is limited to one second


class Setting(Struct, frozen=True):
    """How a rogue is confined and started."""

    profile: StrictProfile | None  # None: without a sandbox
    templates: bool = True  # whether a template starts it; else a launcher does
    learning: bool = False  # whether it is granted a state folder
    seals: bool = True  # whether the harness can seal it
    shares: bool = False  # whether one template starts several rogues that live at the same time

    @property
    def state(self) -> str:
        """Return the path of the state folder."""
        return STATE if self.learning else f"{STAGE}/state"

    def launch(self, launch: Launch, cpu_seconds: int) -> Launch:
        """Return the launch in this setting. Raises: SandboxError, if this machine does not prove it."""
        if self.profile is None:
            return NoSandbox().wrap(launch)
        granted = replace(
            launch, state=StateLimits(size_mb=1, files=100) if self.learning else None, reads_while_playing=not self.seals
        )
        sandbox = StrictSandbox(profile=self.profile, memory_mb=MEMORY_MB, cpu_seconds=cpu_seconds, threads=launch.threads)
        wrapped = replace(sandbox, sealed="required" if self.seals else "preferred").wrap(granted)
        if self.templates and not wrapped.prefork:
            raise SandboxError("this machine does not prove templates")
        return replace(wrapped, prefork=self.templates)


def setting(text: str) -> Setting:
    """Return the setting called ``bare``, ``A`` (started by a template), ``A-launcher``, ``A-learning-unsealed`` and so on."""
    profile, *options = text.split("-")
    chosen: StrictProfile | None = convert(None if profile == "bare" else profile, StrictProfile | None)
    return Setting(
        chosen,
        templates="launcher" not in options,
        learning="learning" in options,
        seals="unsealed" not in options,
        shares="shared" in options,
    )


class _Leaking(subprocess.Popen[bytes]):
    """Leaves descriptors open for every process that it starts, templates too."""

    leaked: tuple[int, ...] = ()

    def __init__(self, *arguments: Any, pass_fds: tuple[int, ...] = (), **options: Any) -> None:
        super().__init__(*arguments, pass_fds=(*pass_fds, *self.leaked), **options)  # type: ignore[call-overload]


subprocess.Popen = _Leaking  # type: ignore[assignment, misc]


class RogueProcess:
    """A rogue's process: a module of this package with its arguments, and a scene as the last of them."""

    def __init__(
        self, arguments: tuple[str, ...], scene: Scene, how: Setting, cpu_seconds: int = CPU_SECONDS, threads: int = 1
    ) -> None:
        command = (sys.executable, "-s", "-P", "-m", *arguments, encode(replace(scene, state=how.state)).decode())
        package = f"{STAGE}/package"
        launch = Launch(
            command=command,
            folder=scene.folder,
            reads=(f"{package}/rogues",),
            environment=(("PYTHONPATH", package),),
            threads=threads,
        )
        _Leaking.leaked = (scene.inherited,)
        self.child = Child(how.launch(launch, cpu_seconds))
        self.child.wait_ready()
        self.pid = self.child.pid
        self._sealed = False
        if how.shares and (template := self.child._template):  # noqa: SLF001 - no bot can do this
            template.release()

    def seal(self) -> None:
        """Seal it, as a player does with a bot that is ready; nothing happens without a sandbox."""
        if seal := self.child.seal:
            with self.child.stopped():
                seal.apply(self.pid, self.child.folders)
            self._sealed = True

    def output(self, within: float) -> str:
        """Return what it writes until it ends, or is ended after ``within`` seconds without output; ``no output``: nothing."""
        received = b""
        while chunk := self.chunk(within):
            received += chunk
        self.end()
        return received.decode(errors="replace").strip() or "no output"

    def chunk(self, within: float) -> bytes:
        """Return the next bytes that it writes; empty: it wrote nothing within ``within`` seconds, or ended."""
        return os.read(self.child.stdout, 4096) if self._has_written(within) else b""

    def _has_written(self, within: float) -> bool:
        """Return whether it writes, or ends, within ``within`` seconds. Its calls are answered meanwhile."""
        starting, deadline = of_this_thread(), time.monotonic() + within
        while (left := deadline - time.monotonic()) > 0:
            listener = self.child.seal.listener if self._sealed and self.child.seal and not self.child.seal.is_closed else None
            serving = starting.fileno() if listener is None else listener
            assert serving is not None
            ready = select.select([self.child.stdout, serving], [], [], left)[0]
            if self.child.stdout in ready:
                return True
            if listener is None:
                starting.serve()
            elif self.child.seal:
                self.child.seal.answer()
        return False

    def asked(self, line: str, within: float) -> str:
        """Return the answer to a line; empty: it gave none within ``within`` seconds, or ended."""
        try:
            os.write(self.child.stdin, f"{line}\n".encode())
        except BrokenPipeError:
            return ""
        return self.chunk(within).decode(errors="replace").strip()

    def is_stopped_in_time(self) -> bool:
        """Return whether it ends before it has used TOO_LONG of processor time, a clock that is right on a busy machine too."""
        while not self._has_written(0.05):
            if time.clock_gettime(~self.pid << 3 | 2) > TOO_LONG:
                self.end()
                return False
        self.end()
        return True

    def end(self) -> None:
        """Kill it and wait for it."""
        for kill in (os.kill, os.killpg):
            with suppress(ProcessLookupError):
                kill(self.pid, signal.SIGKILL)
        self.child.end()
        while self.child.folders:
            os.close(self.child.folders.popitem()[1])


def staged(stack: ExitStack) -> Scene:
    """Listen on every address that a rogue connects to, and leave a file open that it inherits."""
    tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    port = tcp.getsockname()[1]
    for kind, name in (
        (socket.SOCK_STREAM, f"{STAGE}/open/socket"),
        (socket.SOCK_STREAM, f"\0arena-{port}"),
        (socket.SOCK_DGRAM, f"\0arena-datagrams-{port}"),
    ):
        listener = stack.enter_context(socket.socket(socket.AF_UNIX, kind))
        listener.bind(name)
        if kind == socket.SOCK_STREAM:
            listener.listen(100)
    (STAGE / "open/socket").chmod(0o777)
    return Scene(
        referee=os.getpid(),
        secret=os.environ["SECRET"],
        stage=str(STAGE),
        folder=f"{STAGE}/bots/rogue",
        state=f"{STAGE}/state",
        inherited=os.open(STAGE / "home/key", os.O_RDONLY),
        port=port,
        memory_mb=MEMORY_MB,
    )
