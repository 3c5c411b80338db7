"""A match of people that was stopped, by a signal or by a crash of the machine, and continues where it was.

A file in the folder of the run has the match as far as it was played. It is written after each action, and removed when the match
is stored. A bot is started again for what is left, as after a fault: it is told everything of each turn, but not of earlier hands.
"""

from msgspec import DecodeError, Struct
from msgspec.json import decode, encode

from arena.errors import DamagedError, StoreError
from arena.records import NOT_BEGUN, MatchSoFar
from arena.store.folder import Folder
from arena.tournament.seeds import commitment


class _Stopped(Struct, frozen=True):
    """The content of the file."""

    run: str  # the commitment to its seed
    match: MatchSoFar


class UnfinishedMatch:
    """The match in the folder of a run that has a seed."""

    def __init__(self, folder: Folder, seed: str) -> None:
        self._folder = folder
        self._run = commitment(seed)

    def read(self) -> MatchSoFar:
        """Return the match as far as it was played; one that has not begun, where the file is missing. Raises: StoreError."""
        path = self._folder.unfinished_match
        try:
            stored = decode(path.read_bytes(), type=_Stopped)
        except FileNotFoundError:
            return NOT_BEGUN
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
        except DecodeError as error:
            raise DamagedError(f"{path}: {error}") from None
        if stored.run != self._run:
            raise DamagedError(f"{path}: belongs to another run; expected the match of seed {self._run[:12]}…")
        return stored.match

    def keep(self, match: MatchSoFar) -> None:
        """Write the match as far as it was played. Raises: StoreError."""
        self._folder.write(self._folder.unfinished_match.name, encode(_Stopped(self._run, match)).decode())


def remove(folder: Folder) -> None:
    """Remove the file, because the match is stored."""
    folder.unfinished_match.unlink(missing_ok=True)
