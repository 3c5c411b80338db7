"""``python -m arena.sdk module:Class`` or ``path/to/bot.py:Class``: a bot's process."""

import gc
import os
import sys

from arena.sdk.importing import bot_class
from arena.sdk.loop import serve


def main(target: str) -> None:
    """Move file descriptor 1 aside, so that ``print()`` goes to the log, and only then import the bot."""
    answers = os.dup(1)
    os.dup2(2, 1)
    make = bot_class(target)
    gc.freeze()  # what is imported stays: no collection need look at it again
    serve(make, sys.stdin.buffer, answers)


main(sys.argv[1])
