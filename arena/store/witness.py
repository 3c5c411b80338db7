"""The witness of a run: the links of its chain, each with its number and the time, in a file outside of the database.

The chain shows that nothing in a database was changed, but not that nothing is missing at its end, nor that it was not computed
anew. So after a transaction its last link is added as a line of JSON to ``witness.jsonl`` beside the database, and to the file that
the variable ``ARENA_WITNESS`` names, which may serve many runs; records that are stored within a second of each other share a line.
A database without a link that was seen was rolled back, or made anew.

The line is written after the transaction. A process that is killed in between leaves the witness behind the database, which is no
contradiction; the other way round it is one.

This shows changes by a person who can change the database but not the witness. Who can change both can make them agree.
Then only what was handed out shows it: reports, exports and receipts of uploads name the link too, and ``arena verify --expect``
looks for it in the chain.
"""

import logging
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from msgspec import DecodeError, Meta, Struct, json

from arena.errors import StoreError

NAME = "witness.jsonl"
VARIABLE = "ARENA_WITNESS"
PAUSE = 1.0  # seconds between two lines about records
LONGEST = 1000  # bytes of a line
ROLLBACK_ACCEPTED = "rollback-accepted"

log = logging.getLogger(__name__)

Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")]  # UTC


class SeenLink(Struct, frozen=True, kw_only=True):
    """A link of a chain, as it was seen."""

    run: Hash  # the start of the chain, by which runs are told apart
    count: Annotated[int, Meta(ge=0)]  # records and events until then
    link: Hash
    at: Moment


class RollbackAccepted(Struct, frozen=True, kw_only=True, tag_field="event", tag=ROLLBACK_ACCEPTED, forbid_unknown_fields=True):
    """A person has accepted that the chain lacks links that a witness has seen. The event stands where the first of them stood."""

    at: Moment
    count: Annotated[int, Meta(ge=0)]  # of the last link that was given up
    link: Hash  # that link
    reason: Annotated[str, Meta(max_length=10_000)] = ""


def accepted_rollback(content: str) -> RollbackAccepted | None:
    """Return the event of an accepted rollback; None: it is another event."""
    try:
        return json.decode(content, type=RollbackAccepted)
    except (DecodeError, RecursionError):
        return None


def seen_now(run: str, count: int, link: str) -> SeenLink:
    """Return a link as it is seen at this moment."""
    return SeenLink(run=run, count=count, link=link, at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")


class WitnessLog:
    """A file of links that were seen, of one run or of many."""

    def __init__(self, path: Path, *, beside: bool) -> None:
        """``beside``: it is the one beside the database, which has the links of that run alone, or of one that it has replaced."""
        self.path = path
        self.beside = beside
        self._is_whole = False  # whether the file is known to end with a whole line
        self._failed = False

    def add(self, seen: SeenLink) -> None:
        """Add a link. A file that cannot be written stays behind the database; that is logged, and no run stops for it."""
        line = json.encode(seen) + b"\n"
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                if not (self._is_whole or _ends_whole(handle)):
                    line = b"\n" + line
                self._is_whole = os.write(handle, line) == len(line)
            finally:
                os.close(handle)
        except OSError as error:
            if not self._failed:
                log.warning("%s: cannot be written: %s", self.path, error.strerror)
            self._failed = True

    def of(self, run: str) -> Iterator[SeenLink]:
        """Yield the links of a run, in the order in which they were written; a line that is not whole is passed over.

        Raises: StoreError.
        """
        for line in self._lines():
            if run.encode() in line and (found := _decode(line)) and found.run == run:
                yield found

    def highest(self, run: str) -> list[SeenLink]:
        """Return the last link of a run, and those before it that had a higher number than all after them. Raises: StoreError.

        They are more than one where something was stored after a rollback.
        """
        found = list[SeenLink]()
        for seen in reversed(list(self.of(run))):
            if not found or seen.count > found[-1].count:
                found.append(seen)
        return found

    def other(self, run: str) -> SeenLink | None:
        """Return the last link of all, if it is that of another run, in the log beside a database. Raises: StoreError."""
        last = next(filter(None, map(_decode, reversed(list(self._lines())))), None) if self.beside else None
        return last if last and last.run != run else None

    def _lines(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as file:
                while line := file.readline(LONGEST):
                    yield line
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}") from None


def logs_of(database: Path) -> tuple[WitnessLog, ...]:
    """Return the witness logs of a database."""
    named = os.environ.get(VARIABLE, "")
    beside = WitnessLog(database.with_name(NAME), beside=True)
    return (beside, WitnessLog(Path(named).expanduser(), beside=False)) if named else (beside,)


class WitnessPen:
    """Writes the links of one database, as its transactions end."""

    def __init__(self, database: Path) -> None:
        self._logs = logs_of(database)
        self._last = ""  # link that was written
        self._hurries = False
        self._next = 0.0  # by the monotonic clock: when the next line about records is written

    @property
    def is_due(self) -> bool:
        """Tell whether the next link is to be written, also if it is that of a record."""
        return self._hurries or time.monotonic() >= self._next

    def hurry(self) -> None:
        """Make the next link due."""
        self._hurries = True

    def write(self, seen: SeenLink) -> None:
        """Write a link, unless it is the last that was written."""
        if seen.link != self._last:
            for one in self._logs:
                one.add(seen)
        self._last, self._hurries, self._next = seen.link, False, time.monotonic() + PAUSE


def _ends_whole(handle: int) -> bool:
    size = os.fstat(handle).st_size
    return size == 0 or os.pread(handle, 1, size - 1) == b"\n"


def _decode(line: bytes) -> SeenLink | None:
    try:
        return json.decode(line, type=SeenLink)
    except (DecodeError, RecursionError):
        return None
