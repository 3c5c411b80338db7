"""A person's match that was stopped, by a signal or by a crash of the machine, and continues where it was.

A file in the folder of the run has the match as far as it was played. It is written after each action, and removed when the
match is stored. For the rest of the match a bot is started again, as after a fault: each turn tells it all about the hand, but
nothing of earlier hands.
"""

from msgspec import Struct
from msgspec.json import decode, encode

from arena.errors import MALFORMED, DamagedError, StoreError
from arena.records import NOT_BEGUN, MatchSoFar
from arena.store.folder import Folder
from arena.tournament.seeds import commitment


class _StoredMatch(Struct, frozen=True):
    """The content of the file."""

    run: str  # the commitment to its seed
    match: MatchSoFar


class UnfinishedMatch:
    """The unfinished match in the folder of a run, which is known by its seed."""

    def __init__(self, folder: Folder, seed: str) -> None:
        self._folder = folder
        self._run = commitment(seed)

    def read(self) -> MatchSoFar:
        """Return the match as far as it was played; ``NOT_BEGUN`` if the file is missing. Raises: StoreError, DamagedError."""
        path = self._folder.unfinished_match
        try:
            stored = decode(path.read_bytes(), type=_StoredMatch)
        except FileNotFoundError:
            return NOT_BEGUN
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
        except MALFORMED as error:
            raise DamagedError(f"{path}: {error}") from None
        if stored.run != self._run:
            raise DamagedError(f"{path}: belongs to another run; expected that of the commitment {self._run[:12]}…")
        return stored.match

    def keep(self, match: MatchSoFar) -> None:
        """Write the match as far as it was played. Raises: StoreError."""
        self._folder.write(self._folder.unfinished_match.name, encode(_StoredMatch(self._run, match)).decode())


def remove_unfinished(folder: Folder) -> None:
    """Remove the file of an unfinished match, because the match is stored."""
    folder.unfinished_match.unlink(missing_ok=True)
