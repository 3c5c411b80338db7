"""The files that somebody has of a player in Java, placed as a compiler finds them: by package, under the name of their class."""

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Final

from msgspec import Struct

from arena import disk
from arena.errors import InputError, naming_errors

INTERFACE: Final = "GinRummyPlayer"
PACKAGE: Final = "ginrummy"  # of the challenge's own classes
NAME: Final = r"[A-Za-z_]\w*"
PLACE: Final = "player"  # the folder of sources
MOST_FILES: Final = 5000
FILE_BYTES: Final = 64 << 20

_PACKAGE: Final = re.compile(rf"^\s*package\s+({NAME}(?:\.{NAME})*)\s*;", re.MULTILINE | re.ASCII)
_PUBLIC: Final = re.compile(rf"^\s*public\s+(?:\w+\s+)*?(?:class|interface|enum|record)\s+({NAME})", re.MULTILINE | re.ASCII)
_PARENTS: Final = re.compile(rf"\bclass\s+{NAME}[^{{;]*?\b(?:extends|implements)\b([^{{;]*)\{{", re.ASCII)
_IMPORTS: Final = re.compile(rf"^\s*import\s+{PACKAGE}\.", re.MULTILINE)
_SAFE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")

Files = Mapping[str, str | bytes]  # the contents of files, by their names in a folder


class JavaSource(Struct, frozen=True, kw_only=True):
    """A source in Java."""

    package: str  # empty: the default package
    name: str  # of its class
    text: str
    is_named: bool  # it was given by itself, not by its folder

    @property
    def class_name(self) -> str:
        """Return the name of its class, with the package."""
        return f"{self.package}.{self.name}".lstrip(".")

    @property
    def path(self) -> str:
        """Return its place in the bot's folder."""
        return f"{PLACE}/{self.class_name.replace('.', '/')}.java"

    @property
    def parents(self) -> set[str]:
        """Return the words after ``extends`` and ``implements``."""
        return {word for words in _PARENTS.findall(self.text) for word in re.findall(NAME, words)}


class GivenFiles(Struct, frozen=True):
    """What was given of a player."""

    sources: list[JavaSource]
    jars: dict[str, bytes]  # by their names
    others: dict[str, bytes]  # files that a player may read, by their names
    notes: list[str]  # what was changed


def gather(paths: Iterable[Path]) -> GivenFiles:
    """Return the files at some paths; of a folder all sources and jars below it. Raises: InputError."""
    given = GivenFiles([], {}, {}, [])
    for path, is_named in _found(paths):
        with naming_errors(path, "cannot be read", InputError):
            content = disk.read(path, FILE_BYTES)
        if path.suffix == ".java":
            _add_source(given, path, content, is_named=is_named)
        elif path.suffix != ".jar":
            _add(given.others, path, content)
        elif zipfile.is_zipfile(BytesIO(content)):
            _add(given.jars, path, content)
        else:
            given.notes.append(f"{path}: left out; it is not a jar")
    if not given.sources and not given.jars:
        raise InputError("--from has no .java and no .jar file; expected the files of a player, or their folder")
    return given


def placed(given: GivenFiles) -> dict[str, str | bytes]:
    """Return the files by their places in the bot's folder."""
    has_own = any(not source.package and source.name in {INTERFACE, "Card"} for source in given.sources)
    sources = {source.path: source.text if has_own else _importing(source) for source in given.sources}
    return {**sources, **{f"lib/{name}": content for name, content in given.jars.items()}, **given.others}


def _found(paths: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Yield each file, and whether it was named itself."""
    for path in paths:
        if not path.is_dir():
            yield path, True
            continue
        inside = [file for file in sorted(path.rglob("*")) if file.suffix in {".java", ".jar"} and file.is_file()]
        if len(inside) > MOST_FILES:
            raise InputError(f"{path}: found {len(inside):,} files in Java; expected those of a player, at most {MOST_FILES:,}")
        yield from ((file, False) for file in inside if not file.is_symlink())


def _add(files: dict[str, bytes], path: Path, content: bytes) -> None:
    if not _SAFE.fullmatch(path.name):
        raise InputError(f"{path}: found a name with other characters than letters, digits, _, - and .; expected it renamed")
    if files.setdefault(path.name, content) != content:
        raise InputError(f"{path}: another file of this name was given; expected one of them")


def _add_source(given: GivenFiles, path: Path, content: bytes, *, is_named: bool) -> None:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
        given.notes.append(f"{path}: read as Latin-1 and written as UTF-8")
    package, public = _PACKAGE.search(text), _PUBLIC.search(text)
    name = public[1] if public else path.stem
    if not re.fullmatch(NAME, name, re.ASCII):
        return  # package-info.java and module-info.java declare no class
    source = JavaSource(package=package[1] if package else "", name=name, text=text, is_named=is_named)
    twin = next((other for other in given.sources if other.path == source.path), None)
    if twin is None:
        given.sources.append(source)
        if name != path.stem:
            given.notes.append(f"{path}: written as {name}.java, after its public class")
    elif twin.text != text:
        given.notes.append(f"{path}: left out; an earlier file has the class {source.class_name} too")


def _importing(source: JavaSource) -> str:
    """Return a source that finds the challenge's classes; many were published without their package, and import nothing."""
    finds = source.package or _IMPORTS.search(source.text)
    return source.text if finds else f"import {PACKAGE}.*; {source.text}"  # in the first line: the others keep their numbers
