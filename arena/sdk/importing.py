"""Import the class of a target, ``module:Class`` or ``path/to/bot.py:Class``; only in the bot's own process."""

import importlib
import importlib.util
import os.path
import sys
from types import ModuleType

from arena.sdk.bot import Bot
from arena.sdk.checks import check_class
from arena.sdk.mistakes import BotError


def bot_class(target: str) -> type[Bot]:
    """Import a bot's module and return its class. Raises: BotError, and any error of the import."""
    where, _, name = target.rpartition(":")
    module = _from_file(os.path.abspath(where)) if where.endswith(".py") else importlib.import_module(where)  # noqa: PTH100
    if not hasattr(module, name):
        bots = [name for name, found in vars(module).items() if isinstance(found, type) and found.__module__ == module.__name__]
        raise BotError(f"{where} has no class {name!r}; it has {', '.join(bots) or 'no class'}")
    return check_class(getattr(module, name), name)


def _from_file(path: str) -> ModuleType:
    """Import a file by its path; if its folder is a package, modules in that can be imported too.

    A folder that is not a package may hold unrelated files. One with the name of a library would be imported in its place, so such
    a folder is not added to ``sys.path``.
    """
    folder, file = os.path.split(path)
    name = file.removesuffix(".py")
    if os.path.isfile(os.path.join(folder, "__init__.py")):  # noqa: PTH113, PTH118 - importing pathlib would slow every start
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
