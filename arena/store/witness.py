"""The witness of a run: after each transaction the last link of its chain, as a line of ``witness.jsonl`` beside the database.

The chain shows that nothing in a database was changed, but not that nothing is missing at its end: a database that was copied
without its write-ahead log, or put back from an older copy, is whole. But it lacks the last link of its witness, and is refused.

The line is written after the transaction. A process that is killed in between leaves a witness that is behind the database, which
is no contradiction. Who can write the database and the witness can make them agree; then a link that was handed out shows it, in a
report, an export or the receipt of an upload (``arena verify --expect``).
"""

import logging
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, json

from arena import disk
from arena.errors import MALFORMED, StoreError
from arena.moments import Moment
from arena.records import Hash

WITNESS_FILE = "witness.jsonl"
LONGEST = 1000  # bytes of a line

log = logging.getLogger(__name__)


class SeenLink(Struct, frozen=True, kw_only=True):
    """A link of a chain, as it was seen."""

    run: Hash  # the start of the chain
    count: Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]  # records and events until then; an id that SQLite can hold
    link: Hash
    at: Moment  # when it was seen


class Witness:
    """The witness of one database, which is open to be written."""

    def __init__(self, database: Path) -> None:
        """Check the file, before anything is stored that it could not see. Raises: UnsafeFileError."""
        self._path = database.with_name(WITNESS_FILE)
        with suppress(OSError):
            disk.check_own(self._path)
        self._last = ""  # the link of the last line; empty: none was written
        self._failed = False

    def add(self, seen: SeenLink) -> None:
        """Add a link. A file that cannot be written is logged once, and no run stops for it. Raises: UnsafeFileError."""
        if seen.link == self._last:
            return
        try:
            disk.append_line(self._path, json.encode(seen))
        except OSError as error:
            if not self._failed:
                log.warning("%s: cannot be written: %s", self._path, error.strerror)
            self._failed = True
        self._last = seen.link


def last_seen(database: Path) -> SeenLink | None:
    """Return the last whole line of the witness of a database; None: there is none. Raises: StoreError."""
    path = database.with_name(WITNESS_FILE)
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 2 * LONGEST))  # a line may be torn
            lines = file.read(2 * LONGEST).splitlines()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    return next(filter(None, map(_decode, reversed(lines))), None)


def _decode(line: bytes) -> SeenLink | None:
    try:
        return json.decode(line, type=SeenLink)
    except MALFORMED:
        return None
