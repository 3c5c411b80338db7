"""What a bot has learned: the content of its state folder, as one value with a digest.

A state is read from a folder that a hostile bot has filled. So every entry is opened by its name in a folder that is open already
and never by a path, links are not followed, only files and folders are read, and all is counted before it is read. Names,
contents and empty folders are kept; owners, modes, times and holes are not. Equal folders have equal states, byte for byte.

A folder that holds anything else, or more than its limits, has no state. Under a sandbox the kernel enforces the limits, so a bot
meets an error (ENOSPC, EPERM) when it writes; only holes, deep and long paths, modes and unprintable names are first found here.
"""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Protocol

from msgspec import msgpack

from arena import disk
from arena.confinement.folder_calls import closing_file
from arena.confinement.launch_policy import BLOCK, OWN_FILE, OWN_FOLDER, STATE, StateEntry, write
from arena.errors import MALFORMED, StoreError, WorkerLostError, naming_errors
from arena.roster.entrant import Launch, StateLimits

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
EMPTY_DIGEST = digest(EMPTY_STATE)


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


# The states that bots have left, in a folder: each in a file named after its digest, which only its owner may read.
#
# Bots with equal states share a file, and never see it. A file is complete or absent, whichever process is killed: it is written
# under another name, and is on the disk before it is renamed.


class States(Protocol):
    """A store of states."""

    def state(self, name: str) -> bytes:
        """Return the state with the digest ``name``. Raises: StoreError."""

    def keep(self, state: bytes) -> str:
        """Store a state and return its digest. Raises: StoreError."""


class KeptStates:
    """A folder of states, within limits."""

    def __init__(self, folder: Path, limits: StateLimits) -> None:
        self._folder = folder
        self._limits = limits
        # bytes of a file; UTF-8 has at most four for each character of a path
        self._most = (limits.size_mb << 20) + limits.files * 5 * LONGEST_PATH

    def state(self, name: str) -> bytes:
        """Return the state with the digest ``name``. Raises: StoreError, if it is missing or was changed."""
        if name == EMPTY_DIGEST:
            return EMPTY_STATE
        path = self._folder / name
        try:
            found = disk.read(path, self._most)
            if digest(found) != name:
                raise StoreError(f"{path}: was changed; expected the state of a bot with this digest")
            unpack(found, self._limits)
        except (OSError, disk.TooLargeError, UnfitStateError) as error:
            raise StoreError(f"{path}: cannot be read as the state of a bot: {error}") from None
        return found

    def keep(self, state: bytes) -> str:
        """Store a state and return its digest. Raises: StoreError."""
        name = digest(state)
        path = self._folder / name
        with naming_errors(self._folder, "cannot be written"):
            if name != EMPTY_DIGEST and not path.exists():
                disk.make_folder(self._folder.parent, self._folder.name, mode=0o700)
                disk.write(path, state, private=True)  # several workers may keep equal states
        return name

    def remove_others(self, known: Collection[str]) -> None:
        """Remove every file but the states ``known``. Raises: StoreError."""
        folder = disk.inside(self._folder.parent, self._folder.name)
        if folder.is_dir():
            with naming_errors(folder, "cannot be written"):
                for path in folder.iterdir():
                    if path.name not in known and (path.is_symlink() or not path.is_dir()):
                        path.unlink()


# The state folder of one process of a bot, at the harness's end.
#
# With namespaces it is a file system in memory, made and filled by the launcher (``confinement/launcher.py``); the harness gets its
# descriptor. Without, as under the sandbox ``none``, it is a temporary folder, whose limits are only checked when it is read.


class StateFolder:
    """A folder that begins with a state. Use ``close`` when its process has ended."""

    def __init__(self, launch: Launch, limits: StateLimits, state: bytes) -> None:
        """Prepare the folder for a launch that a sandbox has wrapped.

        Raises, for a temporary folder: UnfitStateError, if ``unpack`` refuses the state; WorkerLostError, if there is no room.
        """
        self.path = STATE  # as the bot sees it
        self._limits = limits
        self._state = state
        self._resources = ExitStack()
        self._folder: int | None = None  # open; with namespaces, once it was received
        if not launch.in_namespace:
            with _worker_lost_for_os_error(), ExitStack() as cleanup:
                cleanup.callback(self.close)
                entries = unpack(state, limits)
                self.path = self._resources.enter_context(TemporaryDirectory(prefix="arena-state-", ignore_cleanup_errors=True))
                self.receive(os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
                write(entries, self._descriptor)
                cleanup.pop_all()

    @contextmanager
    def content(self) -> Iterator[int | None]:
        """Open a file with the state, from which the launcher fills the folder; None: the launcher has nothing to write.

        Raises: WorkerLostError, if this machine has no room for it.
        """
        if self.path != STATE or self._state == EMPTY_STATE:
            yield None
            return
        with ExitStack() as resources:
            with _worker_lost_for_os_error():
                file = resources.enter_context(TemporaryFile(buffering=0))
                left = self._state
                while left:  # a disk that becomes full may take a part
                    left = left[file.write(left) :]
                file.seek(0)
            yield file.fileno()

    def receive(self, folder: int | None) -> None:
        """Take over the descriptor of the folder; None: the launcher has made none."""
        if folder is not None:
            self._folder = folder
            self._resources.callback(os.close, folder)

    def read_left(self, *, ended_cleanly: bool) -> bytes:
        """Return the state that its process left. ``ended_cleanly``: it ended by itself with code 0. Raises: UnfitStateError."""
        if not ended_cleanly:
            raise UnfitStateError("the bot did not end by itself with code 0 after its last message")
        return read(self._descriptor, self._limits)

    def close(self) -> None:
        """Remove a temporary folder; one in memory goes with the last descriptor. Never raises."""
        with suppress(RecursionError):  # a folder that is nested too deep for shutil.rmtree; it is left
            self._resources.close()

    @property
    def _descriptor(self) -> int:
        assert self._folder is not None
        return self._folder


@contextmanager
def _worker_lost_for_os_error() -> Iterator[None]:
    """Raise WorkerLostError for an error of the system: the folder is the machine's, so the bot is not at fault."""
    try:
        yield
    except OSError as error:
        raise WorkerLostError(f"no room for what a bot has learned, in the folder of temporary files: {error.strerror}") from error
