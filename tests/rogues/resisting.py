"""``python -m rogues.resisting NAME THREADS``: a bot that resists its seal by an act, in THREADS threads beside its first one."""

import ctypes
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct

from arena.confinement.syscalls import NUMBERS_HERE

Act = Callable[[], object]
READY = b'{"type":"ready","protocol":1}\n'
HOLES = [f"hole-{number}" for number in range(5)]  # files in its folder
HOLE_BYTES = 1 << 30
CLONE_VM, CLONE_VFORK = 0x100, 0x4000
BUFFER = bytearray(1 << 20)
FILE = 60  # descriptor of the first of them, open from the beginning
AGAIN = "again"  # the only argument of a program that has become itself


class Resistance(Struct, frozen=True):
    """What a bot does against its seal."""

    act: Act  # of each thread
    prepares: bool = False  # the first thread alone, before the bot is ready
    is_program: bool = False  # the bot is a program, which may execute another


RESISTANCES: dict[str, Resistance] = {}


def resists(*, prepares: bool = False, is_program: bool = False) -> Callable[[Act], Act]:
    """Register an act, by the function's name."""

    def enter(act: Act) -> Act:
        RESISTANCES[act.__name__.replace("_", " ")] = Resistance(act, prepares, is_program)
        return act

    return enter


def main(how: Resistance, threads: int) -> None:
    """Start the threads at ``hello``, be ready, and resist."""
    sys.stdin.readline()
    os.dup2(os.open(HOLES[0], os.O_RDONLY), FILE)
    threading.stack_size(256 << 10)
    begins = threading.Event()
    for _ in range(threads):
        threading.Thread(target=lambda: (begins.wait(), how.prepares or how.act()), daemon=True).start()
    if how.prepares:
        how.act()
    os.write(1, READY)
    begins.set()
    if not how.prepares:
        how.act()
    time.sleep(60)


def _storm(name: str, *arguments: int) -> None:
    """Make a system call without end, whatever it returns."""
    call = ctypes.CDLL(None).syscall
    while True:
        call(NUMBERS_HERE[name], *arguments)


@resists()
def waits() -> None:
    time.sleep(60)


@resists()
def storms_to_go_on() -> None:
    _storm("kill", os.getpid(), signal.SIGCONT)


@resists()
def storms_its_threads_to_go_on() -> None:
    _storm("tgkill", os.getpid(), threading.get_native_id(), signal.SIGCONT)


@resists()
def stops_and_goes_on() -> None:
    with suppress(PermissionError):
        os.kill(os.getpid(), signal.SIGSTOP)
    _storm("kill", os.getpid(), signal.SIGTTIN)


@resists()
def is_interrupted_again_and_again() -> None:
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    while True:
        time.sleep(1e-3)


@resists()
def starts_threads_without_end() -> None:
    while True:
        with suppress(RuntimeError):  # it has as many as it may
            threading.Thread(target=int).start()


@resists(prepares=True)
def starts_a_thread_more_than_it_may() -> None:
    """Where a user's threads are counted, its opponent would then lack one."""
    with suppress(RuntimeError):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        os._exit(3)


@resists()
def ends_its_first_thread() -> None:
    if threading.current_thread() is threading.main_thread():
        ctypes.CDLL(None).syscall(NUMBERS_HERE["exit"], 0)
    time.sleep(60)


@resists()
def ends() -> None:
    os._exit(0)


@resists()
def kills_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@resists()
def reads_address_zero() -> None:
    ctypes.string_at(0)


@resists()
def is_in_long_calls() -> None:
    while True:
        os.preadv(FILE, [BUFFER] * (HOLE_BYTES // len(BUFFER)), 0)


@resists()
def waits_for_an_answer_of_the_harness() -> None:
    while True:
        with suppress(OSError):
            os.stat("/no/such/name")


@resists()
def waits_for_a_clone_as_vfork_does() -> None:
    _storm("clone", CLONE_VM | CLONE_VFORK | signal.SIGCHLD, 0, 0, 0, 0)


@resists()
def requests_to_be_traced() -> None:
    _storm("ptrace", 0, 0, 0, 0)


@resists(prepares=True)
def has_one_file_open_in_every_descriptor() -> None:
    for _ in range(40):
        os.open(HOLES[0], os.O_RDONLY)


@resists(prepares=True)
def has_more_bytes_open_than_it_may() -> None:
    for name in HOLES:
        os.open(name, os.O_RDONLY)


@resists()
def moves_its_files_from_descriptor_to_descriptor() -> None:
    """Another thread may have moved it meanwhile."""
    while True:
        for one, other in ((FILE, FILE + 1), (FILE + 1, FILE)):
            with suppress(OSError):
                os.dup2(one, other)
                os.close(one)


@resists(prepares=True)
def has_mapped_more_regions_than_it_may() -> None:
    """Every second page of a file has other rights, so that the kernel keeps them apart."""
    kernel = ctypes.CDLL(None)
    kernel.mmap.restype = ctypes.c_void_p
    for page in range(60_000):
        offset = ctypes.c_long(2 * page * mmap.PAGESIZE)
        kernel.mmap(ctypes.c_void_p(), ctypes.c_size_t(mmap.PAGESIZE), 1 + 4 * (page & 1), 2, FILE, offset)


@resists(is_program=True)
def becomes_itself_again_and_again() -> None:
    """A program alone may: any other bot is refused."""
    with suppress(PermissionError):
        os.execv(sys.executable, [sys.executable, "-S", __file__, AGAIN])  # noqa: S606 - the act


if __name__ == "__main__":
    if sys.argv[1:] == [AGAIN]:
        becomes_itself_again_and_again()
    main(RESISTANCES[sys.argv[1]], int(sys.argv[2]))
