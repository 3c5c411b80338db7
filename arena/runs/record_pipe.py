"""A pipe for log records that survives the death of a writer; multiprocessing-logging uses it as its queue.

multiprocessing's own queue has one lock for all writers; in each of them a thread takes it to write. If a worker is killed while
it holds the lock, the threads of the others wait for it without end, and the others cannot exit, because they wait for their
threads. Here nothing is locked. The thread that logs a record writes it in frames, each whole or not at all (pipe(7), PIPE_BUF),
so what was logged before a kill has arrived. The reader drops the frames of a record that was cut short.
"""

import contextlib
import os
import pickle
import select
from collections import deque
from logging import LogRecord
from queue import Empty
from struct import Struct

HEADER = Struct("=IH??")  # the writer's process, the length of what follows, whether it begins a record, whether it ends one
ROOM = select.PIPE_BUF - HEADER.size
READ_BYTES = 65536


class RecordPipe:
    """Many processes write, one thread reads. The methods have the names of multiprocessing.Queue's."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        self._poll = select.poll()
        self._poll.register(self._read_end, select.POLLIN)
        self._rest = b""  # the start of a frame whose end was not read yet
        self._begun: dict[int, bytes] = {}  # by process: the start of a record
        self._whole: deque[bytes] = deque()  # records

    def put_nowait(self, record: LogRecord) -> None:
        """Write a record to the pipe before returning. Without a reader it is lost."""
        text, writer = pickle.dumps(record), os.getpid()
        with contextlib.suppress(BrokenPipeError):
            for start in range(0, len(text), ROOM):
                part = text[start : start + ROOM]
                os.write(self._write_end, HEADER.pack(writer, len(part), start == 0, start + ROOM >= len(text)) + part)

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
        """Return the number of whole records read; if it is 0, return 1 if the pipe has data."""
        return len(self._whole) or len(self._poll.poll(0))

    def write_only(self) -> None:
        """Close the end for reading, in a process that only writes: a write then fails when the reader has ended."""
        os.close(self._read_end)

    def close(self) -> None:
        """Close both ends."""
        os.close(self._read_end)
        os.close(self._write_end)

    def join_thread(self) -> None:
        """Do nothing: there is no thread to wait for."""

    def _read(self) -> None:
        """Read once from the pipe, and add its frames to their records."""
        text = self._rest + os.read(self._read_end, READ_BYTES)
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
        """Add a frame to the record of its process; a first frame drops a record of that process that was cut short."""
        record = part if first else self._begun[writer] + part
        if last:
            self._begun.pop(writer, None)
            self._whole.append(record)
        else:
            self._begun[writer] = record
