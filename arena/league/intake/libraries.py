"""Gives a bot the libraries that it requires: wheels, chosen once and unpacked into a folder, ``environments/DIGEST``.

The folder is on the import path of its bots only, and a sandbox makes it read-only to them. No code of a library runs here: wheels
are unpacked like a stranger's archive, and no installer runs their scripts. The chosen wheels are a part of the bot's identity, so
it is played and replayed with the same files.
"""

import hashlib
import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import Request, url2pathname

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from arena import distribution
from arena.bounded_http import HttpClient, NoResponseError
from arena.confinement.profiles import Sandbox
from arena.disk import real
from arena.errors import RosterError, StoreError
from arena.interpreter import EXECUTABLE
from arena.league.intake import archives, wheels
from arena.league.intake.archives import MEGABYTE, UnpackLimits, make_folder
from arena.league.intake.scratch import move_into_place, scratch
from arena.league.rules.events import BotEnvironment, Library
from arena.roster.entrant import Entrant, digest
from arena.runs.confined_reading import ConfinedReader, confined_reader

# Chooses the wheels that fulfil a bot's requirements. ``uv`` does it, without running code of any package.
#
# With ``--no-build`` uv promises that resolving runs no code: it refuses source distributions, and packages whose metadata name an
# address instead of a version. ``pip`` refuses the former only where it finds them in an index: for an address in the metadata of
# a wheel it starts a build. Source: `uv pip compile --help`; the pylock.toml specification on packaging.python.org.

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


ENTRIES = 50_000  # files of a wheel
FETCH_SECONDS = 600.0  # for one wheel


class LibraryTerms(Struct, frozen=True, kw_only=True):
    """The limits of a league's libraries, and where they come from."""

    folder: Path  # of all environments
    index: str | None
    size: int  # bytes of all libraries of a bot


class PreparedEnvironment(Struct, frozen=True, kw_only=True):
    """Unpacked libraries, perhaps not in their final place yet."""

    folder: Path
    libraries: tuple[Library, ...]
    digest: str


@contextmanager
def prepare_libraries(
    requirements: tuple[str, ...], terms: LibraryTerms, known: Iterable[BotEnvironment], sandbox: Sandbox
) -> Iterator[PreparedEnvironment]:
    """Choose, fetch and unpack the libraries of a bot, into a folder that is removed at the end unless it was stored.

    ``known`` are environments of other bots; one with the same libraries is used again.

    Raises: RosterError, SandboxError, StoreError, ReadingError.
    """
    if not terms.size:
        raise RosterError(f"it requires {', '.join(requirements)[:200]}; this league gives its bots no libraries")
    with scratch(terms.folder) as stage:
        yield _prepare(lock(requirements, terms.index, stage), terms, known, stage, sandbox)


def store_environment(environment: PreparedEnvironment, folder: Path) -> None:
    """Move an environment to its place, unless it is there. Raises: StoreError."""
    place = real(folder / environment.digest)
    if environment.folder != place:
        move_into_place(environment.folder, place)


def check(environment: BotEnvironment, folder: Path) -> Path:
    """Return the folder of an environment. Raises: StoreError, if it is missing or was changed; RosterError, if unreadable."""
    place = real(folder / environment.digest)
    if not place.is_dir():
        raise StoreError(f"{place}: missing; it holds the libraries of a bot")
    if _digest(place) != environment.digest:
        raise StoreError(f"{place}: changed since it was made; it holds the libraries of a bot")
    return place


def with_libraries(entrant: Entrant, environment: Path) -> Entrant:
    """Return an entrant whose bot imports libraries from the folder ``environment``, in place of those of this machine."""
    # without a sandbox the folder can be written to
    variables = {**dict(entrant.launch.environment), "PYTHONDONTWRITEBYTECODE": "1"}
    path = ":".join(filter(None, (variables.get("PYTHONPATH", ""), str(environment))))
    launch = replace(entrant.launch, environment=tuple({**variables, "PYTHONPATH": path}.items()), reads=(str(environment),))
    return replace(entrant, launch=launch)


