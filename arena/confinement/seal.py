"""A bot's seal: calls that could leave traces for another process are refused from `ready` on, before the bot knows a card.

The two legs of a pair never run at the same time, so a message between them has to last: an entry in the kernel's cache of names,
the number of a new pipe, a file's page in memory. A bot cannot be trusted to leave none, in any language, so a second filter
suspends such calls until the harness has answered (``seccomp.sealing_program``). Until the bot is ready, the harness lets the
kernel make them. Then it refuses them, and the kernel never looks at a path. Only in the bot's private folders, which no other
process has, the harness makes the calls itself (``folder_calls.py``).
"""

import errno
import os
import select
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from msgspec import Struct

from arena.confinement import folder_calls
from arena.confinement.folder_calls import MappedFile, OutsideError, ProcFolder, Request, closing_file

# The bots that a thread is starting. Until a bot is ready, the harness reads its launcher's status socket and lets its calls
# through. The two bots of a match start at the same time, so code that waits for one of them serves both, without another thread
# or process.


class StartingBots:
    """Descriptors of bots that are starting, each with a function that receives the events of ``poll`` there."""

    def __init__(self) -> None:
        self._serve: dict[int, Callable[[int], None]] = {}
        self._poll = select.epoll() if sys.platform == "linux" else select.poll()
        self._unit = 1 if sys.platform == "linux" else 1000  # epoll takes a timeout in seconds, poll in milliseconds

    def add(self, descriptor: int, serve: Callable[[int], None]) -> None:
        """Serve a descriptor until it is removed."""
        self._serve[descriptor] = serve
        self._poll.register(descriptor, select.POLLIN)

    def remove(self, descriptor: int) -> None:
        """Stop serving a descriptor, if it is served; call this before it is closed."""
        if self._serve.pop(descriptor, None):
            self._poll.unregister(descriptor)

    def fileno(self) -> int | None:
        """Return a descriptor that can be read when ``serve`` has something to do; None: this system has none."""
        return self._poll.fileno() if hasattr(self._poll, "fileno") else None

    def serve(self, seconds: float = 0.0) -> None:
        """Serve every descriptor on which something has happened; wait at most ``seconds`` for the first."""
        for descriptor, events in self._poll.poll(seconds * self._unit):
            if serve := self._serve.get(descriptor):  # serving another one may have removed it
                serve(events)


class _OfThread(threading.local):
    starting: StartingBots | None = None  # None: no bot was started yet, and no descriptor is open


def of_this_thread() -> StartingBots:
    """Return the bots that this thread is starting."""
    if _own.starting is None:
        _own.starting = StartingBots()
    return _own.starting


def _forget() -> None:
    """Forget the parent's bots in a forked process; unregistering them would change the parent's epoll too."""
    _own.starting = None


_own = _OfThread()
os.register_at_fork(after_in_child=_forget)


MOST = 16  # refused calls that are kept
MOST_CALLS = 1_000_000  # let through before the bot is ready, in 8 s of the harness; PyTorch makes 16,000


class RefusedCall(Struct, frozen=True):
    """A call of a sealed bot that was refused."""

    name: str
    path: str  # empty: it has none, or it could not be read

    def __str__(self) -> str:
        """Return name and path, for the bot's log."""
        return f"{self.name} {self.path}".rstrip()


class Seal:
    """The harness's end of a bot's seal."""

    def __init__(self, listener: int, starting: StartingBots, threads: int) -> None:
        """Let every call through until ``apply``, whenever ``starting`` is served; ``threads``: the most that the bot may have."""
        self.listener = listener
        self._threads = threads
        self._starting = starting
        self._bot: ProcFolder | None = None
        self._folders: Mapping[str, int] = {}
        self.refused: list[RefusedCall] = []  # the first MOST
        self.is_closed = False  # whether the listener is
        self._calls = 0  # that were let through
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        starting.add(listener, self._let_through)

    @property
    def is_exhausted(self) -> bool:
        """Tell whether the bot has made MOST_CALLS calls before it is ready: no other is let through."""
        return self._calls >= MOST_CALLS

    def apply(self, pid: int, folders: Mapping[str, int]) -> None:
        """Refuse calls from now on, except in ``folders``: descriptors of private folders, by path.

        The caller calls ``answer`` when the listener can be read. Raises: OSError, if the bot or its main thread has ended, or if
        ``fetch`` has too much to do.
        """
        self._starting.remove(self.listener)
        self._bot = ProcFolder(pid)
        self._folders = folders
        with self._bot.as_its_user():
            fetch(self._bot)

    def answer(self) -> None:
        """Answer the call that waits, if one does."""
        if self.is_closed:
            return
        events = dict(self._poll.poll(0)).get(self.listener, 0)
        if not events & select.POLLIN:
            if events:  # the bot has ended
                self.close()
        elif self._bot is None:
            folder_calls.let_through(self.listener, self._threads)
        elif request := folder_calls.next_request(self.listener, self._bot):
            self._answer(request)

    def close(self) -> None:
        """Have the kernel refuse every further call, and those that wait."""
        if not self.is_closed:
            self.is_closed = True
            self._starting.remove(self.listener)
            os.close(self.listener)

    def _let_through(self, events: int) -> None:
        if events & select.POLLIN and not self.is_exhausted:
            folder_calls.let_through(self.listener, self._threads)
            self._calls += 1
        else:  # the bot has ended, or waits until it is sealed or its time is over
            self._starting.remove(self.listener)

    def _answer(self, request: Request) -> None:
        try:
            with request.bot.as_its_user():
                folder_calls.answer_call(request, self._folders)
        except (OutsideError, OSError) as error:  # OSError: the bot has ended
            request.refuse(errno.EPERM)
            self._note(request.name, error.path if isinstance(error, OutsideError) else "")

    def _note(self, name: str, path: str) -> None:
        """Keep the first MOST refused calls for the bot's author; then have the kernel refuse (ENOSYS), unless it has a folder."""
        if len(self.refused) < MOST:
            self.refused.append(RefusedCall(name, path))
        elif not self._folders:
            self.close()


