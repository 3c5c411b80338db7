"""The log of the messages to and from a bot, at level DEBUG, and of what the bot writes to stderr, at level INFO.

Both go through ``logging``, since a worker may run far from the files of its run. A bot's text is never logged unchanged: whatever
could move a terminal's cursor, end a line or change the direction of writing is escaped, and its length is bounded.
"""

import codecs
import logging

from arena.players.shortened_paths import shorten_paths
from arena.text import in_one_line, printable

log = logging.getLogger(__name__)
stderr_log = logging.getLogger("arena.stderr")  # its records have the attributes ``bot`` and ``fixture``

ANSWER_CHARS = 4096  # of an answer that are logged
LOGGED_BYTES = 64 * 1024  # of one process's stderr that are logged; the tail that explains a fault is kept separately


class TrafficLog:
    """The log of one process."""

    def __init__(self, bot: str = "", fixture: str = "", tail_bytes: int = 4096, folders: tuple[str, ...] = ()) -> None:
        """Keep the last ``tail_bytes`` bytes of stderr, to explain a fault; ``bot`` and ``fixture`` are its names in the log.

        ``folders`` are those of the bot and its libraries, to which names of files in that explanation are relative.
        """
        self._folders = folders
        self._bot = bot
        self._fixture = fixture
        self._tail_bytes = tail_bytes
        self._tail = b""
        self._cut = False  # something before the tail was dropped, so its first line may not be whole
        self._left = LOGGED_BYTES
        self._partial = ""  # a line whose end has not been received
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    @property
    def stderr_tail(self) -> str:
        """Return the end of what the bot wrote to stderr, safe to print: whole lines, if it has several, and short file names."""
        whole = self._tail.partition(b"\n")[2] if self._cut else b""
        return printable(shorten_paths((whole or self._tail).decode("utf-8", "backslashreplace"), self._folders))

    def log_sent(self, lines: bytes) -> None:
        """Log messages that are sent."""
        if log.isEnabledFor(logging.DEBUG):
            for line in lines.decode().splitlines():
                log.debug("%s %s < %s", self._fixture, self._bot, line)

    def log_received(self, line: bytes) -> None:
        """Log a message that was received."""
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s %s > %s", self._fixture, self._bot, _in_one_line(line))

    def add_stderr(self, chunk: bytes) -> None:
        """Keep the end of stderr, and log the whole lines in ``chunk``; after LOGGED_BYTES, log once that the rest is dropped."""
        written = self._tail + chunk
        self._tail = written[-self._tail_bytes :] if self._tail_bytes else b""
        self._cut = self._cut or len(written) > self._tail_bytes
        if self._left >= 0 and stderr_log.isEnabledFor(logging.INFO):
            text = self._partial + self._decoder.decode(chunk[: self._left])
            self._left -= len(chunk)
            lines, _, self._partial = text.rpartition("\n")
            self._write(lines)
            if self._left < 0:
                self.close()
                self._write(f"(more than {LOGGED_BYTES >> 10} KB; the rest is not logged)")

    def close(self) -> None:
        """Log a last line that has no newline."""
        self._write(self._partial + self._decoder.decode(b"", final=True))
        self._partial = ""

    def _write(self, lines: str) -> None:
        if lines:
            stderr_log.info("%s", printable(lines), extra={"bot": self._bot, "fixture": self._fixture})


def _in_one_line(line: bytes) -> str:
    text = in_one_line(line[:ANSWER_CHARS].decode("utf-8", "backslashreplace"))
    return text if len(line) <= ANSWER_CHARS else f"{text}... ({len(line)} bytes)"
