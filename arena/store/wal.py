"""Detects transactions that a damaged write-ahead log has lost.

SQLite reads a log up to the first invalid frame and silently ignores the rest. After a kill that is correct for the last
transaction, which may be incomplete and was never committed. It is data loss for a transaction that ends after the first invalid
frame, and for frames that the index (the ``-shm`` file) still counts. One case cannot be detected: a log that was truncated at the
end of a transaction and has no index.

Source: https://www.sqlite.org/fileformat2.html#walformat, https://www.sqlite.org/walformat.html.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

MAGIC = {0x377F0682: "<", 0x377F0683: ">"}  # the byte order of the words in a checksum
HEADER = struct.Struct(">IIII8sII")  # magic, format, page size, checkpoint number, salts, checksum
FRAME = struct.Struct(">II8sII")  # page number, database size if a transaction ends here or else 0, salts, checksum
INDEX = struct.Struct("=16xI12x8s")  # number of frames, salts
BACKFILLED = struct.Struct("=96xI")  # number of frames that are already in the database
PAGE_SIZES = frozenset(1 << power for power in range(9, 17))

Checksum = tuple[int, int]


class _Scan(Struct):
    """What a pass over the frames of a log found."""

    frames: int = 0  # read
    valid: int = 0  # up to the end of the last transaction before the first invalid frame
    invalid: int = 0  # the first invalid frame, counted from 1; 0: none
    lost: int = 0  # transactions that end after it; one that ends with it may never have been committed


def losses(database: Path) -> Iterator[str]:
    """Yield what the log beside a database has lost.

    No process may write the database, and nothing may have opened it since the damage: SQLite rebuilds the index on opening.
    """
    log, index = (database.with_name(f"{database.name}-{kind}") for kind in ("wal", "shm"))
    salts, scan = b"", _Scan()
    if log.is_file() and log.stat().st_size:
        with log.open("rb") as file:
            header = file.read(HEADER.size)
            if not _is_valid(header):
                yield f"{log.name}: damaged header; SQLite ignores the whole log"
                return
            salts = header[16:24]
            scan = _scan(file, header)
    indexed = _indexed_frames(index, salts)
    if scan.lost:
        yield f"{log.name}: frame {scan.invalid} is damaged; {scan.lost} transactions after it are lost"
    elif indexed > scan.valid:
        yield f"{log.name}: ends after {scan.valid} frames; {indexed} were written"


def _is_valid(header: bytes) -> bool:
    """Return whether a log's header is complete and its checksum right."""
    if len(header) < HEADER.size:
        return False
    magic, _, page_size, _, _, *checksum = HEADER.unpack(header)
    return magic in MAGIC and page_size in PAGE_SIZES and _checksum((0, 0), header[:24], MAGIC[magic]) == tuple(checksum)


def _scan(file: BinaryIO, header: bytes) -> _Scan:
    """Read the frames that follow a log's header. Frames with other salts are left over from an older log."""
    magic, _, page_size, _, salts, *checksum = HEADER.unpack(header)
    running: Checksum = (checksum[0], checksum[1])
    scan = _Scan()
    while len(frame := file.read(FRAME.size + page_size)) == FRAME.size + page_size:
        scan.frames += 1
        _, ends_transaction, frame_salts, *expected = FRAME.unpack(frame[: FRAME.size])
        if not scan.invalid:
            running = _checksum(_checksum(running, frame[:8], MAGIC[magic]), frame[FRAME.size :], MAGIC[magic])
            if frame_salts != salts or running != tuple(expected):
                scan.invalid = scan.frames
        if ends_transaction and frame_salts == salts:
            scan.lost += 0 < scan.invalid < scan.frames
            scan.valid = scan.valid if scan.invalid else scan.frames
    return scan


def _checksum(before: Checksum, content: bytes, byte_order: str) -> Checksum:
    """Return a checksum continued over ``content``, whose length is a multiple of eight bytes."""
    one, two = before
    for first, second in struct.iter_unpack(f"{byte_order}II", content):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


def _indexed_frames(index: Path, salts: bytes) -> int:
    """Return how many frames the index counts; 0 if all are in the database already, or if the index belongs to another log."""
    try:
        with index.open("rb") as file:
            header = file.read(BACKFILLED.size)
    except OSError:
        return 0
    # The index header is written twice; two copies that differ mean that a write was interrupted.
    if len(header) < BACKFILLED.size or header[:48] != header[48:96]:
        return 0
    (frames, index_salts), (backfilled,) = INDEX.unpack(header[: INDEX.size]), BACKFILLED.unpack(header)
    return frames if frames > backfilled and salts in (index_salts, b"") else 0
