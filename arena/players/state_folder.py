"""The state folder of one process of a bot, at the harness's end.

With namespaces it is a file system in memory that the launcher makes and fills (``confinement/handover.py``); the harness
gets it open. Without, as under the sandbox ``none``, it is a temporary folder, whose limits are only checked when it is read.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory, TemporaryFile

from arena.confinement.launch_policy import STATE, StateEntry, write
from arena.errors import WorkerLostError
from arena.players.state import EMPTY_STATE, UnfitStateError, read, unpack
from arena.roster.entrant import Launch, StateLimits


class StateFolder:
    """A folder that begins with a state. Use ``close`` when its process has ended."""

    def __init__(self, launch: Launch, limits: StateLimits, state: bytes) -> None:
        """Prepare the folder for a launch that a sandbox has wrapped.

        Raises: UnfitStateError, for a state above the limits; WorkerLostError, if this machine has no room for it.
        """
        self.path = STATE  # in the eyes of the bot
        self._limits = limits
        self._state = state
        self._resources = ExitStack()
        self._folder: int | None = None  # open; with namespaces, once it is handed over
        if not launch.in_namespace:
            with _naming_the_machine(), ExitStack() as undone:
                undone.callback(self.close)
                self._make_temporary(unpack(state, limits))
                undone.pop_all()

    def _make_temporary(self, entries: tuple[StateEntry, ...]) -> None:
        self.path = self._resources.enter_context(TemporaryDirectory(prefix="arena-state-", ignore_cleanup_errors=True))
        self.handed_over(os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        write(entries, self._descriptor)

    @contextmanager
    def content(self) -> Iterator[int | None]:
        """Open a file with the state, for the launcher to write it to the folder; None: the launcher has nothing to write.

        Raises: WorkerLostError, if this machine has no room for it.
        """
        if self.path != STATE or self._state == EMPTY_STATE:
            yield None
            return
        with ExitStack() as resources:
            with _naming_the_machine():
                file = resources.enter_context(TemporaryFile(buffering=0))
                left = self._state
                while left:  # a disk that becomes full may take a part
                    left = left[file.write(left) :]
                file.seek(0)
            yield file.fileno()

    def handed_over(self, folder: int | None) -> None:
        """Receive the folder in memory, open; None: the launcher has made none."""
        if folder is not None:
            self._folder = folder
            self._resources.callback(os.close, folder)

    def read_left(self, *, in_order: bool) -> bytes:
        """Return the state in it. Its process has ended, ``in_order``: by itself and without an error. Raises: UnfitStateError."""
        if not in_order:
            raise UnfitStateError("the bot did not end by itself with code 0 after its last message")
        return read(self._descriptor, self._limits)

    def close(self) -> None:
        """Remove a temporary folder; one in memory goes with the last descriptor."""
        self._resources.close()

    @property
    def _descriptor(self) -> int:
        assert self._folder is not None
        return self._folder


@contextmanager
def _naming_the_machine() -> Iterator[None]:
    """Raise WorkerLostError for an error of the system: the folder is the machine's, so the bot is not at fault."""
    try:
        yield
    except OSError as error:
        raise WorkerLostError(f"no room for what a bot has learned, in the folder of temporary files: {error.strerror}") from error
