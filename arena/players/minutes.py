"""What is written down of a conversation with a bot: every message, for DEBUG, and the bot's stderr, which is its own log.

Both go through logging, for a worker may be a long way from the files of its run. Nothing a bot wrote gets there as it stands:
what could move a terminal's cursor, end a line or turn the direction of writing is escaped, and there is an end to it.
"""

import codecs
import logging
import re

from arena.protocol.codec import LINE_BYTES

log = logging.getLogger(__name__)
stderr_log = logging.getLogger("arena.stderr")  # its records say in ``bot`` whose they are, and in ``fixture`` where

SHOWN = 4096  # characters of an answer that DEBUG shows
KEPT = 64 * 1024  # bytes of stderr that one process may have written down; its last words, which explain a fault, are kept apart
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and newline
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # no width, other lines, other directions
    "\ud800-\udfff]"
)


class Minutes:
    """The minutes of one process: whose, and in which fixture."""

    def __init__(self, bot: str = "", fixture: str = "", last_words: int = 4096) -> None:
        """Keep so many bytes of the end of stderr, to explain a fault."""
        self._bot = bot
        self._fixture = fixture
        self._last_words = last_words
        self._tail = b""
        self._left = KEPT
        self._unended = ""  # the start of a line
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    @property
    def said(self) -> str:
        """Return the end of what the bot wrote to stderr, safe to print."""
        return printable(self._tail.decode("utf-8", "backslashreplace"))

    def told(self, lines: bytes) -> None:
        """Write down messages that are sent."""
        if log.isEnabledFor(logging.DEBUG):
            for line in lines.decode().splitlines():
                log.debug("%s %s < %s", self._fixture, self._bot, line)

    def answered(self, line: bytes) -> None:
        """Write down a message that came back."""
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s %s > %s", self._fixture, self._bot, _in_one_line(line[:LINE_BYTES]))

    def overhear(self, chunk: bytes) -> None:
        """Write down what came on stderr, line by line; beyond ``KEPT`` nothing more than that it was too much."""
        self._tail = (self._tail + chunk)[-self._last_words :] if self._last_words else b""
        if self._left > 0 and stderr_log.isEnabledFor(logging.INFO):
            text = self._unended + self._decoder.decode(chunk[: self._left])
            self._left -= len(chunk)
            lines, _, self._unended = text.rpartition("\n")
            self._write(lines)
            if self._left <= 0:
                self.close()
                self._write(f"({KEPT >> 10} KB are full; the rest was thrown away)")

    def close(self) -> None:
        """Write down a last line that was not ended."""
        self._write(self._unended)
        self._unended = ""

    def _write(self, lines: str) -> None:
        if lines:
            stderr_log.info("%s", printable(lines), extra={"bot": self._bot, "fixture": self._fixture})


def printable(text: str) -> str:
    """Return a text of lines that does nothing to a terminal."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), text)


def _in_one_line(line: bytes) -> str:
    text = printable(line[:SHOWN].decode("utf-8", "backslashreplace")).replace("\n", "\\n")
    return text if len(line) <= SHOWN else f"{text}... ({len(line)} bytes)"
