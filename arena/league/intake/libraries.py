"""Gives a bot the libraries that it requires: wheels, chosen once and unpacked into a folder, ``environments/DIGEST``.

The folder is on the import path of its bots only, and a sandbox makes it read-only to them. No code of a library runs here: wheels
are unpacked like a stranger's archive, and no installer runs their scripts. The chosen wheels are a part of the bot's identity, so
it is played and replayed with the same files.
"""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, url2pathname

from msgspec import Struct
from msgspec.structs import replace

from arena import distribution
from arena.bounded_http import HttpClient, NoResponseError
from arena.confinement.profiles import Sandbox
from arena.disk import real
from arena.errors import RosterError, StoreError
from arena.league.intake import archives, wheels
from arena.league.intake.archives import MEGABYTE, UnpackLimits, make_folder
from arena.league.intake.scratch import move_into_place, scratch
from arena.league.intake.wheel_choice import LockedWheel, lock
from arena.league.rules.events import BotEnvironment, Library
from arena.roster.entrant import Entrant, digest
from arena.runs.confined_reading import ConfinedReader, confined_reader

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
