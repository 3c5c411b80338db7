"""The links of a chain that reports, receipts, citations and exports name, which ``arena verify --expect`` looks for."""

import os
import re
from pathlib import Path

from arena import disk
from arena.errors import InputError
from arena.store.folder import DATABASE
from arena.store.store import Store

LEAST_DIGITS = 16  # of a typed link: 64 bits do not match by chance
LARGEST = 1 << 28  # bytes of a file that is read for its links
SQLITE = b"SQLite format 3\0"
NAMED_LINK = re.compile(rb"\blink\b.{0,30}?\b([0-9a-f]{64})\b", re.DOTALL)  # in reports of all kinds, and in receipts


def links_named(expected: str) -> tuple[str, ...]:
    """Return the links that the user expects: the typed one, of at least LEAST_DIGITS, or those in a file or an export.

    Raises: InputError, StoreError.
    """
    path = Path(expected)
    if not os.path.exists(expected):  # noqa: PTH110 - False also for a text that is too long for a path
        if re.fullmatch(rf"[0-9a-fA-F]{{{LEAST_DIGITS},64}}", expected):
            return (expected.lower(),)
        raise InputError(
            f"--expect {expected!r:.80}: no such file; expected a report, a receipt, a citation or an export,"
            f" or {LEAST_DIGITS} to 64 hexadecimal digits, as a report shows them after `link`"
        )
    file = path / DATABASE if path.is_dir() else path
    try:
        with file.open("rb") as opened:
            is_database = opened.read(len(SQLITE)) == SQLITE
        content = b"" if is_database else disk.read(file, LARGEST)
    except (OSError, disk.TooLargeError) as error:
        raise InputError(f"--expect {expected}: cannot be read: {error}") from None
    if is_database:
        with Store(file) as store:
            return (store.last_link(),)
    found = tuple(dict.fromkeys(link.decode() for link in NAMED_LINK.findall(content)))
    if not found:
        raise InputError(f"--expect {expected}: names no link; expected a report, a receipt, a citation or an export")
    return found
