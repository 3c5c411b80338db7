"""What the SDK does when a bot is ready: in a sandbox the bot cannot open a file from then on.

Without a sandbox an import fails then too, so that an author sees the error early. The lines that a traceback shows are read
before.
"""

import importlib
import importlib.util
import linecache
import os
import os.path
import sys
from collections.abc import Sequence
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec
from types import ModuleType

READS = "ARENA_READS_WHILE_PLAYING"  # in the environment of a bot that is never sealed
LAZY = {"numpy": ("numpy.fft", "numpy.linalg", "numpy.random")}  # modules that a library imports when they are first used
MOST_FILES, MOST_BYTES = 100, 1 << 20  # of a bot whose lines are kept


class LateImports:
    """A finder of modules that refuses each import from a file."""

    def __init__(self) -> None:
        self._named: set[str] = set()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:  # noqa: ARG002
        """Raise ImportError; name the module on stderr, once, since the bot may catch the error and fail later."""
        error = f"import of {name!r} after `ready`: a bot opens no file then; import it at the top of the bot's module"
        if name not in self._named:
            self._named.add(name)
            print(error, file=sys.stderr)  # noqa: T201 - it goes to the bot's log
        raise ImportError(error, name=name)


def seal() -> None:
    """Refuse every further import from a file, and keep the lines of the bot's own files for tracebacks.

    The modules of LAZY are imported before. A bot that reads while it plays is left as it is.
    """
    if READS in os.environ:
        return
    for library in LAZY.keys() & sys.modules.keys():
        for module in LAZY[library]:
            importlib.import_module(module)
    _keep_lines()
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter, LateImports()]


def _keep_lines() -> None:
    """Keep the lines of the bot's own files in ``linecache``, and let it open no file any more."""
    own, left = f"{os.getcwd()}/", MOST_BYTES  # noqa: PTH109 - likewise
    files = [file for module in [*sys.modules.values()] if (file := getattr(module, "__file__", None)) and file.startswith(own)]
    for file in filter(os.path.isfile, files[:MOST_FILES]):  # a virtual environment in this folder may have unreadable ones
        if file.endswith(".py") and (left := left - os.stat(file).st_size) >= 0:  # noqa: PTH116 - likewise
            lines = linecache.getlines(file)
            linecache.cache[file] = (0, None, lines, file)  # without a time, so that it is never checked again
    linecache.updatecache = linecache.checkcache = lambda *_: []  # type: ignore[assignment]  # it takes any arguments
