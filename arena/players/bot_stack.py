"""Gets the stack of a bot that exceeded its time, and keeps the frames outside arena: those of the bot and of its libraries.

The harness sends SIGURG, on which the SDK has Python's faulthandler write the stack to stderr. faulthandler is written in C, so
it interrupts any loop and any waiting call; it needs no thread, and no system call that a bot may not make. The signal is SIGURG
because a program that does not handle it ignores it (signal(7)). A bot may write anything instead, so the wait and the text are
bounded.
"""

import contextlib
import os
import re
import select
import time
from pathlib import Path

import arena
from arena.players.shortened_paths import in_stack
from arena.protocol.messages import STACK_SIGNAL

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
