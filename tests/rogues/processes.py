"""Rogues that start processes and threads, become other programs, or do not end."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from rogues.rogue import Scene, call, rogue

SLEEP = 30  # seconds; the referee finds and ends processes that are left
CLONE_VM, CLONE_FILES, CLONE_THREAD, CLONE_VFORK = 0x100, 0x400, 0x10000, 0x4000


def _linger() -> None:
    """Keep running in a new session, without the descriptors that the referee waits for."""
    os.setsid()
    for descriptor in range(3):
        os.close(descriptor)
    time.sleep(SLEEP)
    os._exit(0)


@rogue()
def forks(_: Scene) -> bool:
    child = os.fork()
    if child == 0:
        os._exit(0)
    return os.waitpid(child, 0)[0] == child


@rogue()
def forks_like_a_bomb(_: Scene) -> bool:
    """Bounded: forty children."""
    for _number in range(40):
        if os.fork() == 0:
            _linger()
    return True


@rogue()
def leaves_a_daemon(_: Scene) -> None:
    if os.fork() == 0:
        if os.fork() == 0:
            _linger()
        os._exit(0)


@rogue()
def leaves_a_child_that_ignores_every_signal(_: Scene) -> None:
    if os.fork() == 0:
        for number in {signal.SIGTERM, signal.SIGHUP, signal.SIGINT}:
            signal.signal(number, signal.SIG_IGN)
        _linger()


@rogue()
def clones_itself(_: Scene) -> bool:
    child = call("clone", signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    return child > 0


@rogue()
def leaves_a_sibling(_: Scene) -> None:
    """A child of the referee that the referee never started."""
    if call("clone", signal.SIGCHLD | 0x8000, 0, 0, 0, 0) == 0:
        _linger()


@rogue()
def clones_itself_in_the_new_way(_: Scene) -> bool:
    arguments = bytes(32) + int(signal.SIGCHLD).to_bytes(8, "little") + bytes(48)
    child = ctypes.CDLL(None, use_errno=True).syscall(435, arguments, ctypes.c_long(88))
    if child == 0:
        os._exit(0)
    return bool(child > 0)


@rogue()
def starts_a_thread(_: Scene) -> bool:
    threading.Thread(target=int).start()
    return True


@rogue()
def starts_a_hundred_threads(_: Scene) -> bool:
    threading.stack_size(64 << 10)
    for _number in range(100):
        threading.Thread(target=time.sleep, args=(SLEEP,), daemon=True).start()
    return True


@rogue()
def runs_a_shell(_: Scene) -> bool:
    return subprocess.run(["/bin/sh", "-c", "echo out"], check=True, capture_output=True).stdout == b"out\n"


@rogue()
def becomes_a_shell(_: Scene) -> None:
    os.execv("/bin/sh", ["sh", "-c", "echo succeeded"])  # noqa: S606 - the attack


@rogue()
def becomes_a_file_in_memory(_: Scene) -> None:
    file = os.memfd_create("program")
    os.write(file, Path("/bin/echo").read_bytes())
    os.execve(file, ["echo", "succeeded"], {})  # noqa: S606 - the attack


@rogue()
def becomes_a_program_of_its_own(scene: Scene) -> None:
    os.execv(f"{scene.folder}/program", ["program"])  # noqa: S606 - the attack


@rogue()
def uses_a_set_user_id_program(_: Scene) -> bool:
    return subprocess.run(["/bin/su", "--version"], check=True, capture_output=True).returncode == 0


@rogue()
def spawns(_: Scene) -> bool:
    return os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}), 0)[1] == 0


@rogue(cpu_seconds=1)
def spins_forever(_: Scene) -> None:
    while True:
        pass


@rogue(cpu_seconds=1)
def spins_and_ignores_the_warning(_: Scene) -> None:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        pass


@rogue()
def continues_itself(_: Scene) -> bool:
    """It could cancel the stop for its seal."""
    os.kill(os.getpid(), signal.SIGCONT)
    return True


@rogue()
def continues_a_thread_of_its_own(_: Scene) -> bool:
    return call("tgkill", os.getpid(), threading.get_native_id(), signal.SIGCONT) == 0


@rogue()
def stops_itself(_: Scene) -> bool:
    for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        signal.signal(number, signal.SIG_IGN)
        os.kill(os.getpid(), number)
    return True


@rogue()
def survives_its_parent(_: Scene) -> bool:
    """Clear PR_SET_PDEATHSIG, to outlive the referee."""
    return call("prctl", 1, 0, 0, 0, 0) == 0


@rogue()
def may_gain_privileges(_: Scene) -> bool:
    return call("prctl", 39, 0, 0, 0, 0) == 0


@rogue(root_only=True)
def has_a_capability(_: Scene) -> bool:
    capabilities = ctypes.create_string_buffer(24)
    ctypes.CDLL(None).capget(ctypes.c_uint64(0x20080522).value.to_bytes(8, "little"), capabilities)
    return any(capabilities.raw)


@rogue(root_only=True)
def is_root(_: Scene) -> bool:
    return os.geteuid() == 0
