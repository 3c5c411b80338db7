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
from collections.abc import Mapping

from msgspec import Struct

from arena.confinement import folder_calls
from arena.confinement.fetched_files import fetch
from arena.confinement.folder_calls import OutsideError, Request
from arena.confinement.listener import let_through
from arena.confinement.process_files import ProcFolder
from arena.confinement.starting_bots import StartingBots

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
            let_through(self.listener, self._threads)
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
            let_through(self.listener, self._threads)
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
