"""The class that a target names, ``module:Class`` or ``path/to/bot.py:Class``. Only a bot's own process does this."""

import importlib
import importlib.util
import os.path
import sys
from types import ModuleType

from arena.sdk.bot import Bot


def bot_class(target: str) -> type[Bot]:
    """Import a bot's module and return its class. Whatever the import raises comes through."""
    where, _, name = target.rpartition(":")
    module = _from_file(os.path.abspath(where)) if where.endswith(".py") else importlib.import_module(where)  # noqa: PTH100
    made: type[Bot] = getattr(module, name)
    return made


def _from_file(path: str) -> ModuleType:
    """Import a file by its path; what stands in its folder may be imported from it."""
    folder, file = os.path.split(path)
    name = file.removesuffix(".py")
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
