"""``python -m arena.players.sandboxes.inside SCENE``: the bot that attacks the walls around it, for ``probe.py``.

Prints the names of the attacks that got through, as JSON. Each is a wall's touchstone; the whole suite is in tests/rogues/.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import platform
import resource
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.json import decode, encode

from arena.players.sandboxes.syscalls import MACHINES, NUMBERS

BAIT = "bait"  # a file in the bot's folder
SECRET = "the walls are down"  # noqa: S105 - anybody may know it
MEMORY_MB = 64
F_SETOWN, TIOCSTI = 8, 0x5412
FORBIDDEN = [
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "kcmp",
    "pidfd_open",
    "unshare",
    "setns",
    "mount",
    "umount2",
    "bpf",
    "perf_event_open",
    "io_uring_setup",
    "userfaultfd",
    "memfd_create",
    "add_key",
    "keyctl",
    "shmget",
    "semget",
    "msgget",
    "mq_open",
    "inotify_init1",
    "fanotify_init",
    "socket",
    "connect",
    "setpriority",
    "sched_setaffinity",
    "chmod",
    "truncate",
    "setxattr",
    "open_by_handle_at",
    "execveat",
    "rt_sigqueueinfo",
    "tkill",
]


class Scene(Struct, frozen=True):
    """What there is to attack."""

    referee: int  # the harness's process number
    secret: str  # a file that holds SECRET, which any user may read
    namespaces: bool  # whether files outside must not even be seen


def main(scene: Scene) -> None:
    """Attack every wall."""
    os.write(1, encode([name for name, attack in ATTACKS.items() if _gets_through(attack, scene)]))
    os._exit(0)


def _gets_through(attack: Callable[[Scene], object], scene: Scene) -> bool:
    """Make an attack, which gets through unless it fails or returns something false."""
    try:
        return bool(attack(scene))
    except (OSError, MemoryError, RuntimeError, ValueError):
        return False


def _read(scene: Scene) -> bool:
    return Path(scene.secret).read_text(encoding="ascii") == SECRET


def _see(scene: Scene) -> bool:
    return scene.namespaces and Path(scene.secret).exists()


def _write(_: Scene) -> bool:
    return Path("written").write_text("x", encoding="ascii") > 0


def _empty(_: Scene) -> bool:
    os.open(BAIT, os.O_RDONLY | os.O_TRUNC)
    return True


def _fork(_: Scene) -> bool:
    if os.fork() == 0:
        os._exit(0)
    return True


def _thread(_: Scene) -> bool:
    threading.Thread(target=int).start()
    return True


def _execute(_: Scene) -> bool:
    os.execv("/nowhere", ["nowhere"])  # noqa: S606 - it must not even be looked for
    return True


def _signal(scene: Scene) -> bool:
    os.kill(scene.referee, 0)
    return True


def _limit(scene: Scene) -> bool:
    resource.prlimit(scene.referee, resource.RLIMIT_CPU)
    return True


def _own_pipe(scene: Scene) -> bool:
    fcntl.fcntl(1, F_SETOWN, scene.referee)
    return True


def _type_ahead(_: Scene) -> bool:
    return _errno("ioctl", 0, TIOCSTI, 0) != errno.EPERM


def _allocate(_: Scene) -> bool:
    return len(bytearray(2 * MEMORY_MB << 20)) > 0


def _share(_: Scene) -> bool:
    return len(mmap.mmap(-1, 1 << 20)) > 0


def _connect(_: Scene) -> bool:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
    return True


def _is_root(_: Scene) -> bool:
    return os.getuid() == 0 and os.geteuid() == 0


def _gain(_: Scene) -> bool:
    """Be able to gain privileges from a set-user-ID program."""
    return int(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0)) != 1


def _keep(_: Scene) -> bool:
    """Hold more than the three descriptors of a conversation."""
    return any(_is_open(descriptor) for descriptor in range(3, 64))


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _survive(_: Scene) -> bool:
    """Be free to outlive the harness."""
    return _errno("prctl", 1, 0, 0, 0, 0) != errno.EPERM


def _call(name: str) -> Callable[[Scene], bool]:
    """Make a system call with arguments that make no sense: whoever answers that they make none would have listened to others."""
    return lambda _: _errno(name, -1, -1, -1, -1, -1, -1) not in (errno.EPERM, errno.ENOSYS)


def _errno(name: str, *arguments: int) -> int:
    """Return what a system call fails with; 0: it does not fail."""
    number = NUMBERS[name][MACHINES[platform.machine()][1]]
    kernel = ctypes.CDLL(None, use_errno=True)
    failed = kernel.syscall(number, *(ctypes.c_long(argument) for argument in arguments)) == -1
    return ctypes.get_errno() if failed else 0


ATTACKS: dict[str, Callable[[Scene], bool]] = {
    "reads a file that is none of its business": _read,
    "sees a file that is none of its business": _see,
    "writes into its folder": _write,
    "empties a file": _empty,
    "starts a process": _fork,
    "starts a thread": _thread,
    "executes a program": _execute,
    "signals the referee": _signal,
    "reads the referee's limits": _limit,
    "owns a pipe in the referee's name": _own_pipe,
    "types into a terminal": _type_ahead,
    "exceeds its memory": _allocate,
    "shares memory": _share,
    "opens a connection": _connect,
    "is root": _is_root,
    "may gain privileges": _gain,
    "inherits a file": _keep,
    "outlives the referee": _survive,
    **{f"calls {name}": _call(name) for name in FORBIDDEN},
}

if __name__ == "__main__":
    main(decode(sys.argv[1], type=Scene))
