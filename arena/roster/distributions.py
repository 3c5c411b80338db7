"""Reads what is installed from the metadata of distributions, without importing anything.

The metadata is untrusted. Each file is read separately, so that a malformed one affects only its distribution;
``importlib.metadata.entry_points()`` fails as a whole for one bad line. A row in a RECORD proves nothing by itself: an installer
keeps rows for files that it did not install, so a wheel could claim any file. A distribution owns a file only if the hash in its
row is the file's, which requires knowing the content, and if no other distribution has a row for the file.

Source: the core metadata, entry points, recording-installed-projects and direct-URL specifications on packaging.python.org.
"""

import base64
import csv
import hashlib
import json
import os
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from email.parser import HeaderParser
from functools import cache, lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from os.path import isfile
from pathlib import Path

from msgspec import Struct

UNREADABLE = (OSError, ValueError, TypeError, KeyError, AttributeError)  # what importlib.metadata raises for malformed metadata
NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
VERSION = re.compile(r"[ -~]{1,50}")
METADATA = ("METADATA", "PKG-INFO", "RECORD", "entry_points.txt", "requires.txt", "direct_url.json")
LARGEST_METADATA = 1 << 25  # bytes of a file; the RECORD of a large library has a few million
LONGEST_PATH = 4096  # bytes, and so at most as many characters: PATH_MAX
_real_path: Callable[[str], str] = lru_cache(maxsize=64)(os.path.realpath)
TARGET = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?::(?P<attribute>[^\W\d]\w*))?(?:\s*\[(?P<extras>[\w\s.,-]*)\])?")


class EntryPointTarget(Struct, frozen=True):
    """The parsed value of an entry point, ``module:Class [extra]``."""

    module: str
    attribute: str  # empty: the module itself
    extras: tuple[str, ...]


class EntryPoint(Struct, frozen=True):
    """An entry point of a distribution, ``name = value``, unparsed."""

    name: str
    value: str
    distribution: Distribution

    @property
    def owner(self) -> str:
        """Return the distribution's name, safe to print."""
        return name_of(self.distribution)

    @property
    def version(self) -> str:
        """Return the distribution's version, safe to print."""
        return version_of(self.distribution)

    @property
    def target(self) -> EntryPointTarget | None:
        """Return the parsed value; None: it cannot be imported."""
        return parse_target(self.value)


class Recorded(Struct, frozen=True):
    """A distribution with the files of its RECORD that are in its ``site-packages`` folder."""

    distribution: Distribution
    home: Path  # the ``site-packages`` folder
    rows: str  # text of the RECORD
    hashes: dict[str, str]  # by path relative to ``home``, as ``sha256=...``; empty: not given
    paths: tuple[str, ...]  # the same paths, sorted

    def has(self, path: Path) -> bool:
        """Tell whether there is a row, true or not, for this file or for a file in this folder."""
        relative = self._relative(path)
        return relative in self.hashes or next(self.inside(relative), None) is not None

    def inside(self, folder: str) -> Iterator[str]:
        """Yield the paths in a folder, sorted; all are relative to ``home``."""
        prefix = f"{folder}/"
        for place in range(bisect_left(self.paths, prefix), len(self.paths)):
            if not self.paths[place].startswith(prefix):
                return
            yield self.paths[place]

    def matches(self, path: Path) -> bool:
        """Tell whether a file has the recorded hash."""
        given = self.hashes.get(self._relative(path), "")
        return given.startswith("sha256=") and given == _hash(path)

    def _relative(self, path: Path) -> str:
        inside = str(path).startswith(f"{self.home}{os.sep}")
        return str(path)[len(str(self.home)) + 1 :] if inside else ""


def parse_target(value: str) -> EntryPointTarget | None:
    """Return the target that the value of an entry point names; None: it cannot be imported."""
    match = TARGET.fullmatch(value)
    if match is None:
        return None
    extras = (extra.strip() for extra in (match["extras"] or "").split(","))
    return EntryPointTarget(match["module"], match["attribute"] or "", tuple(filter(None, extras)))


def points(group: str) -> list[EntryPoint]:
    """Return the entry points of a group, sorted by name; of distributions with the same name, those of the first that has any."""
    return list(_points(group, tuple(_search_path())))


