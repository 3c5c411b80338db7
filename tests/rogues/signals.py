"""Rogues that attack the referee's process: signals, tracing, memory, priority."""

import ctypes
import fcntl
import os
import resource
import signal
from pathlib import Path

from rogues.rogue import Scene, call, rogue

F_SETOWN, F_SETSIG, F_SETOWN_EX = 8, 10, 15
FIOASYNC = 0x5452


@rogue()
def tests_whether_the_referee_is_alive(scene: Scene) -> bool:
    os.kill(scene.referee, 0)
    return True


@rogue()
def signals_the_referee(scene: Scene) -> None:
    os.kill(scene.referee, signal.SIGUSR1)


@rogue()
def signals_its_parent(_: Scene) -> None:
    os.kill(os.getppid(), signal.SIGUSR1)


@rogue()
def signals_a_thread_of_the_referee(scene: Scene) -> None:
    call("tgkill", scene.referee, scene.referee, signal.SIGUSR1)


@rogue()
def signals_a_thread_of_the_referee_in_the_old_way(scene: Scene) -> None:
    call("tkill", scene.referee, signal.SIGUSR1)


@rogue()
def queues_a_signal(scene: Scene) -> None:
    code = (signal.SIGUSR1).to_bytes(4, "little") + bytes(4) + (-1).to_bytes(4, "little", signed=True) + bytes(116)
    call("rt_sigqueueinfo", scene.referee, signal.SIGUSR1, code)


@rogue()
def signals_by_descriptor(scene: Scene) -> None:
    call("pidfd_send_signal", call("pidfd_open", scene.referee, 0), signal.SIGUSR1, 0, 0)


@rogue()
def signals_every_process(_: Scene) -> None:
    os.kill(-1, signal.SIGUSR1)


@rogue()
def has_a_pipe_signal_the_referee(scene: Scene) -> None:
    """The owner of a pipe gets a signal of the bot's choice when the pipe can be read: no kill(2) is needed."""
    read, write = os.pipe()
    fcntl.fcntl(read, F_SETOWN, scene.referee)
    fcntl.fcntl(read, F_SETSIG, signal.SIGUSR1)
    fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
    os.write(write, b"x")


@rogue()
def names_an_owner_by_structure(scene: Scene) -> bool:
    fcntl.fcntl(1, F_SETOWN_EX, (1).to_bytes(4, "little") + scene.referee.to_bytes(4, "little"))
    return True


@rogue()
def has_its_pipe_signal_by_command(_: Scene) -> bool:
    fcntl.ioctl(os.pipe()[0], FIOASYNC, (1).to_bytes(4, "little"))
    return True


@rogue()
def traces_the_referee(scene: Scene) -> bool:
    return call("ptrace", 0x4206, scene.referee, 0, 0) == 0  # PTRACE_SEIZE; ends with the rogue


@rogue()
def requests_to_be_traced(_: Scene) -> bool:
    return call("ptrace", 0, 0, 0, 0) == 0


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def _vectors(scene: Scene) -> tuple[bytes, bytes]:
    """Return the address of the referee's program, and a buffer for its content."""
    start = int(Path(f"/proc/{scene.referee}/maps").read_text(encoding="ascii").partition("-")[0], 16)
    own = ctypes.create_string_buffer(16)
    return bytes(_Vector(ctypes.addressof(own), 16)), bytes(_Vector(start, 16))


@rogue()
def reads_the_referees_memory(scene: Scene) -> bool:
    own, other = _vectors(scene)
    return call("process_vm_readv", scene.referee, own, 1, other, 1, 0) == 16


@rogue()
def opens_the_referees_memory(scene: Scene) -> bool:
    return os.open(f"/proc/{scene.referee}/mem", os.O_RDWR) >= 0


@rogue()
def opens_a_descriptor_of_the_referee(scene: Scene) -> bool:
    return os.open(f"/proc/{scene.referee}/cwd", os.O_RDONLY) >= 0


@rogue()
def takes_a_descriptor_of_the_referee(scene: Scene) -> bool:
    return call("pidfd_getfd", call("pidfd_open", scene.referee, 0), 0, 0) >= 0


@rogue()
def opens_a_pidfd_of_the_referee(scene: Scene) -> bool:
    return call("pidfd_open", scene.referee, 0) >= 0


@rogue()
def compares_itself_with_the_referee(scene: Scene) -> bool:
    return call("kcmp", os.getpid(), scene.referee, 0, 1, 1) >= 0


@rogue()
def slows_the_referee_down(scene: Scene) -> None:
    os.setpriority(os.PRIO_PROCESS, scene.referee, 15)


@rogue()
def limits_the_referee(scene: Scene) -> None:
    _, most = resource.prlimit(scene.referee, resource.RLIMIT_NOFILE)
    resource.prlimit(scene.referee, resource.RLIMIT_NOFILE, (900, most))


@rogue()
def reads_the_referees_limits(scene: Scene) -> bool:
    return len(resource.prlimit(scene.referee, resource.RLIMIT_CPU)) == 2


@rogue()
def moves_the_referee_to_another_core(scene: Scene) -> None:
    os.sched_setaffinity(scene.referee, {min(os.sched_getaffinity(0))})


@rogue()
def makes_the_referee_idle(scene: Scene) -> None:
    os.sched_setscheduler(scene.referee, os.SCHED_BATCH, os.sched_param(0))


@rogue()
def offers_the_referee_to_the_oom_killer(scene: Scene) -> None:
    Path(f"/proc/{scene.referee}/oom_score_adj").write_text("999", encoding="ascii")


@rogue()
def changes_its_own_core(_: Scene) -> bool:
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    return True


@rogue()
def changes_its_own_priority(_: Scene) -> bool:
    return os.nice(1) > 0
