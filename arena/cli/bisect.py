"""Exit codes for ``git bisect run``: 0 is good, 1 to 124 is bad, 125 skips a commit, and above 127 ends the search.

A wrong answer would name the wrong commit. So with ``--bisect`` only a verdict is good or bad; anything else that ends the command,
a bug and a wrong option included, skips the commit, and a signal ends the search. Source: git-bisect(1).
"""

import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from arena import system

OPTION = "--bisect"
SKIP = 125
WEAKER = 4  # the exit code of ``arena regress`` for a verdict


@contextmanager
def exit_codes(arguments: Sequence[str]) -> Iterator[None]:
    """Change the exit codes of a command, if ``--bisect`` is among its arguments."""
    if OPTION not in arguments:
        yield
        return
    try:
        yield
    except SystemExit as ended:
        sys.exit(_code(ended.code))
    except Exception:  # noqa: BLE001 - a bug of ours says nothing about the commit
        traceback.print_exc()
        sys.exit(_code(1))


def _code(code: str | int | None) -> str | int | None:
    if code in (None, 0, WEAKER):
        return code
    return system.STOPPED if system.stop_requested() else SKIP
