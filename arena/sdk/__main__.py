"""``python -m arena.sdk module:Class`` or ``path/to/bot.py:Class``: a bot's process."""

import gc
import os
import sys
from types import TracebackType

from arena.sdk.importing import bot_class
from arena.sdk.loop import serve

ARENA = __file__.removesuffix("sdk/__main__.py")


def main(target: str) -> None:
    """Move file descriptor 1 aside, so that ``print()`` goes to the log, and only then import the bot."""
    answers = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # which is written line by line, so that `arena debug` shows a print in its turn
    sys.excepthook = _tell
    make = bot_class(target)
    gc.freeze()  # what is imported stays: no collection need look at it again
    serve(make, sys.stdin.buffer, answers)


def _tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Write a traceback from the bot's own code on; what called it says nothing to its author."""
    own = trace
    while own and _is_ours(own.tb_frame.f_code.co_filename):
        own = own.tb_next
    sys.__excepthook__(kind, error.with_traceback(own or trace), None)


def _is_ours(file: str) -> bool:
    return file.startswith(("<frozen", ARENA))


main(sys.argv[1])
