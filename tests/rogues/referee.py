"""``python -m rogues.referee PROFILE [NAME ...]``: plays every rogue behind a profile's walls, in the cage.

Whatever a rogue says of itself, the referee looks at the marks it left: files, signals, limits, processes.
"""

import os
import resource
import select
import signal
import socket
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from msgspec import Struct, convert
from msgspec.json import encode
from msgspec.structs import replace
from rogues.rogue import Rogue, Scene, every_rogue

from arena.players.sandboxes.birth import Birth
from arena.players.sandboxes.none import NoSandbox
from arena.players.sandboxes.strict import Strict
from arena.players.sandboxes.walls import StrictProfile
from arena.roster.entrant import Launch

STAGE = Path("/tmp/stage")  # noqa: S108 - in the cage
MEMORY_MB = 64
PATIENCE = 4.0  # seconds for a rogue
TOO_LONG = 4.0  # seconds of processor time, for a rogue that has one
_signals: list[int] = []


class Outcome(Struct, frozen=True):
    """What came of a rogue."""

    through: bool
    how: str
    root_only: bool
    seen_under_c: bool


class Bot:
    """A rogue's process."""

    def __init__(self, rogue: Rogue, scene: Scene, profile: StrictProfile | None) -> None:
        command = (sys.executable, "-s", "-P", "-m", "rogues.play", rogue.subject, rogue.name, encode(scene).decode())
        package = f"{STAGE}/package"
        launch = Launch(command=command, folder=scene.folder, reads=(f"{package}/rogues",), environment=(("PYTHONPATH", package),))
        walls = NoSandbox() if profile is None else Strict(profile=profile, memory_mb=MEMORY_MB, cpu_seconds=rogue.cpu_seconds)
        launch = walls.wrap(launch)
        birth = Birth()
        self.process = Popen(
            launch.command,
            cwd=launch.folder,
            env=birth.environment(launch),
            pass_fds=(*birth.descriptors, scene.inherited),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
        self.pid = birth.bot(self.process, launch, within=10)

    def words(self, within: float) -> str:
        """Return what it says until it ends, or is ended; ``on and on``: it had to be."""
        heard = b""
        while more := self.word(within):
            heard += more
        self.end()
        return heard.decode(errors="replace").strip() or "on and on"

    def word(self, within: float) -> bytes:
        """Return the next that it says; empty: nothing within so many seconds, or it ended."""
        assert self.process.stdout
        heard = select.select([self.process.stdout], [], [], within)[0]
        return os.read(self.process.stdout.fileno(), 4096) if heard else b""

    def is_stopped_in_time(self) -> bool:
        """Wait for its end, or for more processor time than it may have; no other clock, for the machine may be busy."""
        assert self.process.stdout
        while not select.select([self.process.stdout], [], [], 0.05)[0]:
            if time.clock_gettime(~self.pid << 3 | 2) > TOO_LONG:
                self.end()
                return False
        self.end()
        return True

    def end(self) -> None:
        """Kill it and wait for it, as a player does."""
        for kill in (os.kill, os.killpg):
            try:
                kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if self.pid != self.process.pid:
            os.waitpid(self.pid, 0)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()


def main(profile: StrictProfile | None, names: list[str]) -> None:
    """Play the rogues, all or those named, and print the outcomes as JSON."""
    signal.signal(signal.SIGUSR1, lambda number, _: _signals.append(number))
    signal.signal(signal.SIGIO, lambda number, _: _signals.append(number))
    with ExitStack() as stack:
        scene = _scene(stack)
        pristine = {
            path: (path.read_bytes(), path.stat().st_mtime_ns)
            for path in STAGE.rglob("*")
            if path.is_file() and not path.is_symlink()
        }
        rogues = every_rogue()
        outcomes = {name: _played(rogues[name], scene, profile, pristine) for name in names or rogues}
    os.write(1, encode(outcomes))


def _scene(stack: ExitStack) -> Scene:
    """Listen wherever a bot might call, and forget to close a file."""
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
        inherited=os.open(STAGE / "home/key", os.O_RDONLY),
        port=port,
        memory_mb=MEMORY_MB,
    )


