"""An entrant, the digest of its files, and the command that starts it."""

import hashlib
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from arena.errors import RosterError, naming_errors
from arena.interpreter import EXECUTABLE
from arena.type_errors import form

LARGEST = 1 << 30  # bytes of all files of a bot
CHUNK = 1 << 20  # bytes read at a time

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,49}\Z"
Name = Annotated[
    str, form(NAME_PATTERN, "a name of at most 50 letters a to z, digits, '_', '.' and '-' that begins with a letter or digit")
]
# a name, or that of a version in a league, as ``ann-bot@3``, which no author can choose
EntrantName = Annotated[str, Meta(pattern=NAME_PATTERN.removesuffix(r"\Z") + r"(@[1-9][0-9]{0,5})?\Z")]


class StateLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The size of the folder in which a bot keeps what it learns; ``learning`` in the spec of a league."""

    size_mb: Annotated[int, Meta(ge=1, le=64)] = 1
    files: Annotated[int, Meta(ge=1, le=10_000)] = 100  # and folders


class Launch(Struct, frozen=True, kw_only=True):
    """How a bot's process is started. A sandbox turns a launch into another one."""

    command: tuple[str, ...]
    folder: str  # the bot's working directory
    files: tuple[str, ...] = ()  # the bot's own files in the folder; empty: the whole folder
    environment: tuple[tuple[str, str], ...] = ()  # the whole environment of the process
    reads: tuple[str, ...] = ()  # files and folders that it needs besides its own folder and the system's libraries
    threads: int = 1  # that its manifest asks for
    scratch_mb: int = 0  # size of the private temporary folder that its manifest asks for
    reads_while_playing: bool = False  # whether its manifest asks to open files after it is ready, so that it is never sealed
    state: StateLimits | None = None  # of the folder in which it keeps what it learns; None: it has no such folder
    memory_mb: int | None = None  # the limit that a sandbox has set; None: no limit
    cpu_seconds: float = math.inf  # processor time of the whole process, at which the kernel kills it
    may_end_run: bool = False  # whether the exit code CANNOT_PLAY ends the run; in a sandbox it is a crash, or a loser could use it
    reports: bool = False  # whether the command is a launcher that reports on a status socket; see confinement/status.py
    in_namespace: bool = False  # whether the bot becomes the first process of a process namespace of its own
    seals: bool = False  # whether the harness can seal the bot; see confinement/seal.py
    prefork: bool = False  # whether a template starts it in place of the command; see confinement/prefork.py


class Entered(Struct, frozen=True):
    """The identity of an entrant, which is stored with the results."""

    name: EntrantName
    version: Annotated[str, Meta(max_length=1000)]
    source: Annotated[str, Meta(max_length=10_000)]  # where it was found, for people
    digest: Annotated[str, Meta(max_length=1000)]  # SHA-256 of its files, hexadecimal; NO_DIGEST: its files are not known
    reads_while_playing: bool = False  # whether its manifest asks to open files while it plays, so that it is never sealed


class Entrant(Entered, frozen=True, kw_only=True):
    """A bot that may be entered in a tournament."""

    launch: Launch


def failing_launch(folder: str, problem: str) -> Launch:
    """Return the launch of a program that ends at once and says why, in place of a bot that must not play."""
    return Launch(command=(EXECUTABLE, "-I", "-c", f"raise SystemExit({problem!r})"), folder=folder)


NO_DIGEST = "0" * 64
PERSONS_SOURCE = "a person at this machine"
IN_PROCESS_SOURCE = "in this process"  # of a bot that is an object of the program which played the run
PERSON = "person"  # how a spec enters a person


def person_entrant(name: str) -> Entrant:
    """Return a person as an entrant: nothing is started for it."""
    return Entrant(name, "0", PERSONS_SOURCE, NO_DIGEST, launch=Launch(command=(), folder=""))


def digest(files: Iterable[Path]) -> str:
    """Return the SHA-256 of the sorted lines of all files: the path, relative to their common folder, and the content's digest.

    For a link the target's path is hashed. Raises: RosterError, if a file cannot be read, or all hold more than LARGEST bytes.
    """
    paths = list(files)
    root = Path(os.path.commonpath([path.parent for path in paths])) if paths else Path()
    with naming_errors(None, "cannot be read", RosterError):
        size = sum(path.lstat().st_size for path in paths)
        if size > LARGEST:
            raise RosterError(f"{root}: the bot's files hold {size:,} bytes; expected at most {LARGEST:,}")
        lines = sorted(f"{path.relative_to(root).as_posix()} {_digest(path)}\n" for path in paths)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _digest(path: Path) -> str:
    """Return the digest of a file, or of a link's target path; of a file that grows, the start. Raises: OSError."""
    if path.is_symlink():
        return hashlib.sha256(b"-> " + os.fsencode(path.readlink())).hexdigest()
    content = hashlib.sha256()
    with path.open("rb") as file:
        for _ in range(os.fstat(file.fileno()).st_size // CHUNK + 1):
            content.update(file.read(CHUNK))
    return content.hexdigest()


def same_program(one: Entrant, other: Entrant) -> bool:
    """Tell whether two entrants have the same files, by their digests, and the same launch: command, environment and requests.

    Names and versions do not count, nor does the folder in a command. Two classes of one file are different programs: their
    commands differ.
    """
    return one.digest == other.digest and _launch_key(one.launch) == _launch_key(other.launch)


def _launch_key(launch: Launch) -> tuple[object, ...]:
    """Return what determines how a bot is started, with paths in its command relative to its folder."""
    command = tuple(word.replace(f"{launch.folder}/", "", 1) for word in launch.command)
    return command, launch.environment, launch.reads, launch.threads, launch.scratch_mb
