"""Finds what bots have left running: behind real walls nothing, but a bot without walls may leave its group.

A process that adopts orphans (prctl(2), PR_SET_CHILD_SUBREAPER) becomes the parent of whatever a bot's children left behind, so
all of it is found among its own children.
"""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


@contextmanager
def swept() -> Iterator[list[int]]:
    """End, when the context is left, every child that came to this process in it; yields the list that then names them."""
    found: list[int] = []
    if sys.platform != "linux":
        yield found
        return
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = _children()
    try:
        yield found
    finally:
        while left := _children() - before:
            found.extend(left)
            for pid in left:
                _end(pid)


def _children() -> set[int]:
    """Return this process's children, of all of its threads. Source: proc(5), children."""
    lists = [task / "children" for task in Path("/proc/self/task").iterdir()]
    return {int(pid) for listed in lists for pid in listed.read_text(encoding="ascii").split()}


def _end(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
