"""Import the class of a target, ``module:Class`` or ``path/to/bot.py:Class``, perhaps with values, as ``Class(weight=2.5)``.

This is done in the bot's own process, or in one of arena that plays trusted bots without a sandbox.
"""

import importlib
import importlib.util
import os
import os.path
import sys
from types import ModuleType

from arena import parameters
from arena.sdk.bot import Bot
from arena.sdk.checks import check_class
from arena.sdk.mistakes import BotError

BOT = "bot_package"  # the name of the package around a bot's file


def bot_class(target: str) -> type[Bot]:
    """Import a bot's module and return its class. Raises: BotError, and any error of the import."""
    where, _, class_and_values = target.rpartition(":")
    try:
        name, values = parameters.split_parameters(class_and_values)
    except ValueError as error:
        raise BotError(str(error)) from None
    module = _from_file(os.path.abspath(where)) if where.endswith(".py") else importlib.import_module(where)  # noqa: PTH100
    if not hasattr(module, name):
        bots = [name for name, found in vars(module).items() if isinstance(found, type) and found.__module__ == module.__name__]
        raise BotError(f"{where} has no class {name!r}; it has {', '.join(bots) or 'no class'}")
    found = check_class(getattr(module, name), name)
    try:
        return parameters.with_values(found, values) if values else found
    except ValueError as error:
        raise BotError(f"{name}: {error}") from None


def _from_file(path: str) -> ModuleType:
    """Import a file by its path; if its folder is a package, the file can import modules of it, by relative imports or by name.

    A folder that is not a package may hold unrelated files. A file with the name of a library would be imported in its place, so
    such a folder is not added to ``sys.path``, and a file with the name of a standard module is imported by another name.
    """
    if not os.path.isfile(path):
        raise ImportError(f"{path} is not a file")
    folder, file = os.path.split(path)
    package, name = _import_package(folder), file.removesuffix(".py")
    if not package:
        return _execute(f"{BOT}_{name}" if name in sys.stdlib_module_names else name, path)
    sys.path.insert(0, folder)
    return importlib.import_module(package if name == "__init__" else f"{package}.{name}")


def _import_package(folder: str) -> str:
    """Import a folder as a package, and return its name; empty, if it is not a package.

    The outermost package is named BOT, because a folder may have the name of a library.
    """
    start = os.path.join(folder, "__init__.py")  # noqa: PTH118 - importing pathlib takes time
    if not os.path.isfile(start):
        return ""
    around, own = os.path.split(folder)
    if outer := _import_package(around):
        return f"{outer}.{own}"
    name = BOT
    while name in sys.modules and sys.modules[name].__file__ != start:  # of another bot in the same process
        name += "_"
    if name not in sys.modules:
        _execute(name, start, [folder])
    return name


def _execute(name: str, path: str, folders: list[str] | None = None) -> ModuleType:
    """Import a file as a module of that name; with ``folders``, as a package whose modules are there."""
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=folders)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
