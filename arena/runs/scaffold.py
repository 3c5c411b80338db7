"""Files to start from: copies of templates under another name, written only where nothing is overwritten.

A template is a folder below ``templates``, or a bot that comes with arena: those in JavaScript, C and awk are templates as well.
"""

import importlib.util
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from arena import publishing
from arena.errors import InputError

SOURCES = (".py", ".toml", ".md", ".yaml", ".js", ".c", ".awk")  # not the program that was compiled beside them
DATA = (".npz",)  # copied as they are
TEMPLATES = Path(__file__).parent / "templates"


class File(Struct, frozen=True):
    """A file that is to be written."""

    path: Path
    content: str | bytes


class Written(Struct, frozen=True, kw_only=True):
    """The files that were written, and the commands that come next."""

    wrote: list[str]
    next: list[str]


def files(folder: str, old: str, new: str, there: Path) -> Iterator[File]:
    """Yield a template's files as they are to stand in ``there``, with the bot ``old`` called ``new`` in names and texts."""
    source = _source(folder)
    for path in sorted(source.rglob("*")):
        place = there / rename(path.relative_to(source).as_posix(), old, new)
        if path.is_file() and path.suffix in DATA:
            yield File(place, path.read_bytes())
        elif path.is_file() and (path.suffix in SOURCES or path.name == "Makefile"):
            yield File(place, rename(path.read_text(encoding="utf-8"), old, new))


def write(folder: Path, several: Iterable[File]) -> list[Path]:
    """Write files below a folder, all or none, and return their paths. Raises: InputError, if one of them exists; StoreError."""
    wanted = list(several)
    publishing.complete(folder)
    for file in wanted:
        if file.path.exists():
            raise InputError(f"{file.path}: exists already and is not overwritten; expected a folder without it")
    publishing.write_together(folder, {str(file.path.relative_to(folder)): file.content for file in wanted})
    return [file.path for file in wanted]


def rename(text: str, old: str, new: str) -> str:
    """Return a text in which a bot, its module and its class have another name."""
    for form in (str, module_name, class_name):
        text = text.replace(form(old), form(new))
    return text


def module_name(bot: str) -> str:
    """Return the module name of a bot: ``my_bot`` for ``my-bot``."""
    return bot.replace("-", "_")


def class_name(bot: str) -> str:
    """Return the class name of a bot: ``MyBot`` for ``my-bot``."""
    return "".join(part.capitalize() for part in re.split("[-_]", bot))


def _source(folder: str) -> Path:
    if (TEMPLATES / folder).is_dir():
        return TEMPLATES / folder
    bots = importlib.util.find_spec("arena_bots")
    assert bots is not None
    assert bots.submodule_search_locations is not None
    return Path(bots.submodule_search_locations[0], folder)


# Files that a command writes at its end: that they can be written is known at its beginning.


def check(path: Path) -> None:
    """Make sure that a file can be written there, before hours are played for it. Raises: InputError."""
    is_new = not os.path.lexists(path)
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o666))
        if is_new:
            path.unlink()
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}; expected a file in a folder that exists") from None