def identity(files: str, environment: BotEnvironment | None) -> str:
    """Return the digest that identifies a bot: that of its files, or of its files and its libraries."""
    if environment is None:
        return files
    lines = [files, environment.digest, *(f"{one.name}=={one.version} {one.sha256}" for one in environment.libraries)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _prepare(
    locked: tuple[LockedWheel, ...], terms: LibraryTerms, known: Iterable[BotEnvironment], stage: Path, sandbox: Sandbox
) -> PreparedEnvironment:
    libraries = tuple(one.library for one in locked)
    for earlier in known:
        if earlier.libraries == libraries:
            return PreparedEnvironment(folder=check(earlier, terms.folder), libraries=libraries, digest=earlier.digest)
    folder, left = stage / "libraries", terms.size
    make_folder(folder)
    with confined_reader(sandbox) as reader:
        for one in locked:
            left -= _add(one, folder, stage, left, sandbox, reader)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o444)
    return PreparedEnvironment(folder=folder, libraries=libraries, digest=_digest(folder))


def _add(wheel: LockedWheel, folder: Path, stage: Path, left: int, sandbox: Sandbox, reader: ConfinedReader) -> int:
    """Unpack a library into an environment, and return its bytes. Raises: RosterError, SandboxError, StoreError, ReadingError."""
    name, packed, files = wheel.library.wheel, stage / "packed", stage / "files"
    make_folder(packed)
    try:
        download(wheel, packed / "archive.zip", left)
        archives.unpack_files(packed / "archive.zip", name, files, UnpackLimits(entries=ENTRIES, size=left), sandbox)
        wheels.arrange_library_files(files, name, reader)
        provided = {path.name.partition(".")[0] for path in files.iterdir() if not path.name.endswith(".dist-info")}
        if taken := provided.intersection(distribution.PACKAGES):
            raise RosterError(f"{name}: it provides {', '.join(sorted(taken))}, which every bot has from this arena")
        return merge(files, folder)
    except OSError as error:
        raise StoreError(f"{error.filename or files}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(packed, ignore_errors=True)
        shutil.rmtree(files, ignore_errors=True)


def merge(files: Path, folder: Path) -> int:
    """Move files to an environment, except those that an earlier library has put there; return the bytes of all.

    Raises: RosterError, if an earlier library has a file where this one has a folder, or a folder where it has a file; OSError.
    """
    size = 0
    for path in sorted(path for path in files.rglob("*") if path.is_file()):
        place = folder / path.relative_to(files)
        size += path.stat().st_size
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise RosterError(f"{path.relative_to(files)}: another library has a file in place of one of its folders") from None
        if place.is_dir():
            raise RosterError(f"{path.relative_to(files)}: another library has a folder in place of this file")
        if not place.exists():
            path.rename(place)
    return size


def download(wheel: LockedWheel, target: Path, most: int) -> None:
    """Download a wheel. Raises: RosterError, if it fails, it is larger than ``most`` bytes, or its SHA-256 differs; OSError."""
    found, size, name = hashlib.sha256(), 0, wheel.library.wheel
    with target.open("xb") as file:
        for chunk in _chunks(wheel, most):
            size += len(chunk)
            if size > most:
                raise RosterError(f"{name}: the libraries are larger than the limit of the league")
            found.update(chunk)
            file.write(chunk)
    if found.hexdigest() != wheel.library.sha256:
        raise RosterError(f"{name}: its SHA-256 is {found.hexdigest()[:12]}; the index says {wheel.library.sha256[:12]}")
    target.chmod(0o644)


def _chunks(wheel: LockedWheel, most: int) -> Iterator[bytes]:
    """Yield the content of a wheel as it arrives, of which only ``most`` bytes are of use. Raises: RosterError."""
    try:
        parts = urlsplit(wheel.address)
        if parts.scheme == "file":
            with Path(url2pathname(parts.path)).open("rb") as source:
                yield from iter(lambda: source.read(MEGABYTE), b"")
            return
        request = Request(wheel.address)  # noqa: S310 - checked to be HTTP
        with HttpClient().open(request, seconds=FETCH_SECONDS, most=most + MEGABYTE, follow=True) as response:
            response.check_success()
            yield from response.chunks()
    except (NoResponseError, OSError, ValueError) as error:
        raise RosterError(f"{wheel.library.wheel}: cannot be fetched: {error}") from None


def _digest(folder: Path) -> str:
    return digest(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
