"""The log of the messages to and from a bot, at level DEBUG, and of what the bot writes to stderr, at level INFO.

Both go through ``logging``, since a worker may run far from the files of its run. A bot's text is never logged unchanged: whatever
could move a terminal's cursor, end a line or change the direction of writing is escaped, and its length is bounded.
"""

import codecs
import contextlib
import logging
import os
import re
import select
import sys
import time
from functools import cache, lru_cache
from pathlib import Path

import arena
from arena.protocol.messages import STACK_SIGNAL
from arena.text import in_one_line, printable

# Shortens the names of files in what a bot writes: its own are relative to its folder, others to that of Python or arena.
#
# So the record of a fault is the same wherever a match is played, and does not name folders of that machine. This is no protection
# against a bot that encodes the name of its folder.

SHARED = {Path("/"), Path("/usr"), Path("/usr/local")}  # folders of every machine


@cache
def installation() -> frozenset[Path]:
    """Return the folders of this Python and of arena, except those that every machine has."""
    return frozenset({Path(arena.__file__).parent.parent, Path(sys.prefix), Path(sys.base_prefix)} - SHARED)


def shorten_paths(text: str, own: tuple[str, ...]) -> str:
    """Return a text of a bot with short names of files; ``own`` are the folders of the bot and of its libraries."""
    return _pattern(own).sub("", text)


@lru_cache(1024)
def _pattern(own: tuple[str, ...]) -> re.Pattern[str]:
    folders = {str(folder) for folder in (*installation(), *map(Path, own)) if folder not in SHARED}
    folders |= set(map(in_stack, folders))
    names = "|".join(re.escape(name) for name in sorted(folders, key=len, reverse=True))
    return re.compile(rf"(?<![\w./-])(?:{names})/")


def in_stack(name: str) -> str:
    """Return the name of a file as faulthandler writes it: in ASCII, any other character by its number."""
    return name.encode("ascii", "backslashreplace").decode()


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


# Gets the stack of a bot that exceeded its time, and keeps the frames outside arena: those of the bot and of its libraries.
#
# The harness sends SIGURG, on which the SDK has Python's faulthandler write the stack to stderr. faulthandler is written in C, so
# it interrupts any loop and any waiting call; it needs no thread, and no system call that a bot may not make. The signal is SIGURG
# because a program that does not handle it ignores it (signal(7)). A bot may write anything instead, so the wait and the text are
# bounded.

WAIT = 0.1  # seconds at most for the whole stack
PAUSE = 0.01  # seconds without output that end a stack
READ_BYTES = 65536  # at most; faulthandler writes up to a hundred frames, which is a tenth of that
FRAMES = 6  # innermost frames that are kept: with the heading they fit into what `arena bots check` shows of stderr
HEADING = b"Out of time in (most recent call last):\n"

_ARENA = in_stack(f"{Path(arena.__file__).parent}/").encode()
_STACK = re.compile(rb"Stack \(most recent call first\):\n((?:  .*\n)*)")  # as faulthandler writes it
_SDK_FRAME = re.compile(rb'  File "(?:<frozen|' + re.escape(_ARENA) + b")")


def request_stack(pid: int, stderr: int) -> bytes:
    """Signal a bot's process and return what it writes to ``stderr`` within WAIT seconds, without the frames of the SDK."""
    try:
        os.kill(pid, STACK_SIGNAL)
    except OSError:  # it has ended
        return b""
    return own_frames(_read(stderr))


def own_frames(text: bytes) -> bytes:
    """Return the text with each stack cut to its FRAMES innermost frames outside arena; a stack without such frames is removed.

    The innermost frame comes last, as in a traceback: summaries show the last line.
    """
    return _STACK.sub(_own_part, text)


def _own_part(stack: re.Match[bytes]) -> bytes:
    frames = [line for line in stack[1].splitlines(keepends=True) if not _SDK_FRAME.match(line)]
    more = (b"  ...\n",) if len(frames) > FRAMES else ()
    return b"".join((HEADING, *more, *reversed(frames[:FRAMES]))) if frames else b""


def _read(stderr: int) -> bytes:
    """Return the bytes written within WAIT seconds, until a pause of PAUSE seconds; READ_BYTES bytes at most."""
    text, end = b"", time.monotonic() + WAIT
    poll = select.poll()
    poll.register(stderr, select.POLLIN)
    while len(text) < READ_BYTES and poll.poll(1000 * min(PAUSE if text else WAIT, max(0.0, end - time.monotonic()))):
        chunk = b""
        with contextlib.suppress(OSError):
            chunk = os.read(stderr, READ_BYTES - len(text))
        if not chunk:
            break
        text += chunk
    return text
