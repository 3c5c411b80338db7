"""``python -m arena.sdk module:Class`` or ``path/to/bot.py:Class``: a bot's process.

At the time limit the referee sends SIGURG, for which faulthandler is registered here: it writes the stack without a thread or
further permissions, even from a loop in C, and costs nothing per message.
"""

import atexit
import faulthandler
import gc
import sys
import traceback
from types import TracebackType

from arena.protocol.messages import CANNOT_PLAY, STACK_SIGNAL
from arena.sdk.checks import WARNING, misspelt
from arena.sdk.late_imports import seal
from arena.sdk.loading import bot_class
from arena.sdk.loop import serve
from arena.sdk.mistakes import BotError, CannotPlayError
from arena.sdk.streams import redirect

ARENA = __file__.removesuffix("sdk/__main__.py")


def main(target: str) -> None:
    """Redirect ``print()`` to stderr, then import the bot and serve it; the order matters, since an import may print."""
    answers = redirect()
    sys.excepthook = _explain
    # Before the import, which may itself exceed the time limit.
    faulthandler.register(STACK_SIGNAL, file=2, all_threads=False)
    make = bot_class(target)
    for warning in misspelt(make):
        print(f"{WARNING}{warning}")  # noqa: T201 - it goes to the bot's log
    # The imported modules stay alive, so no collection needs to visit them again before the end. At the end they are collected as
    # usual, so that a file is flushed that only a reference cycle holds.
    gc.freeze()
    atexit.register(gc.unfreeze)
    serve(make, sys.stdin.buffer, answers, seal)


def _explain(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Write the text of a BotError, or a traceback that begins at the bot's own code, without the SDK's frames above it."""
    if isinstance(error, BotError):
        sys.stderr.write(error.report())
        return
    own = trace
    while own and own.tb_frame.f_code.co_filename.startswith(("<frozen", ARENA)):
        own = own.tb_next
    # Not by sys.__excepthook__, which would open the bot's files to show their lines.
    traceback.print_exception(kind, error, own or trace)


try:
    main(sys.argv[1])
except CannotPlayError as error:
    sys.stderr.write(f"{error}\n")
    sys.exit(CANNOT_PLAY)
