"""The states that bots have left, in a folder: each in a file named after its digest, which only its owner may read.

Bots with equal states share a file, and never see it. A file is complete or absent, whichever process is killed: it is written
under another name, and is on the disk before it is renamed.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from arena import disk
from arena.errors import StoreError, naming_errors
from arena.players.state import EMPTY_STATE, LONGEST_PATH, UnfitStateError, digest, unpack
from arena.roster.entrant import StateLimits

EMPTY_DIGEST = digest(EMPTY_STATE)


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
