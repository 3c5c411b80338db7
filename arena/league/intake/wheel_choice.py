"""Chooses the wheels that fulfil a bot's requirements.

``uv`` does it, without running code of any package.

With ``--no-build`` uv promises that resolving runs no code: it refuses source distributions, and packages whose metadata name an
address instead of a version. ``pip`` refuses the former only where it finds them in an index: for an address in the metadata of
a wheel it starts a build. Source: `uv pip compile --help`; the pylock.toml specification on packaging.python.org.
"""

import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from msgspec import Struct, ValidationError, convert

from arena import distribution
from arena.errors import RosterError
from arena.interpreter import EXECUTABLE
from arena.league.rules.events import Library

SECONDS = 300.0  # that uv may take
MOST = 200  # libraries of a bot
OPTIONS = (
    *("pip", "compile", "--no-build", "--no-config", "--no-cache", "--no-progress", "--quiet", "--color", "never"),
    *("--format", "pylock.toml", "--no-header", "--no-annotate"),
)


class LockedWheel(Struct, frozen=True):
    """A chosen wheel and its address."""

    library: Library
    address: str  # https, http or file


class _Wheel(Struct):
    hashes: dict[str, str]
    url: str = ""
    path: str = ""
    name: str = ""


class _Package(Struct):
    name: str
    version: str
    wheels: list[_Wheel] = []


class _Lock(Struct):
    packages: list[_Package] = []


def lock(requirements: Iterable[str], index: str | None, folder: Path) -> tuple[LockedWheel, ...]:
    """Choose the wheels for this interpreter and machine, and return them sorted by name; ``folder`` is an empty work folder.

    ``index`` is an address, or a folder of wheels; None: as uv is configured by its environment, else PyPI. Raises: RosterError.
    """
    text = _resolve("".join(f"{line}\n" for line in requirements), index, folder)
    try:
        found = convert(tomllib.loads(text), _Lock)
    except (ValueError, ValidationError) as error:
        raise RosterError(f"the requirements cannot be resolved: uv has answered with an unknown lock: {error}") from None
    if len(found.packages) > MOST:
        raise RosterError(f"the requirements lead to {len(found.packages)} libraries; expected at most {MOST}")
    return tuple(sorted((_best_wheel(package, index, folder) for package in found.packages), key=lambda one: one.library.name))


def _resolve(requirements: str, index: str | None, folder: Path) -> str:
    """Return uv's lock. Raises: RosterError, with its reason in one line."""
    source: tuple[str, ...] = ()
    if index:
        source = ("--default-index", index) if is_address(index) else ("--no-index", "--find-links", index)
    command = [_uv(), *OPTIONS, "--python", EXECUTABLE, *source, "-"]
    try:
        done = subprocess.run(  # noqa: S603 - its arguments are ours, what strangers wrote is its input
            command, input=requirements, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise RosterError(f"the requirements cannot be resolved within {SECONDS:.0f} s") from None
    except OSError as error:
        raise RosterError(f"the requirements cannot be resolved: uv cannot be started: {error.strerror}") from None
    if done.returncode:
        raise RosterError(f"the requirements cannot be resolved to wheels: {' '.join(done.stderr.split())[:600]}")
    return done.stdout


def _uv() -> str:
    """Return uv's path. Raises: RosterError."""
    beside = Path(EXECUTABLE).parent / "uv"
    found = str(beside) if beside.is_file() else shutil.which("uv")
    if not found:
        raise RosterError(f"the requirements cannot be resolved without uv: {distribution.install('libraries')}")
    return found


def is_address(index: str) -> bool:
    """Tell whether an index is an address, and not a folder."""
    return index.startswith(("https://", "http://"))


def _best_wheel(package: _Package, index: str | None, folder: Path) -> LockedWheel:
    """Return the best wheel of a package. Raises: RosterError."""
    offered = [(unquote(one.name or urlsplit(one.url or one.path).path.rpartition("/")[2]), one) for one in package.wheels]
    tags = {name: _tags_of(name) for name, _ in offered}
    for tag in _tags():  # the best first
        for name, wheel in offered:
            if tag in tags[name]:
                address = wheel.url or (folder / wheel.path).absolute().as_uri()
                _check_address(address, index, package.name)
                return LockedWheel(_library(package, name, wheel.hashes), address)
    raise RosterError(f"the requirements cannot be resolved to wheels: {package.name} {package.version} has none for this machine")


def _library(package: _Package, name: str, hashes: dict[str, str]) -> Library:
    try:
        return convert(
            {"name": package.name, "version": package.version, "wheel": name, "sha256": hashes.get("sha256", "")}, Library
        )
    except ValidationError:
        raise RosterError(
            f"the requirements cannot be resolved: {package.name} has a wheel without a valid name, version or SHA-256"
        ) from None


def _check_address(address: str, index: str | None, name: str) -> None:
    """Raise RosterError unless the scheme fits the index: file for a folder, else https or http, which cannot name local files."""
    local = index is not None and not is_address(index)
    if urlsplit(address).scheme not in ({"file"} if local else {"https", "http"}):
        expected = "a file" if local else "an address of https or http"
        raise RosterError(f"the requirements cannot be resolved: the index has {name} at {address[:200]!a}; expected {expected}")


def _tags() -> Iterator[Any]:
    from packaging.tags import sys_tags  # noqa: PLC0415 - an extra

    return sys_tags()


def _tags_of(name: str) -> frozenset[Any]:
    """Return the tags in a wheel's name; empty: it is not a wheel."""
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename  # noqa: PLC0415 - an extra

    try:
        return parse_wheel_filename(name)[3]
    except InvalidWheelFilename:
        return frozenset()
