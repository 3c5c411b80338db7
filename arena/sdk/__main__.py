"""``python -m arena.sdk module:Class`` or ``path/to/bot.py:Class``: a bot's process."""

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

from arena.sdk.loop import serve


def main(target: str) -> None:
    """Move file descriptor 1 aside, so that ``print()`` goes to the log, and only then import the bot."""
    answers = os.dup(1)
    os.dup2(2, 1)
    where, _, name = target.rpartition(":")
    serve(getattr(_module(where), name), sys.stdin.buffer, answers)


def _module(where: str) -> ModuleType:
    """Import a module by its name, or a file by its path, whose folder may be imported from too."""
    if not where.endswith(".py"):
        return importlib.import_module(where)
    path = Path(where)
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader  # noqa: S101, PT018 - a name that ends in .py has a loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


main(sys.argv[1])