def _search_path() -> Iterator[tuple[str, int]]:
    """Yield the folders in which distributions are and those of their metadata, each with the time of its last change."""
    for entry in sys.path:
        with suppress(OSError):  # also where the current folder was removed
            place = Path(entry).absolute()
            yield str(place), place.stat().st_mtime_ns
            with os.scandir(place) as inside:
                # an installer writes into the folder of a distribution after it has made it
                yield from ((one.path, one.stat().st_mtime_ns) for one in inside if one.name.endswith("-info"))


@lru_cache(maxsize=8)
def _points(group: str, _: tuple[tuple[str, int], ...]) -> list[EntryPoint]:
    """Return what ``points`` does while no file is added to those folders, removed or renamed."""
    found: dict[str, list[EntryPoint]] = {}
    for dist in distributions():
        if own := points_of(dist, group):
            found.setdefault(normalize(name_of(dist)), own)
    return sorted((point for points in found.values() for point in points), key=lambda point: point.name)


def points_of(dist: Distribution, group: str) -> list[EntryPoint]:
    """Return the entry points of a group of one distribution, in the order of its metadata."""
    return [EntryPoint(name, value, dist) for name, value in lines(_text(dist, "entry_points.txt"), group)]


def find_distribution(name: str) -> Distribution | None:
    """Return the installed distribution with this name, or None."""
    try:
        return distribution(name)
    except (PackageNotFoundError, *UNREADABLE):
        return None


def name_of(dist: Distribution) -> str:
    """Return a distribution's name, safe to print."""
    return _field(dist, "Name", NAME) or "a distribution without a name"


def version_of(dist: Distribution) -> str:
    """Return a distribution's version, safe to print."""
    return _field(dist, "Version", VERSION) or "0"


def normalize(name: str) -> str:
    """Return the normalized form of a distribution's name, the same for all its spellings. Source: PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements(dist: Distribution) -> list[str]:
    """Return the requirements of a distribution as text."""
    try:
        return dist.requires or []
    except UNREADABLE:
        return []


def has(dist: Distribution, group: str) -> bool:
    """Tell whether a distribution has entry points of a group."""
    return any(True for _ in lines(_text(dist, "entry_points.txt"), group))


def is_local_project(dist: Distribution) -> bool:
    """Tell whether a distribution was installed from a local folder, as by ``pip install -e``; True if that is unclear."""
    try:
        return "dir_info" in json.loads(_text(dist, "direct_url.json") or "{}")
    except (ValueError, TypeError, RecursionError):
        return True


def read_record(dist: Distribution) -> Recorded:
    """Return a distribution with its RECORD."""
    rows = _text(dist, "RECORD")
    hashes = _read_record(rows)
    return Recorded(dist, Path(_home(dist)), rows, hashes, tuple(hashes))


def everything(folders: Iterable[Path] | None = None) -> list[Recorded]:
    """Return all distributions that are installed in some ``site-packages`` folders, by default in those of this interpreter.

    The folders may be a stranger's: metadata that is too large, or in no regular file, is left out.
    """
    if folders is None:
        return [read_record(dist) for dist in distributions()]
    found = (info for folder in folders for info in sorted(folder.glob("*.dist-info")) if _is_readable(info))
    return [read_record(Distribution.at(info)) for info in found]


def _is_readable(info: Path) -> bool:
    """Tell whether the files that ``importlib.metadata`` would read in a folder of metadata are regular, and not too large."""
    files = [info / name for name in METADATA if os.path.lexists(info / name)]
    return all(isfile(file) and file.stat().st_size <= LARGEST_METADATA for file in files)


def in_folder_of(path: Path) -> list[Recorded]:
    """Return the distributions whose ``site-packages`` folder contains a file."""
    return [read_record(dist) for dist in distributions() if str(path).startswith(f"{_home(dist)}{os.sep}")]


def without(mine: Recorded | None, every: Iterable[Recorded]) -> tuple[Recorded, ...]:
    """Return ``every`` without ``mine``. A second distribution with the same RECORD stays, because it may be a forgery."""
    rest = list(every)
    places = [place for place, one in enumerate(rest) if mine and (one.home, one.rows) == (mine.home, mine.rows)]
    return tuple(rest[: places[0]] + rest[places[0] + 1 :] if places else rest)


def recorded_by(several: Iterable[Recorded], path: Path) -> str | None:
    """Return the name of the first distribution that has a row for this file, or for a file in this folder; None: none has."""
    return next((name_of(one.distribution) for one in several if one.has(path)), None)


def owns(recorded: Recorded, path: Path, rest: Iterable[Recorded]) -> bool:
    """Tell whether a file has the hash that a distribution recorded, and none of the ``rest`` records it."""
    return recorded.matches(path) and recorded_by(rest, path) is None


def top_levels(recorded: Recorded) -> frozenset[str]:
    """Return the top-level names of the modules and packages that a distribution records."""
    return frozenset(top.partition(".")[0] for top in {path.partition("/")[0] for path in recorded.hashes} if not _is_metadata(top))


def entries(recorded: Recorded, rest: Iterable[Recorded]) -> Iterator[Path]:
    """Yield what a distribution owns in its ``site-packages`` folder: whole packages, its metadata, and single files.

    It owns a package if it owns the ``__init__.py`` and none of the ``rest`` has files in it. Its metadata needs no hash, only that
    none of the ``rest`` records it. A ``.pth`` file is never yielded.
    """
    neighbours = [other for other in rest if other.home == recorded.home]
    waiting = sorted({path.partition("/")[0] for path in recorded.hashes})
    while waiting:
        path = waiting.pop()
        place = recorded.home / path
        if path in recorded.hashes:
            if not path.endswith(".pth") and owns(recorded, place, neighbours):
                yield place
        elif recorded_by(neighbours, place) is None and (_is_metadata(path) or owns(recorded, place / "__init__.py", neighbours)):
            yield place
        else:
            waiting += sorted({_below(path, inner) for inner in recorded.inside(path)})


def _below(folder: str, path: str) -> str:
    """Return the direct entry of a folder that contains a path."""
    return f"{folder}/{path[len(folder) + 1 :].partition('/')[0]}"


def _is_metadata(path: str) -> bool:
    return path.partition("/")[0].endswith(".dist-info")


def groups(text: str) -> Iterator[str]:
    """Yield the name of each group in the text of an ``entry_points.txt``."""
    return filter(None, map(_group, map(str.strip, text.splitlines())))


def lines(text: str, group: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of each entry point of a group, from the text of an ``entry_points.txt``."""
    section = ""
    for line in map(str.strip, text.splitlines()):
        if (found := _group(line)) is not None:
            section = found
        elif line and not line.startswith(("#", ";")) and section == group:
            name, _, value = line.partition("=")
            yield name.strip(), value.strip()


