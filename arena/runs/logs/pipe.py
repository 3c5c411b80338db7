"""A pipe for log records that nobody who is killed can break: what multiprocessing-logging takes for its queue.

multiprocessing's own queue has a lock for all who write and a thread in each of them that holds it. A worker killed in that moment
takes the lock with it: the records of all other workers wait without end, and so do the workers, which end after their thread.
Here nothing is locked. A record is cut into frames that the system writes whole or not at all (pipe(7), PIPE_BUF), by the thread
that logs, so that what was logged before a kill has arrived; of a record that was cut short its reader drops the frames.
"""

import contextlib
import os
import pickle
import select
from collections import deque
from logging import LogRecord
from queue import Empty
from struct import Struct

HEADER = Struct("=IH??")  # the writer's process, the length of what follows, whether a record begins with it, and ends
ROOM = select.PIPE_BUF - HEADER.size
READ_BYTES = 65536


class RecordPipe:
    """Many processes write, one thread reads. The names are those of multiprocessing.Queue."""

    def __init__(self) -> None:
        self._out, self._in = os.pipe()
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._rest = b""  # of what was read: the start of a frame
        self._begun: dict[int, bytes] = {}  # by process: the start of a record
        self._whole: deque[bytes] = deque()

    def put_nowait(self, record: LogRecord) -> None:
        """Write a record; it has left this process when this returns. If nobody reads any more it is lost."""
        text, writer = pickle.dumps(record), os.getpid()
        with contextlib.suppress(BrokenPipeError):
            for start in range(0, len(text), ROOM):
                part = text[start : start + ROOM]
                os.write(self._in, HEADER.pack(writer, len(part), start == 0, start + ROOM >= len(text)) + part)

    def get(self, timeout: float) -> LogRecord:
        """Return the next record. Raises: Empty, if none came within ``timeout`` seconds."""
        if not self._whole and self._poll.poll(timeout * 1000):
            self._read()
        if not self._whole:
            raise Empty
        record = pickle.loads(self._whole.popleft())  # noqa: S301 - written above, by our own processes; bots do not inherit it
        assert isinstance(record, LogRecord)
        return record

    def qsize(self) -> int:
        """Return how many records have been read; one, if there is more to be read. Records that were cut short do not count."""
        return len(self._whole) or len(self._poll.poll(0))

    def write_only(self) -> None:
        """Give up reading, in a process that only writes: so nobody waits for a reader who is gone."""
        os.close(self._out)

    def close(self) -> None:
        """Close both ends."""
        os.close(self._out)
        os.close(self._in)

    def join_thread(self) -> None:
        """Nothing to wait for: there is no thread."""

    def _read(self) -> None:
        """Read what there is, and put whole records together."""
        text = self._rest + os.read(self._out, READ_BYTES)
        place = 0
        while len(text) - place >= HEADER.size:
            writer, length, first, last = HEADER.unpack_from(text, place)
            end = place + HEADER.size + length
            if end > len(text):
                break
            self._add(writer, text[place + HEADER.size : end], first=first, last=last)
            place = end
        self._rest = text[place:]

    def _add(self, writer: int, part: bytes, *, first: bool, last: bool) -> None:
        """Add a frame to its record; one that was begun before it by the same process was cut short."""
        record = part if first else self._begun[writer] + part
        if last:
            self._begun.pop(writer, None)
            self._whole.append(record)
        else:
            self._begun[writer] = record
