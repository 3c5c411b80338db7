"""The clock of another process: its own processor time, whatever else the machine is doing."""

import contextlib
import time
from pathlib import Path


class ProcessClock:
    """The processor time of one process, of all its threads, and how long it waited for a processor."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._id = (~pid << 3) | 2  # Linux: the CPU-time clock of another process, clock_getcpuclockid(3)
        self._charged = 0.0

    def charge(self) -> float:
        """Return the processor seconds since the last charge."""
        now = self._now()
        spent, self._charged = now - self._charged, now
        return spent

    def running(self) -> float:
        """Return the processor seconds since the last charge, and leave them uncharged."""
        return self._now() - self._charged

    def starved(self) -> float:
        """Return the seconds that its threads have been ready to run while others ran. Source: proc(5), schedstat."""
        waited = 0
        with contextlib.suppress(OSError):  # no such file but on Linux, or the process is gone
            for task in Path(f"/proc/{self._pid}/task").iterdir():
                waited += int((task / "schedstat").read_text().split()[1])
        return waited / 1e9

    def _now(self) -> float:
        try:
            return time.clock_gettime(self._id)
        except OSError:  # it has ended
            return self._charged
