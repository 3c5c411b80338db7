"""A bot's seal: what it could leave behind for another process is refused from the moment that it is ready, before it knows a card.

The two legs of a pair never run at the same time, so all that could pass between them has to last: an entry in the kernel's cache
of names, the number of a new pipe, a file's page in memory. A bot cannot be trusted to refrain from that in any language, so a
second filter suspends such calls until the harness has answered (``seccomp.sealing_program``). Until the bot is ready, the kernel
is told to go on. Then the harness refuses, and the kernel never looks at a path. It makes the calls itself only in the bot's
private folders, which no other process has (``folder_calls.py``).

The first refused calls are kept, for the bot's author. After MOST of them the listener is closed, unless the bot has a folder: the
kernel then answers with ENOSYS.
"""

import errno
import os
import platform
import select
import stat
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from msgspec import Struct

from arena.confinement import folder_calls
from arena.confinement.folder_calls import MappedFile, OutsideError, ProcFolder, Request
from arena.confinement.syscalls import MACHINES, NUMBERS

# The bots of a thread that start. Until a bot is ready the harness works for it: it reads the launcher's status socket, and lets
# the bot's calls through. The two bots of a match start at the same time, so what waits for one of them serves both. It needs no
# thread and no other process.


class Starting:
    """Descriptors of bots that start, each with a function that is called with the events of ``poll`` there."""

    def __init__(self) -> None:
        self._serve: dict[int, Callable[[int], None]] = {}
        self._poll = select.epoll() if sys.platform == "linux" else select.poll()
        self._unit = 1 if sys.platform == "linux" else 1000  # of a timeout, in each second

    def add(self, descriptor: int, serve: Callable[[int], None]) -> None:
        """Serve a descriptor until it is removed."""
        self._serve[descriptor] = serve
        self._poll.register(descriptor, select.POLLIN)

    def remove(self, descriptor: int) -> None:
        """Serve a descriptor no longer, if it is served; call this before it is closed."""
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
    starting: Starting | None = None  # None: none has started yet, and no descriptor is open


def of_this_thread() -> Starting:
    """Return the bots of this thread that start."""
    if _own.starting is None:
        _own.starting = Starting()
    return _own.starting


def _forget() -> None:
    """Leave the parent's bots to the parent, whose descriptors a forked process shares."""
    _own.starting = None


_own = _OfThread()
os.register_at_fork(after_in_child=_forget)


MOST = 16


class RefusedCall(Struct, frozen=True):
    """A call that a sealed bot has made."""

    name: str
    path: str  # empty: it has none, or it could not be read

    def __str__(self) -> str:
        """Return both, for the bot's log."""
        return f"{self.name} {self.path}".rstrip()


class Seal:
    """The harness's end of a bot's seal."""

    def __init__(self, listener: int, starting: Starting) -> None:
        """Let every call through while the bots of ``starting`` are served."""
        self.listener = listener
        self._starting = starting
        self._bot: ProcFolder | None = None
        self._folders: Mapping[str, int] = {}
        self.refused: list[RefusedCall] = []  # the first
        self._closed = False
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        starting.add(listener, self._let_through)

    def apply(self, pid: int, folders: Mapping[str, int]) -> None:
        """Refuse calls from now on, but those in private ``folders``, which are open.

        When the listener can be read, ``answer`` a call. Raises: OSError, if the bot has ended, or its main thread.
        """
        self._starting.remove(self.listener)
        self._bot = ProcFolder(pid)
        self._folders = folders
        with self._bot.as_its_user():
            fetch(self._bot)

    def answer(self) -> None:
        """Answer the call that waits, if one does."""
        if self._closed:
            return
        events = dict(self._poll.poll(0)).get(self.listener, 0)
        if not events & select.POLLIN:
            if events:  # the bot has ended
                self.close()
        elif self._bot is None:
            folder_calls.let_through(self.listener)
        elif call := folder_calls.next_call(self.listener):
            self._answer(Request(self.listener, call, _NAMES[call.number], self._bot))

    @property
    def is_closed(self) -> bool:
        """Tell whether there is nothing to poll any more."""
        return self._closed

    def close(self) -> None:
        """Have the kernel refuse every further call, and those that wait."""
        if not self._closed:
            self._closed = True
            self._starting.remove(self.listener)
            os.close(self.listener)

    def _let_through(self, events: int) -> None:
        if events & select.POLLIN:
            folder_calls.let_through(self.listener)
        else:  # the bot has ended
            self._starting.remove(self.listener)

    def _answer(self, request: Request) -> None:
        try:
            with request.bot.as_its_user():
                folder_calls.answer(request, self._folders)
        except (OutsideError, OSError) as error:  # of the latter kind: the bot has ended
            folder_calls.refuse_call(self.listener, request.call, errno.EPERM)
            self._note(request.name, error.path if isinstance(error, OutsideError) else "")

    def _note(self, name: str, path: str) -> None:
        """Keep a refused call, if it is one of the first; after them stop listening, unless the bot has folders."""
        if len(self.refused) < MOST:
            self.refused.append(RefusedCall(name, path))
        elif not self._folders:
            self.close()


# Before a bot is sealed, the harness fetches into memory what it can still read: a page that is there already tells nothing when it
# is read again.
#
# A bot may keep files open and mapped. Which of their pages are in memory lasts longer than the bot, and another process sees it by
# the time that a page takes to read. So at the seal the harness reads all of them, which also updates their access times. To have
# the kernel read ahead (posix_fadvise(2)) is not enough: it stops after a few megabytes. Folders that the bot has open are listed
# for the same reason.

FRESH = 10.0  # seconds in which a file is not fetched again: the kernel drops pages only when it is short of memory


class _Fetched:
    """The mapped files that were fetched in the last seconds."""

    def __init__(self) -> None:
        self._files: set[MappedFile] = set()
        self._since = 0.0

    def files(self) -> set[MappedFile]:
        """Return the set, for the caller to add to."""
        now = time.monotonic()
        if now - self._since > FRESH:
            self._files, self._since = set(), now
        return self._files


def fetch(bot: ProcFolder) -> None:
    """Fetch every file and folder that a bot has open or mapped. What its user may not read, it may not either."""
    fetched = _recently.files()
    new = bot.mapped_files() - fetched
    for path in (*bot.open_files(), *(path for file in new for path in bot.paths(file))):
        with suppress(OSError):  # it has been closed, or removed
            _fetch(path)
    fetched |= new


def _fetch(path: str) -> None:
    kind = os.stat(path).st_mode
    if stat.S_ISDIR(kind):
        os.listdir(path)
    elif stat.S_ISREG(kind):
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            position = 0
            while count := os.preadv(file, [_buffer], position):
                position += count
        finally:
            os.close(file)


_recently = _Fetched()
_buffer = bytearray(1 << 20)  # for content that is not looked at
_column = MACHINES.get(platform.machine(), ("", 0))[1]
_NAMES = {numbers[_column]: name for name, numbers in NUMBERS.items() if numbers[_column] is not None}
