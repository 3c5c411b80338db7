"""``python -m arena.tournament.executors.cluster.player``: the process in which a worker's matches are played, one after the other.

Dask runs its tasks in threads beside an event loop. A match is no task for a thread: ``players/orphans.py`` ends every process that
a match leaves behind below its own, and an aborted match is ended by a signal. So each thread of a Dask worker has a process of
this kind. Calls arrive on stdin and answers leave on stdout, each behind its length; what is printed goes to stderr.

When the worker has gone, even by SIGKILL, nobody holds the other end of stdin: this process then ends, and with it its bots.
"""

import os
import pickle
import select
import signal
import struct
import sys
import threading
from typing import BinaryIO

from arena import stopping
from arena.tournament.executors.workers import outcome

LENGTH = struct.Struct("=Q")
GRACE = 2.0  # seconds to close the bots at the table


def main() -> None:
    """Answer calls until the input ends."""
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for which in (signal.SIGINT, signal.SIGHUP):
        signal.signal(which, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_follow_worker, args=(calls.fileno(),), daemon=True).start()
    while (call := read(calls)) is not None:
        write(answers, outcome(call))


def read(stream: BinaryIO) -> bytes | None:
    """Return the next message; None: there is none."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    [length] = LENGTH.unpack(head)
    text = stream.read(length)
    return text if len(text) == length else None


def write(stream: BinaryIO, text: bytes) -> None:
    """Write a message. Raises: OSError."""
    stream.write(LENGTH.pack(len(text)) + text)
    stream.flush()


def call_of(work: object, argument: object) -> bytes:
    """Return a call as it is sent: a function that can be imported, and its argument."""
    return pickle.dumps((work, (argument,), {}))


def _end(which: int, _: object) -> None:
    """Unwind, which closes the bots, and be gone soon in any case."""
    signal.signal(which, signal.SIG_IGN)
    stopping.end_soon(1, GRACE)
    sys.exit(1)


def _follow_worker(calls: int) -> None:
    """End this process when nobody can send it calls any more. Source: poll(2), which reports POLLHUP unasked."""
    gone = select.poll()
    gone.register(calls, 0)
    gone.poll()
    os.kill(os.getpid(), signal.SIGTERM)
    stopping.end_soon(1, GRACE)


if __name__ == "__main__":
    main()
