"""``python -m arena.confinement.self_test TARGETS``: attacks its own confinement, for ``players/sandboxes.py``.

It makes two series of attacks, each when it receives a line, and answers with the names of those that succeeded, as JSON. The first
series must always fail: one attack for each thing that a layer prevents. The second must fail once the process is sealed. Between
the two it resists the stop for the seal. tests/rogues/ has many more.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.json import decode, encode

from arena.confinement.folder_calls import PATHS
from arena.confinement.process_files import AT_FDCWD
from arena.confinement.syscalls import NUMBERS_HERE, SEALED

BAIT = "bait"  # a file in the bot's folder
SECRET = "the sandbox leaks"  # noqa: S105 - a marker, not a password
MEMORY_MB = 64
STORM = 1e-3  # seconds between two signals of the process to itself
F_SETOWN, TIOCSTI, FUTEX_WAKE = 8, 0x5412, 1
FORBIDDEN = """
    ptrace process_vm_readv process_vm_writev kcmp pidfd_open unshare setns mount umount2 bpf perf_event_open io_uring_setup
    userfaultfd memfd_create add_key keyctl shmget semget msgget mq_open inotify_init1 fanotify_init socket connect
    setpriority sched_setaffinity chmod truncate setxattr open_by_handle_at execveat rt_sigqueueinfo tkill sysinfo fadvise64 pipe2