def _group(line: str) -> str | None:
    """Return the group whose entry points follow a line; None: no group begins here."""
    return line[1:-1].strip() if line.startswith("[") and line.endswith("]") else None


def _text(dist: Distribution, file: str) -> str:
    """Return the text of a metadata file; empty: it is missing or unreadable."""
    try:
        return dist.read_text(file) or ""
    except UNREADABLE:
        return ""


def _field(dist: Distribution, field: str, pattern: re.Pattern[str]) -> str:
    """Return a field of the metadata; a malformed one is escaped and shortened."""
    metadata = _text(dist, "METADATA") or _text(dist, "PKG-INFO") or _text(dist, "")
    text = _fields(metadata.partition("\n\n")[0]).get(field.lower(), "")
    return text if not text or pattern.fullmatch(text) else ascii(text[:40])


@lru_cache(maxsize=512)
def _fields(head: str) -> dict[str, str]:
    """Return the first value of each field of metadata by its name in lower case; ``head``: the text above the description."""
    return {name.lower(): text for name, text in reversed(HeaderParser().parsestr(head).items())}


def _home(dist: Distribution) -> str:
    return _real_path(str(dist.locate_file("")))  # the same few folders for all


@cache
def _read_record(rows: str) -> dict[str, str]:
    """Return the hashes by path, sorted, without impossible paths and paths out of the folder; text that is not CSV has no rows."""
    try:
        parsed = [(row[0], row[1] if len(row) > 1 else "") for row in csv.reader(rows.splitlines()) if row]
    except csv.Error:
        return {}
    possible = ((path, given) for path, given in parsed if path and len(path) <= LONGEST_PATH)
    return dict(sorted({at: given for at, given in possible if not at.startswith("/") and ".." not in at.split("/")}.items()))


def _hash(path: Path) -> str:
    """Return a file's SHA-256 in the form of a RECORD; empty: the file cannot be read."""
    if not isfile(path):  # a pipe or device may have no end
        return ""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return ""
    return "sha256=" + base64.urlsafe_b64encode(found).decode().rstrip("=")
