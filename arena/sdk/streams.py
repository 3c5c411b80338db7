"""Redirect a bot's ``print()`` to stderr, line by line, and ignore a closed pipe.

The referee closes its end of the pipe when a match is over, perhaps while the bot still prints. The standard streams would raise
BrokenPipeError, and make Python exit with code 120; here such output is dropped.
"""

import io
import os
import os.path
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def redirect() -> int:
    """Redirect printed text to stderr, and return a new descriptor of the original stdout, for answers only."""
    answers = os.dup(1)
    os.dup2(2, 1)
    stream = _Unclosed(io.BufferedWriter(_Unbroken(2, "w", closefd=False)), "utf-8", "backslashreplace", line_buffering=True)
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = stream  # type: ignore[misc]  # typeshed marks them Final
    return answers


class _Unbroken(io.FileIO):
    """Descriptor 2; a write that fails counts as written."""

    def write(self, data: "ReadableBuffer") -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _Unclosed(io.TextIOWrapper):
    """A stream that ``sys.stdout.close()`` only flushes, because stderr is the same object."""

    def close(self) -> None:
        self.flush()
