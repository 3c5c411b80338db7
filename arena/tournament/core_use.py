"""The cores that this process may use, and how busy other programs keep them. Source: proc(5), stat.

Two readings of the kernel's counters are compared; they count in ticks of 10 ms, so the readings should lie at least 50 ms apart.
Where the system has no such counters, as on macOS, the load of other programs counts as 0.
"""

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

TICK = 1 / os.sysconf("SC_CLK_TCK")  # seconds
BUSY = (0, 1, 2, 5, 6, 7)  # columns: user, nice, system, interrupts and stolen time; not idle, and not waiting for a disk


class CoreCounts(Struct, frozen=True):
    """The counters at one moment."""

    at: float  # monotonic seconds
    own: float  # seconds of processor time of this process, and of the processes that it has waited for
    busy: dict[int, float]  # seconds that each core has been busy


def cores() -> tuple[int, ...]:
    """Return the numbers of the cores that this process may use."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else tuple(range(os.cpu_count() or 1))


def count() -> CoreCounts:
    """Read the counters now."""
    return CoreCounts(time.monotonic(), sum(os.times()[:4]), _busy(frozenset(cores())))


def used_by_others(before: CoreCounts, after: CoreCounts) -> float:
    """Return the mean number of cores that other programs kept busy between two readings."""
    busy = sum(after.busy.values()) - sum(before.busy.values()) - (after.own - before.own)
    return max(0.0, busy / max(TICK, after.at - before.at))


def idlest(before: CoreCounts, after: CoreCounts) -> list[int]:
    """Return the cores, first those that were least busy between two readings."""
    return sorted(cores(), key=lambda core: (after.busy.get(core, 0.0) - before.busy.get(core, 0.0), core))


def _busy(wanted: frozenset[int]) -> dict[int, float]:
    table = Path("/proc/stat")
    return dict(busy_seconds(table.read_text(encoding="ascii").splitlines(), wanted)) if table.exists() else {}


def busy_seconds(lines: Iterable[str], wanted: frozenset[int]) -> Iterator[tuple[int, float]]:
    """Yield each wanted core with the seconds that it has been busy, from the lines of /proc/stat."""
    for line in lines:
        name, *columns = line.split()
        if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in wanted:
            yield int(name[3:]), TICK * sum(int(columns[column]) for column in BUSY)