# Before a bot is sealed, the harness reads into memory all files that the bot can still read: reading them again leaves no trace.
#
# A bot may keep files open and mapped. A page that it reads stays in memory when the bot has ended, and another process sees this
# by the time that reading the page takes. So at the seal the harness reads all of them, which also updates their access times.
# Having the kernel read ahead (posix_fadvise(2)) is not enough: it stops after a few megabytes. Folders that the bot has open are
# listed for the same reason.
#
# A bot may have one file open many times, in each of its threads and in each of its processes: it is fetched once in FRESH seconds.

EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)  # errors of the machine, not of a bot
FRESH = 10.0  # seconds in which no file is fetched again: the kernel drops pages only when it is short of memory
# Bytes of all files that a bot may have open and mapped: the libraries of a framework for neural networks with those of graphics
# cards have 3 GB. They are read in 0.7 s if they are in memory.
MOST_BYTES = 4 << 30
MOST_SECONDS = 30.0  # for the files that are not in memory: 600 MB of weights from a disk that reads 20 MB/s


class FileIdentity(NamedTuple):
    """A file or folder, with the time of its last change, because the number of a removed file is used again."""

    device: int
    inode: int
    changed: int  # in nanoseconds
    size: int  # bytes; 0: a folder
    is_folder: bool


class FetchedFiles:
    """The files that were fetched since a moment, by any thread."""

    def __init__(self) -> None:
        self.since = time.monotonic()
        self.files: set[FileIdentity] = set()
        self.mapped: dict[MappedFile, FileIdentity] = {}  # those that were mapped


class _Recent:
    """The files that were fetched in the last FRESH seconds."""

    def __init__(self) -> None:
        self._latest = FetchedFiles()

    def files(self) -> FetchedFiles:
        """Return them, for the caller to add to."""
        if time.monotonic() - self._latest.since > FRESH:
            self.forget()
        return self._latest

    def forget(self) -> None:
        """Begin anew."""
        self._latest = FetchedFiles()


def fetch(bot: ProcFolder) -> None:
    """Fetch every file and folder that a bot has open, and every file that it has mapped, unless its user may not read it.

    One that was fetched less than FRESH seconds ago is left out. Raises: OSError, if they are more than a bot may have.
    """
    fetched = _recent.files()
    paths = dict(_mapped(bot, fetched))
    paths |= {file: path for path in bot.open_files() if (file := _identity(path))}
    size = sum(file.size for file in paths)
    if size > MOST_BYTES:
        raise OSError(
            errno.EFBIG, f"its open and mapped files have {size / 1e9:.1f} GB; allowed: {MOST_BYTES / 1e9:.1f} GB (close some)"
        )
    deadline = time.monotonic() + MOST_SECONDS
    for file, path in paths.items():
        if file not in fetched.files:
            with _ignoring_closed_files():
                _fetch(file, path, deadline)
                fetched.files.add(file)


def _mapped(bot: ProcFolder, fetched: FetchedFiles) -> Iterator[tuple[FileIdentity, str]]:
    """Yield the files that a bot has mapped, each with a path in /proc; empty: it was fetched."""
    for mapped in bot.mapped_files():
        known = fetched.mapped.get(mapped)
        if known in fetched.files:
            yield known, ""
            continue
        for path in bot.paths(mapped):
            if file := _identity(path):
                fetched.mapped[mapped] = file
                yield file, path
                break


def _identity(path: str) -> FileIdentity | None:
    """Return the identity of a file or folder; None: it is neither, or was closed or removed, or its user may not examine it."""
    with _ignoring_closed_files():
        found = os.stat(path)
        is_folder = stat.S_ISDIR(found.st_mode)
        if is_folder or stat.S_ISREG(found.st_mode):
            return FileIdentity(found.st_dev, found.st_ino, found.st_ctime_ns, 0 if is_folder else found.st_size, is_folder)
    return None


def _fetch(file: FileIdentity, path: str, deadline: float) -> None:
    """Read a file or list a folder. Raises: TimeoutError, after ``deadline``; OSError."""
    if file.is_folder:
        os.listdir(path)
        return
    with closing_file(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)) as opened:
        position = 0
        while position < file.size and (count := os.preadv(opened, [_buffer], position)):
            position += count
            if time.monotonic() > deadline:
                raise TimeoutError(
                    errno.ETIMEDOUT, f"its open and mapped files could not be read within {MOST_SECONDS:g} s (close some)"
                )


@contextmanager
def _ignoring_closed_files() -> Iterator[None]:
    """Ignore the error of a file that was closed or removed, or that its user may not read. Raises: OSError, of this machine."""
    try:
        yield
    except OSError as error:
        if isinstance(error, TimeoutError) or error.errno in EXHAUSTED:
            raise


_recent = _Recent()
_buffer = bytearray(1 << 20)  # for content that is not used
