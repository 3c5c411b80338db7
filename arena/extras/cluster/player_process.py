"""A process that plays matches for a Dask worker, one call after the other: ``python -m arena.extras.cluster.player_process``.

Dask runs its tasks in threads beside an event loop. A match cannot run in such a thread: ``players/child.py`` ends all descendants
of its process that a match leaves behind, and an aborted match is ended by a signal. So each thread of a Dask worker has a player
process (``arena.extras.cluster.dask_task`` starts it). Calls arrive on stdin and answers leave on stdout; what is printed goes to
stderr.

When the worker has gone, even by SIGKILL, no process holds the other end of stdin: the player process then ends, with its bots.
"""

import os
import select
from contextlib import suppress
from multiprocessing.connection import Connection

from arena.tournament.executors import end_with_director
from arena.tournament.worker_pool import outcome


def main() -> None:
    """Answer calls until the input ends."""
    calls, answers = Connection(os.dup(0), writable=False), Connection(os.dup(1), readable=False)
    os.dup2(2, 1)
    gone = select.poll()
    gone.register(calls, 0)  # no process can send calls any more: poll(2) reports POLLHUP unasked
    end_with_director(gone.poll, code=1)
    with suppress(EOFError, OSError):  # the worker has gone
        while True:
            answers.send_bytes(outcome(calls.recv_bytes()))


if __name__ == "__main__":
    main()
