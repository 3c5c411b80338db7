"""What a command in Python may read besides its folder: the interpreter that it names, and the libraries that its sources import.

A manifest is a stranger's text, and the environment that it names may be a stranger's folder. So the interpreter is never asked:
its folders are found by their layout, that of CPython's ``getpath`` and of PEP 405 (``pyvenv.cfg``). What is found is granted only
if it is really in the folder whose name leads to it, because a link out of there could open any file, and if that is not the folder
of another bot. Libraries are granted as to bots of the SDK, one by one (:mod:`arena.roster.distributions`): only those that the
sources import, and what these require.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from os.path import isfile
from pathlib import Path
from typing import Final

from arena import disk
from arena.errors import RosterError
from arena.roster import needed_packages, python_bot
from arena.roster.manifest_folder import PYTHON, SETTINGS, is_in_a_bot
from arena.roster.python_bot import Root
from arena.roster.reader import Reader

_SETTINGS_BYTES: Final = 1 << 16
_LIBRARY: Final = re.compile(r"python3\.\d+t?")


def reads(program: Path, arguments: Sequence[str], folder: Path, reader: Reader) -> tuple[str, ...]:
    """Return what a command in ``folder`` may read of an interpreter and its libraries; nothing, if the program is another one."""
    if not PYTHON.fullmatch(program.name):
        return ()
    environment = program.parent.parent  # if it is one
    settings = _settings(environment)
    home = Path(settings.get("home", ""))
    base = home.parent if home.is_absolute() else disk.real(program).parent.parent
    granted = {*_standard_library(base), *(_inside(environment, SETTINGS) if settings else ())}
    if _is_outside(environment, folder):
        inherits = not settings or settings.get("include-system-site-packages") == "true"
        places = (*_inside(environment / "lib", "python3*/site-packages"), *(_packages(base) if inherits else ()))
        granted |= {*_libraries(_imported(arguments, folder, reader), [place for place in places if _is_outside(place, folder)])}
    return tuple(sorted(str(path) for path in granted if _is_outside(path, folder)))


def _is_outside(path: Path, folder: Path) -> bool:
    """Tell whether a path leads to nothing of the bot, which may read that anyway, and to nothing of another bot."""
    target = disk.real(path)
    return not target.is_relative_to(folder) and not is_in_a_bot(target)


def _inside(folder: Path, pattern: str) -> Sequence[Path]:
    """Return the files and folders of a pattern out of which no link leads; none of a folder that cannot be read."""
    with suppress(OSError, ValueError):  # a name that is too long, or with a null character
        root = disk.real(folder)
        return [path for path in folder.glob(pattern) if (path.is_file() or path.is_dir()) and disk.real(path).is_relative_to(root)]
    return ()


def _settings(environment: Path) -> Mapping[str, str]:
    """Return the settings of a virtual environment, by names in lower case; nothing, if the folder is none."""
    for file in filter(isfile, _inside(environment, SETTINGS)):
        with suppress(OSError, ValueError):
            pairs = [line.partition("=") for line in disk.read(file, _SETTINGS_BYTES).decode().replace("\0", "").splitlines()]
            # the first one counts, as in CPython's getpath.py
            return {key.strip().lower(): value.strip() for key, equals, value in reversed(pairs) if equals}
    return {}


def _standard_library(base: Path) -> Iterator[Path]:
    """Yield the modules and shared libraries of an interpreter; a sandbox hides the packages among them."""
    libraries = [path for path in _inside(base / "lib", "python3.*") if _LIBRARY.fullmatch(path.name) and isfile(path / "os.py")]
    if libraries:
        yield from libraries
        yield from filter(isfile, _inside(base / "lib", "libpython3*.so*"))


def _packages(base: Path) -> Iterator[Path]:
    """Yield the folders of an interpreter's own packages; Debian has two of them, of another name."""
    yield from _inside(base / "lib", "python3*/site-packages")
    for libraries in ("lib", "local/lib"):
        yield from _inside(base / libraries, "python3*/dist-packages")


def _libraries(imported: frozenset[str], places: Collection[Path]) -> Iterator[Path]:
    """Yield the libraries among packages, by the names that sources import."""
    roots = [disk.real(place) for place in places]
    for library in map(Path, needed_packages.packages(imported, places)):
        if any(disk.real(library).is_relative_to(root) for root in roots):
            yield library


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