def _played(rogue: Rogue, scene: Scene, profile: StrictProfile | None, pristine: dict[Path, tuple[bytes, int]]) -> Outcome:
    """Play one rogue, clear up after it and judge it."""
    before = _marks()
    words = _outcome(rogue, scene, profile)
    left = _leftovers()
    after = _marks()
    changed = sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
    if changed:
        _clear_up(pristine, before)
    proofs = {
        "it said so": words == "through" or words.endswith("\nthrough"),
        f"{left} processes were left over": left > 0,
        f"it left marks: {', '.join(changed)}": changed and not rogue.pair,
    }
    proved = [how for how, is_so in proofs.items() if is_so]
    return Outcome(bool(proved), "; ".join(proved) or words, rogue.root_only, rogue.seen_under_c)


def _outcome(rogue: Rogue, scene: Scene, profile: StrictProfile | None) -> str:
    """Return what the rogue says, or what the clock says of one that only spins."""
    if rogue.pair:
        return _talk(rogue, scene, profile)
    bot = Bot(rogue, scene, profile)
    if rogue.cpu_seconds > 1:
        return bot.words(PATIENCE)
    return "stopped: by its limit" if bot.is_stopped_in_time() else "through"


def _talk(rogue: Rogue, scene: Scene, profile: StrictProfile | None) -> str:
    """Have one bot speak and another one listen; return the words of the listener."""
    speaker = Bot(rogue, replace(scene, role="speaks"), profile)
    said = speaker.word(PATIENCE).decode(errors="replace").strip()
    heard = Bot(rogue, replace(scene, role="listens"), profile).words(1.5)
    speaker.end()
    return heard if heard == "through" else f"spoke: {said}; listened: {heard}"


def _marks() -> dict[str, Any]:
    """Return the state of all that a rogue might change."""
    own = os.getpid()
    _give_signals_time()
    return {
        "signals": len(_signals),
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "limits": [resource.getrlimit(kind) for kind in range(16)],
        "cores": sorted(os.sched_getaffinity(0)),
        "scheduler": os.sched_getscheduler(0),
        "oom": Path(f"/proc/{own}/oom_score_adj").read_text(encoding="ascii"),
        **{str(path): _mark(path) for root in (STAGE, Path("/dev/shm")) for path in root.rglob("*")},  # noqa: S108 - the cage's
        **{f"/tmp/{name}": True for name in os.listdir("/tmp")},  # noqa: S108 - the cage's
    }


def _mark(path: Path) -> tuple[object, ...]:
    seen = path.lstat()
    times = () if path.is_dir() else (seen.st_mtime_ns,)
    attributes = () if path.is_symlink() else tuple(os.listxattr(path))
    return (
        seen.st_mode,
        seen.st_uid,
        seen.st_size if path.is_file() else 0,
        seen.st_nlink if path.is_file() else 0,
        *times,
        *attributes,
    )


def _give_signals_time() -> None:
    """Let a pending signal's handler run: it does between two instructions of Python."""
    time.sleep(0.002)


def _leftovers() -> int:
    """Count the processes that nobody should have left, and end them."""
    strangers = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in {1, os.getpid()} and _alive(name)]
    for stranger in strangers:
        try:
            os.kill(stranger, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return len(strangers)


def _alive(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] not in {"Z", "X"}
    except OSError:
        return False


def _clear_up(pristine: dict[Path, tuple[bytes, int]], before: dict[str, Any]) -> None:
    """Put every file back, and remove what is new."""
    for name in _marks().keys() - before.keys():
        path = Path(name)
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    for path, (content, modified) in pristine.items():
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
        mode = 0o777 if path.name == "program" else 0o666
        if path.stat().st_uid != os.geteuid():
            os.chown(path, os.geteuid(), os.getegid())
        if path.stat().st_mode & 0o7777 != mode:
            path.chmod(mode)
        for attribute in os.listxattr(path):
            os.removexattr(path, attribute)
        os.utime(path, ns=(modified, modified))  # or Python compiles the package anew, and leaves a mark of its own
    os.setpriority(os.PRIO_PROCESS, 0, max(0, os.getpriority(os.PRIO_PROCESS, 0)))


if __name__ == "__main__":
    main(convert(None if sys.argv[1] == "bare" else sys.argv[1], StrictProfile | None), sys.argv[2:])
