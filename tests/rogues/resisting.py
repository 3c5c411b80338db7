"""``python -m rogues.resisting NAME THREADS``: a bot that resists its seal by an act, in THREADS threads beside its first one."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from ctypes import CDLL

from arena.confinement.syscalls import NUMBERS_HERE

Act = Callable[[], None]
ACTS: dict[str, Act] = {}
READY = b'{"type":"ready","protocol":1}\n'


def resists(act: Act) -> Act:
    """Register what each thread does, by the function's name."""
    ACTS[act.__name__.replace("_", " ")] = act
    return act


def main(act: Act, threads: int) -> None:
    """Start the threads at ``hello``, and be ready."""
    sys.stdin.readline()
    threading.stack_size(256 << 10)
    for _ in range(threads):
        threading.Thread(target=act, daemon=True).start()
    os.write(1, READY)
    act()
    time.sleep(60)


def _repeat(name: str, *arguments: int) -> None:
    kernel, number = CDLL(None), NUMBERS_HERE[name]
    while True:
        kernel.syscall(number, *arguments)


@resists
def waits() -> None:
    time.sleep(60)


@resists
def storms_to_go_on() -> None:
    _repeat("kill", os.getpid(), signal.SIGCONT)


if __name__ == "__main__":
    main(ACTS[sys.argv[1]], int(sys.argv[2]))
