"""The states that bots have left, in a folder: each in a file named after its digest, which only its owner may read.

Bots share the file of equal states and never see it. A file is complete or absent, whatever is killed: it is written under another
name, and is on the disk before it gets its own.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from arena import bounded, durable
from arena.errors import StoreError
from arena.players.learned_state import EMPTY_DIGEST, EMPTY_STATE, LONGEST_PATH, UnfitStateError, digest, unpacked
from arena.roster.entrant import StateLimits


class States(Protocol):
    """Where states are found and kept."""

    def state(self, name: str) -> bytes:
        """Return the state with a digest. Raises: StoreError."""

    def keep(self, state: bytes) -> str:
        """Store a state and return its digest. Raises: StoreError."""


class KeptStates:
    """A folder of states, within limits."""

    def __init__(self, folder: Path, limits: StateLimits) -> None:
        self._folder = folder
        self._limits = limits
        self._most = (limits.size_mb << 20) + limits.files * 5 * LONGEST_PATH  # bytes of a file

    def state(self, name: str) -> bytes:
        """Return the state with a digest. Raises: StoreError, if it is missing or was changed."""
        if name == EMPTY_DIGEST:
            return EMPTY_STATE
        path = self._folder / name
        try:
            found = bounded.read(path, self._most)
            if digest(found) != name:
                raise StoreError(f"{path}: was changed; expected the state of a bot with this digest")
            unpacked(found, self._limits)
        except (OSError, bounded.TooLargeError, UnfitStateError) as error:
            raise StoreError(f"{path}: cannot be read as the state of a bot: {error}") from None
        return found

    def keep(self, state: bytes) -> str:
        """Store a state and return its digest. Raises: StoreError."""
        name = digest(state)
        path = self._folder / name
        with self._naming_errors():
            if name != EMPTY_DIGEST and not path.exists():
                self._folder.mkdir(mode=0o700, exist_ok=True)
                durable.write(path, state, private=True)  # several workers may keep equal states
        return name

    def remove_others(self, known: Collection[str]) -> None:
        """Remove all but some states. Raises: StoreError."""
        if self._folder.is_dir():
            with self._naming_errors():
                for path in self._folder.iterdir():
                    if path.name not in known and (path.is_symlink() or not path.is_dir()):
                        path.unlink()

    @contextmanager
    def _naming_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(f"{self._folder}: cannot be written: {error.strerror}") from None