""".split()


class Targets(Struct, frozen=True):
    """The targets of the attacks."""

    referee: int  # the harness's process number
    secret: str  # a file that contains SECRET; any user may read it
    namespaces: bool  # whether files outside must not even be visible


def main(targets: Targets) -> None:
    """Run each series of attacks when a line arrives."""
    signal.signal(signal.SIGALRM, lambda *_: _succeeds(_continue, targets))
    for attacks in (ATTACKS, SEALED_ATTACKS):
        os.read(0, 100)
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.write(1, encode([name for name, attack in attacks.items() if _succeeds(attack, targets)]) + b"\n")
        signal.setitimer(signal.ITIMER_REAL, STORM, STORM)
    os._exit(0)


def _succeeds(attack: Callable[[Targets], object], targets: Targets) -> bool:
    """Run an attack, which succeeds unless it raises an error or returns a false value."""
    try:
        return bool(attack(targets))
    except (OSError, MemoryError, RuntimeError, ValueError):
        return False


def _read(targets: Targets) -> bool:
    return Path(targets.secret).read_text(encoding="ascii") == SECRET


def _see(targets: Targets) -> bool:
    return targets.namespaces and Path(targets.secret).exists()


def _write(_: Targets) -> bool:
    return Path("written").write_text("x", encoding="ascii") > 0


def _empty(_: Targets) -> bool:
    os.open(BAIT, os.O_RDONLY | os.O_TRUNC)
    return True


def _fork(_: Targets) -> bool:
    if os.fork() == 0:
        os._exit(0)
    return True


def _thread(_: Targets) -> bool:
    threading.Thread(target=int).start()
    return True


def _other_process(targets: Targets) -> int:
    """Return the number of the harness; if the bot itself has that number, one that no process has.

    Both may be process 1: the harness in a container, and the bot in a namespace of its own, in which the harness has no number. So
    the bot would signal itself, which does no harm and is no successful attack.
    """
    return targets.referee if targets.referee != os.getpid() else os.getpid() + 1


def _signal(targets: Targets) -> bool:
    os.kill(_other_process(targets), 0)
    return True


def _continue(_: Targets) -> bool:
    """Cancel a stop by the harness that is not complete."""
    os.kill(os.getpid(), signal.SIGCONT)
    return True


def _stop(_: Targets) -> bool:
    """Send itself signals of a terminal that stop a process; they are ignored, so that none does."""
    for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        signal.signal(number, signal.SIG_IGN)
        os.kill(os.getpid(), number)
    return True


def _limit(targets: Targets) -> bool:
    resource.prlimit(_other_process(targets), resource.RLIMIT_CPU)
    return True


def _own_pipe(targets: Targets) -> bool:
    fcntl.fcntl(1, F_SETOWN, _other_process(targets))
    return True


def _clock(targets: Targets) -> bool:
    """Read the processor time of another process: clock_getcpuclockid(3)."""
    return time.clock_gettime(~_other_process(targets) << 3 | 2) >= 0


def _futex(_: Targets) -> bool:
    """Wake the waiters of a futex in a page that every process may map; that there are none is not an error."""
    with open(__file__, "rb") as file, mmap.mmap(file.fileno(), 1, access=mmap.ACCESS_COPY) as page:
        word = ctypes.addressof(ctypes.c_char.from_buffer(page))
        return _errno("futex", word, FUTEX_WAKE, 1, 0, 0, 0) == 0


def _type_ahead(_: Targets) -> bool:
    return _errno("ioctl", 0, TIOCSTI, 0) != errno.EPERM


def _allocate(_: Targets) -> bool:
    return len(bytearray(2 * MEMORY_MB << 20)) > 0


def _share(_: Targets) -> bool:
    return len(mmap.mmap(-1, 1 << 20)) > 0


def _connect(_: Targets) -> bool:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
    return True


def _is_root(_: Targets) -> bool:
    return os.getuid() == 0 and os.geteuid() == 0


def _gain(_: Targets) -> bool:
    """Read PR_GET_NO_NEW_PRIVS: unless it is 1, a set-user-ID program gives privileges."""
    return int(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0)) != 1


def _inherit(_: Targets) -> bool:
    """Have a descriptor besides standard input, output and error, or a socket as one of them, as ``template`` has."""
    is_socket = (stat.S_ISSOCK(os.fstat(stream).st_mode) for stream in range(3))
    return any(is_socket) or any(_is_inherited(descriptor) for descriptor in range(3, 64))


def _share_session(_: Targets) -> bool:
    """Belong to the session of another process, which may have a terminal."""
    return os.getsid(0) != os.getpid()


def _is_inherited(descriptor: int) -> bool:
    """Tell whether a descriptor is open that this process did not open itself.

    libffi, which ctypes loads, keeps its own library open from release 3.5 on: a file that is open only for reading, close-on-exec.
    """
    try:
        kind, flags = os.fstat(descriptor).st_mode, fcntl.fcntl(descriptor, fcntl.F_GETFL)
        closed_by_exec = fcntl.fcntl(descriptor, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
    except OSError:
        return False
    return not (stat.S_ISREG(kind) and flags & os.O_ACCMODE == os.O_RDONLY and closed_by_exec)


def _survive(_: Targets) -> bool:
    """Clear PR_SET_PDEATHSIG, so that the bot outlives the harness."""
    return _errno("prctl", 1, 0, 0, 0, 0) != errno.EPERM


def _call(name: str) -> Callable[[Targets], bool]:
    """Return an attack: a system call with invalid arguments. Any error but these two shows that the call itself is allowed."""
    return lambda _: _errno(name, -1, -1, -1, -1, -1, -1) not in (errno.EPERM, errno.ENOSYS)


def _call_on_bait(name: str) -> Callable[[Targets], bool]:
    """Return an attack: a system call on a file that the bot may read. Any error but these two shows that the call is allowed."""
    takes_folder = PATHS.get(name, ((None, 0),))[0] == (0, 1)  # before the path, as openat
    folder = [AT_FDCWD] if takes_folder else []

    def attack(_: Targets) -> bool:
        path = ctypes.create_string_buffer(BAIT.encode())
        return _errno(name, *folder, ctypes.addressof(path), 0, 0, 0, 0) not in (errno.EPERM, errno.ENOSYS)

    return attack


def _errno(name: str, *arguments: int) -> int:
    """Return the errno of a system call; 0: it succeeded."""
    kernel = ctypes.CDLL(None, use_errno=True)
    failed = kernel.syscall(NUMBERS_HERE[name], *(ctypes.c_long(argument) for argument in arguments)) == -1
    return ctypes.get_errno() if failed else 0


ATTACKS: dict[str, Callable[[Targets], bool]] = {
    "reads a file outside its folder": _read,
    "sees a file outside its folder": _see,
    "writes into its folder": _write,
    "empties a file": _empty,
    "starts a process": _fork,
    "starts a thread": _thread,
    "executes a program": _call("execve"),
    "signals the referee": _signal,
    "continues itself": _continue,
    "stops itself": _stop,
    "reads the referee's limits": _limit,
    "makes the referee the owner of a pipe": _own_pipe,
    "reads another process's processor time": _clock,
    "shares a futex": _futex,
    "inserts input into a terminal": _type_ahead,
    "exceeds its memory limit": _allocate,
    "shares memory": _share,
    "opens a connection": _connect,
    "is root": _is_root,
    "may gain privileges": _gain,
    "inherits a descriptor": _inherit,
    "belongs to another's session": _share_session,
    "outlives the referee": _survive,
    **{f"calls {name}": _call(name) for name in FORBIDDEN if name in NUMBERS_HERE},
}

SEALED_ATTACKS: dict[str, Callable[[Targets], bool]] = {
    f"calls {name} when sealed": _call_on_bait(name) for name in SEALED if name in NUMBERS_HERE
}

if __name__ == "__main__":
    main(decode(sys.argv[1], type=Targets))
