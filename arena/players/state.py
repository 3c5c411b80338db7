"""What a bot has learned: the content of its state folder, as one value with a digest.

A state is read from a folder that a hostile bot has filled. So every entry is opened by its name in a folder that is open already
and never by a path, links are not followed, only files and folders are read, and all is counted before it is read. Names,
contents and empty folders are kept; owners, modes, times and holes are not. Equal folders have equal states, byte for byte.

A folder that holds anything else, or more than its limits, has no state. Under a sandbox the kernel enforces the limits, so a bot
meets an error (ENOSPC, EPERM) when it writes; only holes, deep and long paths, modes and unprintable names are first found here.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from hashlib import sha256

from msgspec import msgpack

from arena.confinement.process_files import closing_file
from arena.confinement.state_files import BLOCK, OWN_FILE, OWN_FOLDER, StateEntry
from arena.errors import MALFORMED
from arena.roster.entrant import StateLimits

DEEPEST = 8  # names in a path, the file's included
LONGEST_PATH = 500  # characters
LONGEST_NAME = 255  # bytes: as long as a file system allows


class UnfitStateError(Exception):
    """A folder has no state that can be kept; the message says why."""


def pack(entries: Iterable[StateEntry]) -> bytes:
    """Return the canonical encoding of a state: equal entries give equal bytes."""
    return msgpack.encode(sorted(entries, key=lambda entry: entry.path))


def unpack(state: bytes, limits: StateLimits) -> tuple[StateEntry, ...]:
    """Return the entries of an encoded state, which may come from a stranger. Raises: UnfitStateError."""
    try:
        entries = msgpack.decode(state, type=tuple[StateEntry, ...])
    except MALFORMED as error:
        raise UnfitStateError(f"not a state: {error}") from None
    room = _Room(limits)
    for entry in entries:
        for name in entry.path.split("/"):
            _check_name(name)
        _check_path(entry.path)
        room.take(len(entry.content or b""))
    if pack(entries) != state or len({entry.path for entry in entries}) < len(entries):
        raise UnfitStateError("not in the canonical encoding")
    folders = {"", *(entry.path for entry in entries if entry.content is None)}
    for entry in entries:
        if entry.path.rpartition("/")[0] not in folders:
            raise UnfitStateError(f"{entry.path!r} is in no folder of the state")
    return entries


def digest(state: bytes) -> str:
    """Return the SHA-256 of a state in hexadecimal, by which records identify it."""
    return sha256(state).hexdigest()


EMPTY_STATE = pack(())


def read(folder: int, limits: StateLimits) -> bytes:
    """Return the state in an open folder. Raises: UnfitStateError."""
    try:
        return pack(_below(folder, "", _Room(limits)))
    except OSError as error:
        raise UnfitStateError(f"cannot be read: {error.strerror}") from None


class _Room:
    """The entries and blocks that the limits still allow."""

    def __init__(self, limits: StateLimits) -> None:
        self._limits = limits
        self._blocks = (limits.size_mb << 20) // BLOCK
        self._entries = limits.files

    def take(self, size: int) -> None:
        """Take the room of an entry. Raises: UnfitStateError."""
        self._entries -= 1
        self._blocks -= -(-size // BLOCK)
        if self._entries < 0:
            raise UnfitStateError(f"more than {self._limits.files} files and folders")
        if self._blocks < 0:
            raise UnfitStateError(f"more than {self._limits.size_mb} MB, where holes of files count as well")


def _below(folder: int, parent: str, room: _Room) -> Iterator[StateEntry]:
    """Yield everything below an open folder, whose path in the state is ``parent``. Raises: UnfitStateError, OSError."""
    with os.scandir(folder) as entries:
        for entry in entries:
            _check_name(entry.name)
            path = f"{parent}/{entry.name}" if parent else entry.name
            _check_path(path)
            found = os.stat(entry.name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode):
                room.take(0)
                _check_mode(found, OWN_FOLDER, path)
                yield StateEntry(path, None)
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
                with closing_file(os.open(entry.name, flags, dir_fd=folder)) as inner:
                    yield from _below(inner, path, room)
            elif stat.S_ISREG(found.st_mode):
                yield StateEntry(path, _content(entry.name, folder, path, room))
            else:
                raise UnfitStateError(f"{path!r} is neither a file nor a folder")


def _content(name: str, folder: int, path: str, room: _Room) -> bytes:
    """Return the content of a file at the size that it has when it is opened; by then it may be no file any more.

    Raises: UnfitStateError, OSError.
    """
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(file, "rb") as opened:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            raise UnfitStateError(f"{path!r} is not a file, or has several names")
        _check_mode(found, OWN_FILE, path)
        room.take(found.st_size)
        return opened.read(found.st_size)


def _check_name(name: str) -> None:
    """Check a name in a folder; one that is not UTF-8 has surrogates here, which are not printable."""
    if name in ("", ".", "..") or not name.isprintable() or len(name.encode()) > LONGEST_NAME:
        raise UnfitStateError(f"{name[:50]!r} is not a name of printable characters of UTF-8, {LONGEST_NAME} bytes at most")


def _check_path(path: str) -> None:
    if path.count("/") >= DEEPEST or len(path) > LONGEST_PATH:
        raise UnfitStateError(f"{path[:50]!r} has more than {DEEPEST} names, or more than {LONGEST_PATH} characters")


def _check_mode(found: os.stat_result, least: int, path: str) -> None:
    """Check that an entry's owner has the rights ``least``; without them only root could read it."""
    if found.st_mode & least != least:
        raise UnfitStateError(f"{path!r} is closed to its owner")
