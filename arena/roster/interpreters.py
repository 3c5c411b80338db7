"""What a command in Python may read besides its folder: the interpreter that it names, and the libraries that its sources import.

A manifest is a stranger's text, so the interpreter is never asked: its folders are found by their layout, that of CPython's
``getpath`` and of PEP 405 (``pyvenv.cfg``). Libraries are granted as to bots of the SDK, one by one
(:mod:`arena.roster.distributions`): only those that the sources import, and what these require.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from os.path import isfile
from pathlib import Path
from typing import Final

from arena import disk
from arena.errors import RosterError
from arena.roster import distributions, python_bot
from arena.roster.manifest import PYTHON, SETTINGS, Reader
from arena.roster.python_bot import Root

_SETTINGS_BYTES: Final = 1 << 16
_SETTING: Final = re.compile(r"(?m)^\s*([\w-]+)\s*=\s*(.*?)\s*$")
_DEBIAN: Final = ("lib/python3*/dist-packages", "local/lib/python3*/dist-packages")


def reads(program: Path, arguments: Sequence[str], folder: Path, reader: Reader) -> tuple[str, ...]:
    """Return what a command in ``folder`` may read of an interpreter and its libraries; nothing, if the program is another one."""
    if not PYTHON.fullmatch(program.name):
        return ()
    environment = program.parent.parent  # if it is one
    settings = _settings(environment)
    base = Path(settings["home"]).parent if settings.get("home") else disk.real(program).parent.parent
    granted = {*_standard_library(base), *((environment / SETTINGS,) if settings else ())}
    if not environment.is_relative_to(folder):
        inherits = not settings or settings.get("include-system-site-packages") == "true"
        places = (*environment.glob("lib/python3*/site-packages"), *(_packages(base) if inherits else ()))
        granted |= {*map(Path, distributions.packages(_imported(arguments, folder, reader), places))}
    return tuple(sorted(str(path) for path in granted if not path.is_relative_to(folder)))


def _settings(environment: Path) -> Mapping[str, str]:
    """Return the settings of a virtual environment; nothing, if the folder is none."""
    try:
        text = disk.read(environment / SETTINGS, _SETTINGS_BYTES).decode()
    except (OSError, ValueError, disk.TooLargeError):
        return {}
    return dict(_SETTING.findall(text))


def _standard_library(base: Path) -> Iterator[Path]:
    """Yield the modules and shared libraries of an interpreter; a sandbox hides the packages among them."""
    for library in base.glob("lib/python3.*"):
        if isfile(library / "os.py"):
            yield library
            yield from base.glob("lib/libpython*")


def _packages(base: Path) -> Iterator[Path]:
    """Yield the folders of an interpreter's own packages."""
    for pattern in ("lib/python3*/site-packages", *_DEBIAN):
        yield from base.glob(pattern)


def _imported(arguments: Sequence[str], folder: Path, reader: Reader) -> frozenset[str]:
    """Return the top-level names that the sources of a command import; nothing of a source that cannot be read."""
    named = [folder / argument for argument in arguments if argument.endswith(".py")]
    for flag, module in pairwise(arguments):
        named += python_bot.module_files(folder, module.split(".")) if flag == "-m" else ()
    found = set[str]()
    for source in named:
        if not (isfile(source) and disk.real(source).is_relative_to(folder)):
            continue
        try:
            found |= python_bot.read(Root(module=source, package=folder, search=folder), reader).imported
        except RosterError:
            continue  # the interpreter will say what is wrong, or the file is no source
    return frozenset(found)
