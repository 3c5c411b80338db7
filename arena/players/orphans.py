"""Finds and ends processes that bots have left running.

Under a strict profile there are none, but a bot without a sandbox may start processes and move them out of its process group. A
process that is a child subreaper (prctl(2), PR_SET_CHILD_SUBREAPER) becomes the parent of all orphans below it, so it finds them
among its own children.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.confinement.prefork import is_template

PR_SET_CHILD_SUBREAPER = 36


@contextmanager
def ending_orphans() -> Iterator[list[int]]:
    """End on exit every child that this process got inside the context; yields a list that is then filled with their numbers.

    Templates stay: they start the bots of later matches. Elsewhere than on Linux nothing is found.
    """
    orphans: list[int] = []
    if sys.platform != "linux":
        yield orphans
        return
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = _children()
    try:
        yield orphans
    finally:
        while left := {pid for pid in _children() - before if not is_template(pid)}:
            orphans.extend(left)
            for pid in left:
                _kill(pid)


def _children() -> set[int]:
    """Return the numbers of this process's children, of all its threads. Source: proc(5), children."""
    return {int(pid) for task in Path("/proc/self/task").iterdir() for pid in _children_of(task).split()}


def _children_of(task: Path) -> str:
    """Return the children of a thread, as text; a thread that has ended since it was listed has none."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return (task / "children").read_text(encoding="ascii")
    return ""


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
