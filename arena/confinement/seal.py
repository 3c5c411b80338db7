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
from collections.abc import Mapping

from msgspec import Struct

from arena.confinement import folder_calls, notifications, residency
from arena.confinement.folder_calls import OutsideError, Request
from arena.confinement.residency import ProcFolder
from arena.confinement.starting import Starting
from arena.confinement.syscall_numbers import MACHINES, NUMBERS

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
            residency.fetch(self._bot)

    def answer(self) -> None:
        """Answer the call that waits, if one does."""
        if self._closed:
            return
        events = dict(self._poll.poll(0)).get(self.listener, 0)
        if not events & select.POLLIN:
            if events:  # the bot has ended
                self.close()
        elif self._bot is None:
            notifications.let_through(self.listener)
        elif call := notifications.next_call(self.listener):
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
            notifications.let_through(self.listener)
        else:  # the bot has ended
            self._starting.remove(self.listener)

    def _answer(self, request: Request) -> None:
        try:
            with request.bot.as_its_user():
                folder_calls.answer(request, self._folders)
        except (OutsideError, OSError) as error:  # of the latter kind: the bot has ended
            notifications.refuse(self.listener, request.call, errno.EPERM)
            self._note(request.name, error.path if isinstance(error, OutsideError) else "")

    def _note(self, name: str, path: str) -> None:
        """Keep a refused call, if it is one of the first; after them stop listening, unless the bot has folders."""
        if len(self.refused) < MOST:
            self.refused.append(RefusedCall(name, path))
        elif not self._folders:
            self.close()


_column = MACHINES.get(platform.machine(), ("", 0))[1]
_NAMES = {numbers[_column]: name for name, numbers in NUMBERS.items() if numbers[_column] is not None}
