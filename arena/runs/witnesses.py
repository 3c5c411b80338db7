"""Checks that a database has every link that was seen of it, and lets a person accept that some are lost.

Links are in witness logs (:mod:`arena.store.chain`), and in files that were handed out: reports, receipts of uploads, exports.
``arena verify`` reads them before the database, so that records which another process stores meanwhile are no contradiction.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from msgspec import Struct, json

from arena import disk
from arena.errors import MALFORMED, InputError, StoreError
from arena.moments import now
from arena.store import chain
from arena.store.chain import RollbackAccepted, SeenLink, WitnessLog
from arena.store.folder import DATABASE, Folder
from arena.store.store import AcceptedRollback, Store

EXPORTED = "witness.json"  # file of an export with its last link; the league itself may have more
REPORT = "results.json"
RECEIPTS = "uploads/*/upload.json"
LARGEST = 1 << 28  # bytes of a file that is read for its links
Kind = TypeVar("Kind")
SQLITE = b"SQLite format 3\0"
NAMED_LINK = re.compile(rb"\blink\b.{0,30}?\b([0-9a-f]{64})\b", re.DOTALL)  # in reports of all kinds, and in receipts


class RolledBackError(StoreError):
    """A database lacks links that a witness has seen."""


class Testimony(NamedTuple):
    """A link that was seen, and the file that names it."""

    source: str  # path of the file, relative to the run's folder if it is inside
    seen: SeenLink


class _WithReceipt(Struct):
    receipt: SeenLink | None = None


class _Provenance(Struct):
    link: str = ""


class _Report(Struct):
    provenance: _Provenance


# --- before a database is written


def check(store: Store, remedy: str) -> None:
    """Raise RolledBackError, with the remedy, if the database lacks a link that a witness log has. Raises: StoreError."""
    if found := rollback(store):
        raise RolledBackError(f"{store.path.parent}: {found}; {remedy}")


def accept(folder: Folder, reason: str = "") -> RollbackAccepted:
    """Store the event that a person gives up the links which a witness has seen, and return it.

    Raises: InputError, if none is missing; BusyError, StoreError.
    """
    if not folder.database.is_file():
        raise InputError(f"{folder.path}: holds no run; expected one whose database was rolled back")
    with folder.lock(), Store(folder.database, write=True) as store, store.deciding():
        return accept_in(store, reason)


def accept_in(store: Store, reason: str) -> RollbackAccepted:
    """Do as ``accept`` in an open database, inside a transaction. Raises: InputError, StoreError."""
    if not store.has_begun():
        raise InputError(f"{store.path.parent}: its database is empty; put it back, or name a new folder for a new run")
    found = _contradiction(store)
    if found is None:
        raise InputError(f"{store.path.parent}: its database has all links that were seen; there is no rollback to accept")
    run = store.link_at(0)
    # not earlier than any link that was seen, also if the clock was set back: links that are seen later are not given up
    at = max([now(), *(seen.at for log in chain.logs_of(store.path) for seen in log.of(run))])
    event = RollbackAccepted(at=at, count=found.seen.count, link=found.seen.link, reason=reason)
    store.revise(json.encode(event).decode(), ())
    return event


def rollback(store: Store) -> str:
    """Return in one line how the database contradicts a witness log; empty: it does not. Raises: StoreError."""
    found = _contradiction(store)
    return _explain(store, found) if found else ""


def check_not_emptied(store: Store) -> None:
    """Raise StoreError if a database is empty, and the witness beside it has seen records of a run. Raises: StoreError."""
    seen = None if store.has_begun() else chain.logs_of(store.path)[0].other("")
    if seen and seen.count:  # a run without records may be replaced by a new one
        what = f"the database is missing or empty, but {chain.NAME} has seen {seen.count} links of a run until {seen.at}"
        raise StoreError(f"{store.path.parent}: {what}; put the database back, or name a new folder")


def _contradiction(store: Store) -> Testimony | None:
    """Return the highest link that a witness log has and the database lacks, if it was not given up; None: there is none.

    A link covers all before it, so the highest shows every change of what was seen. Raises: StoreError.
    """
    return max(_contradictions(store), key=lambda testimony: testimony.seen.count, default=None)


def _contradictions(store: Store) -> Iterator[Testimony]:
    run, rollbacks = store.link_at(0), store.rollbacks()
    seen_by = [(log, seen) for log in chain.logs_of(store.path) for seen in (*log.highest(run), log.other(run)) if seen]
    yield from (Testimony(_log_name(log, store.path), seen) for log, seen in seen_by if _is_lost(store, seen, run, rollbacks))


def _is_lost(store: Store, seen: SeenLink, run: str, rollbacks: Sequence[AcceptedRollback]) -> bool:
    if seen.run != run:
        return seen.count > 0  # a run without records may be replaced by a new one
    return store.link_at(seen.count) != seen.link and not _is_given_up(seen, rollbacks)


def _is_given_up(seen: SeenLink, rollbacks: Iterable[AcceptedRollback]) -> bool:
    """Tell whether a person has accepted that a link is missing; no link that was seen after that is given up with it."""
    return any(first <= seen.count <= event.count and seen.at <= event.at for first, event in rollbacks)


def _explain(store: Store, found: Testimony) -> str:
    """Return the reason for which a database lacks a link, as far as it can be told."""
    seen, present = found.seen, store.seen_link()
    what = f"{found.source} has seen its link {seen.count} at {seen.at}"
    if present and seen.run != present.run:
        return (
            f"the database is that of another run: {found.source} has seen {seen.count} links of the one before it until {seen.at}"
        )
    if present and present.count < seen.count:
        return f"the database ends with link {present.count}, but {what}: it was rolled back to an older copy"
    return (
        f"the database has another link {seen.count}, but {what}: it was changed and its chain made anew, or an older copy went on"
    )


def _log_name(log: WitnessLog, database: Path) -> str:
    return log.path.name if log.path.parent == database.parent else str(log.path)


# --- for arena verify


def testimonies(folder: Folder) -> list[Testimony]:
    """Return every link of the run in a folder that is in witness logs, and in the folder's receipts, lowest first.

    Raises: StoreError.
    """
    with Store(folder.database) as store:
        present = store.seen_link()
    if present is None:
        return []
    logs = chain.logs_of(folder.database)
    found = [Testimony(_log_name(log, folder.database), seen) for log in logs for seen in log.of(present.run)]
    for path in sorted(folder.path.glob(RECEIPTS)):
        receipt = _decode(path, _WithReceipt)
        if receipt and receipt.receipt and receipt.receipt.run == present.run:
            found.append(Testimony(str(path.relative_to(folder.path)), receipt.receipt))
    return sorted(found, key=lambda testimony: testimony.seen.count)


def differences(folder: Folder, store: Store, known: list[Testimony]) -> Iterator[str]:
    """Yield a line for each source with a link that the chain lacks, and the last link on which they agree. Raises: StoreError."""
    agreed, sources, is_export = dict[str, SeenLink](), set[str](), (folder.path / EXPORTED).is_file()
    last, rollbacks = store.seen_link(), store.rollbacks()
    for one in known:
        if is_export and last and one.seen.count > last.count:
            continue
        if store.link_at(one.seen.count) == one.seen.link:
            agreed[one.source] = one.seen
        elif one.source not in sources and not _is_given_up(one.seen, rollbacks):
            sources.add(one.source)
            until = agreed.get(one.source)
            same = f"; they agree up to link {until.count}, of {until.at}" if until else ""
            yield f"{_explain(store, one)}{same}"
    # only links of other runs: of this one, a log may have newer links than ``known``, which was read before the snapshot
    run = store.link_at(0)
    if not is_export and (other := next((one for one in _contradictions(store) if one.seen.run != run), None)):
        yield _explain(store, other)
    report = _decode(folder.path / REPORT, _Report)
    if report and report.provenance.link and not rollbacks and not _has(store, report.provenance.link):
        yield f"{REPORT}: names the link {report.provenance.link}, which the chain lacks"


def summary(store: Store, known: list[Testimony]) -> Iterator[str]:
    """Yield lines about the highest link that was seen and is in the chain, one above it that is not, and accepted rollbacks.

    Only for a database without ``differences``.
    """
    in_chain = [one for one in known if store.link_at(one.seen.count) == one.seen.link]
    if in_chain:
        highest = in_chain[-1]
        yield f"witness: {highest.source} has seen link {highest.seen.count} at {highest.seen.at}, as it is in the chain"
    if known and known[-1] not in in_chain:
        yield f"witness: {known[-1].source} has seen link {known[-1].seen.count} at {known[-1].seen.at}, which is not here"
    for number, event in store.rollbacks():
        because = f": {event.reason}" if event.reason else ""
        yield f"rollback accepted at {event.at}: links {number} to {event.count} were given up{because}"


def links_named(expected: str, least: int) -> tuple[str, ...]:
    """Return the links that the user expects: the typed one, of at least ``least`` digits, or those in a file or an export.

    Raises: InputError, StoreError.
    """
    path = Path(expected)
    if not os.path.exists(expected):  # noqa: PTH110 - False also for a text that is too long for a path
        if re.fullmatch(rf"[0-9a-fA-F]{{{least},64}}", expected):
            return (expected.lower(),)
        raise InputError(
            f"--expect {expected!r:.80}: no such file; expected a report, a receipt, a citation or an export,"
            f" or {least} to 64 hexadecimal digits, as a report shows them after `link`"
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


def _has(store: Store, link: str) -> bool:
    """Tell whether the chain has a link that a report names; of a finished run it names the end."""
    return any(link in (one.link, one.end) for one in store.links())


def _decode(path: Path, kind: type[Kind]) -> Kind | None:
    try:
        return json.decode(disk.read(path, LARGEST), type=kind)
    except (OSError, disk.TooLargeError, *MALFORMED):
        return None
