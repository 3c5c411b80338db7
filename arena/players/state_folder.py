"""The state folder of one process of a bot, at the harness's end.

With namespaces it is a file system in memory, made and filled by the launcher (``confinement/launcher.py``); the harness gets its
descriptor. Without, as under the sandbox ``none``, it is a temporary folder, whose limits are only checked when it is read.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from tempfile import TemporaryDirectory, TemporaryFile

from arena.confinement.launch_policy import STATE
from arena.confinement.state_files import write
from arena.errors import WorkerLostError
from arena.players.state import EMPTY_STATE, UnfitStateError, read, unpack
from arena.roster.entrant import Launch, StateLimits


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
