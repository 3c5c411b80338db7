"""What the launcher applies to itself, and the bot that it then becomes."""

import os
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.records import Assurance
from arena.roster.entrant import Launch

SCRATCH, STATE = "/scratch", "/state"  # paths of a bot's private folders: for temporary files, and for what it learns
LISTENER = "listener"  # the status line with which the listener of the seal comes; that of a private folder is its path


class Link(Struct, frozen=True, array_like=True):
    """A symbolic link of a private root: the path leads to the same file as outside."""

    path: str
    target: str


class ReadAccess(Struct, frozen=True, omit_defaults=True):
    """Everything that a bot may read."""

    paths: tuple[str, ...] = ()  # files, and folders with everything below them; no links
    covered: tuple[str, ...] = ()  # folders below those that stay hidden, except for the paths inside them
    listed: tuple[str, ...] = ()  # folders whose names, not contents, may be read: an import under Landlock needs this
    links: tuple[Link, ...] = ()
    programs: bool = False  # whether what may be read may be executed


class ResourceLimits(Struct, frozen=True, omit_defaults=True):
    """Limits for setrlimit(2)."""

    memory_mb: int
    cpu_seconds: int
    file_kb: int  # the largest file that the bot may write, its log included
    threads: int = 1


class PrivateFolder(Struct, frozen=True, array_like=True):
    """A folder that a bot alone can see and may write to; it has its own file system in memory, and ends with the bot."""

    path: str
    size_kb: int
    files: int  # and folders, itself included


class Policy(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Everything that the launcher applies; passed to it as one argument in JSON."""

    command: tuple[str, ...]
    folder: str
    limits: ResourceLimits
    environment: tuple[tuple[str, str], ...] = ()  # for the bot; the launcher itself starts without a bot's settings
    reads: ReadAccess = ReadAccess()
    private: tuple[PrivateFolder, ...] = ()
    namespaces: bool = False
    landlock: bool = False
    filter: bytes = b""  # the seccomp program; empty: no filter
    seal: bytes = b""  # the seccomp program that suspends what the harness may refuse; empty: the bot is never sealed
    lenient: bool = False  # whether a step that fails is only reported

    @property
    def learns(self) -> bool:
        """Return whether the launcher gets the content of the folder for what the bot learns, and returns that folder."""
        return any(folder.path == STATE for folder in self.private)


# What a sandbox is: it rewrites the command that starts a bot, and starts nothing itself.
#
# The caller starts the rewritten launch. It must pass the process the launch's ``environment`` and nothing else and, where
# ``reports`` is set, a status socket; ``confinement/status.py`` does both and shows how. With namespaces the bot is the first
# process of its own process namespace: only SIGKILL and SIGSTOP from outside end or stop it, and killing it kills every process
# that it started.


class Sandbox(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Its fields are its options in a spec, its docstring is its manual."""

    def wrap(self, launch: Launch) -> Launch:
        """Return a launch that starts the same bot inside this sandbox. Raises: SandboxError."""
        raise NotImplementedError

    def assurance(self) -> Assurance:
        """Return what this sandbox guarantees on this machine; may start processes once, to find out. Raises: SandboxError."""
        raise NotImplementedError

    def granting(self, launches: Iterable[Launch]) -> Self:  # noqa: ARG002 - for sandboxes that limit these
        """Return this sandbox with the threads and the scratch folder that the bots' manifests ask for.

        A sandbox that does not limit them returns itself.
        """
        return self

    def with_limits_of(self, other: "Sandbox") -> Self:  # noqa: ARG002 - likewise
        """Return this sandbox with the limits of another one, as far as both have them."""
        return self


class LimitedSandbox(Sandbox, frozen=True, kw_only=True):
    """A sandbox that limits what a process may use."""

    memory_mb: Annotated[int, Meta(ge=16, le=1_000_000)] = 256  # RLIMIT_DATA: heap, stack and private mappings
    cpu_seconds: Annotated[int, Meta(ge=1, le=1_000_000_000)] = 3600  # of a process; the referee's own limit is far lower
    threads: Annotated[int, Meta(ge=1, le=64)] = 1  # most threads that a bot's manifest may ask for
    scratch_mb: Annotated[int, Meta(ge=0, le=1024)] = 0  # largest temporary folder that a bot's manifest may ask for
    sealed: Literal["preferred", "required"] = "preferred"  # required: refuse a machine, and a bot, that cannot be sealed
    log_kb: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 1024  # RLIMIT_FSIZE: what a bot may write to a file that it inherited

    def granting(self, launches: Iterable[Launch]) -> Self:
        """Return this sandbox with the most threads and scratch that any of the bots' manifests asks for."""
        bots = list(launches)
        return replace(
            self,
            threads=max((bot.threads for bot in bots), default=self.threads),
            scratch_mb=max((bot.scratch_mb for bot in bots), default=self.scratch_mb),
        )

    def with_limits_of(self, other: Sandbox) -> Self:
        """Return this sandbox with the other's limits on memory, time, threads and files."""
        if not isinstance(other, LimitedSandbox):
            return self
        return replace(self, **{limit: getattr(other, limit) for limit in LimitedSandbox.__struct_fields__})


# The files and folders of a state, and how they are written. Launchers import this module, so it imports nothing slow.

OWN_FILE, OWN_FOLDER = 0o600, 0o700  # modes with which an entry is written, and that it must have at least
BLOCK = 4096  # bytes: a file takes whole blocks of the folder's size, so that what fits once always fits again


class StateEntry(Struct, frozen=True, array_like=True):
    """A file or a folder of a state."""

    path: str  # relative to the state's folder
    content: bytes | None  # None: a folder


def write(entries: Iterable[StateEntry], folder: int) -> None:
    """Write a state to an open folder, which is empty. Raises: OSError."""
    for entry in entries:
        if entry.content is None:
            os.mkdir(entry.path, OWN_FOLDER, dir_fd=folder)
        else:
            _write_file(entry.path, entry.content, folder)


def _write_file(path: str, content: bytes, folder: int) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, OWN_FILE, dir_fd=folder)
    with os.fdopen(file, "wb") as opened:
        opened.write(content)
