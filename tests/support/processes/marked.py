"""Processes that bear a mark, and whether any of them is left."""

import os
import signal
import sys
import time
from pathlib import Path

from arena.confinement.prefork import is_template


def alive(mark: str) -> list[int]:
    """Return the processes that bear a mark in their environment or command line; those that wait to be reaped do not count.

    Templates and the bots that they have started bear no mark; they count if their parent bears it.
    """
    shown = {int(path.name): text for path in Path("/proc").iterdir() if path.name.isdigit() and (text := _shown(path))}
    marked = [process for process, text in shown.items() if mark.encode() in text]
    return [*marked, *(process for process, text in shown.items() if _is_cloned(text) and parent(process) in marked)]


def left(mark: str, seconds: float = 60.0) -> list[int]:
    """Return the processes that bear a mark and do not end: who was killed needs a moment to be gone.

    Templates and their bots that have lost their parent count too: they bear no mark.
    """
    end = time.monotonic() + seconds
    while (there := [*alive(mark), *_lost()]) and time.monotonic() < end:
        time.sleep(0.01)
    return there


def children() -> set[int]:
    """Return the child processes of this one but for templates; other tests may have left orphans."""
    lists = [task / "children" for task in Path("/proc/self/task").iterdir()]
    return {pid for listed in lists for pid in map(int, listed.read_text().split()) if not is_template(pid)}


def parent(process: int) -> int:
    """Return the number of a process's parent; 0: the process has ended."""
    return int((_stat(Path(f"/proc/{process}")) or ["", "0"])[1])


def _lost() -> list[int]:
    """Return templates of this interpreter, and bots that they have started, which belong to no harness."""
    shown = {int(path.name): _shown(path) for path in Path("/proc").iterdir() if path.name.isdigit()}
    cloned = [process for process, text in shown.items() if _is_cloned(text) and not is_template(process)]
    return [process for process in cloned if parent(process) in (1, os.getpid())]


def _is_cloned(text: bytes) -> bool:
    """Return whether the text of a process is that of a template, which its clones keep."""
    return f"{sys.executable}\0".encode() in text and b"arena.confinement.template" in text


def _shown(process: Path) -> bytes:
    """Return the environment and command line of a process; empty: it has ended."""
    try:
        text = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""
    return text if (_stat(process) or ["Z"])[0] not in "ZX" else b""


def _stat(process: Path) -> list[str]:
    """Return a process's state, parent and so on; empty: it has ended. Source: proc(5), stat."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def handles(process: int, which: signal.Signals) -> bool:
    """Tell whether a process has a handler for a signal. Source: proc_pid_status(5), SigCgt."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (which - 1) & 1)
