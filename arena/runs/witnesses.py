"""Whether a database has every link that was seen of it, and how a person accepts that some are lost.

Links are seen by witnesses (:mod:`arena.store.chain`), and by what was handed out: reports, receipts of uploads, exports. They
are read before the database, so that what another process stores meanwhile is no contradiction.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from msgspec import DecodeError, Struct, json

from arena import system
from arena.errors import InputError, StoreError
from arena.moments import now
from arena.store import chain
from arena.store.chain import RollbackAccepted, SeenLink, WitnessLog
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store

EXPORTED = "witness.json"  # in an export: its last link; the league that it was made of has more
REPORT = "results.json"
RECEIPTS = "uploads/*/upload.json"
MOST = 1 << 28  # bytes of a file that is read for its links
Kind = TypeVar("Kind")
SQLITE = b"SQLite format 3\0"
NAMED_LINK = re.compile(rb"\blink\b.{0,30}?\b([0-9a-f]{64})\b", re.DOTALL)  # in reports of all kinds, and in receipts


class RolledBackError(StoreError):
    """A database lacks links that a witness has seen."""


class Testimony(NamedTuple):
    """A link that was seen, and by what."""

    source: str  # as a file is called in the folder of the run
    seen: SeenLink


class _WithReceipt(Struct):
    receipt: SeenLink | None = None


class _Provenance(Struct):
    link: str = ""


class _Report(Struct):
    provenance: _Provenance


# --- before anything is written


def check(store: Store, remedy: str) -> None:
    """Make sure that a database is not older than its witnesses. Raises: RolledBackError, with the remedy; StoreError."""
    found = _contradiction(store)
    if found:
        raise RolledBackError(f"{store.path.parent}: {_explain(store, found)}; {remedy}")


def accept(folder: Folder, reason: str = "") -> RollbackAccepted:
    """Store that links which a witness has seen are given up, and return the event.

    Raises: InputError, if none is missing; BusyError, StoreError.
    """
    if not folder.database.is_file():
        raise InputError(f"{folder.path}: holds no run; expected one whose database was rolled back")
    with folder.lock(), Store(folder.database, write=True) as store, store.deciding():
        return accept_in(store, reason)


def accept_in(store: Store, reason: str) -> RollbackAccepted:
    """Do the same in an open database. Raises: InputError, StoreError."""
    found = _contradiction(store)
    if found is None:
        raise InputError(f"{store.path.parent}: its database has all links that were seen; there is no rollback to accept")
    event = RollbackAccepted(at=now(), count=found.seen.count, link=found.seen.link, reason=reason)
    store.revise(json.encode(event).decode(), ())
    return event


def rollback(store: Store) -> str:
    """Return the contradiction of a database to its witnesses, in one line; empty: none. Raises: StoreError."""
    found = _contradiction(store)
    return _explain(store, found) if found else ""


def lost_run(store: Store) -> str:
    """Return the evidence of a run whose database holds nothing now, in one line; empty: none. Raises: StoreError."""
    found = None if store.has_begun() else _contradiction(store)
    return f"{found.source} has seen {found.seen.count} links of a run until {found.seen.at}" if found else ""


def _contradiction(store: Store) -> Testimony | None:
    """Return the highest link of a witness log that the database lacks; None: it has all that count.

    A link covers all before it, so the highest shows every change of what was seen. Raises: StoreError.
    """
    return next(_contradictions(store), None)


def _contradictions(store: Store) -> Iterator[Testimony]:
    run = store.link_at(0)
    seen = [Testimony(_name(log, store.path), one) for log in chain.logs_of(store.path) for one in _telling(log, run)]
    yield from (one for one in seen if _is_lost(store, one.seen, run))


def _telling(log: WitnessLog, run: str) -> Iterator[SeenLink]:
    yield from log.highest(run)[::-1]
    if other := log.other(run):
        yield other


def _is_lost(store: Store, seen: SeenLink, run: str) -> bool:
    if seen.run != run:
        return seen.count > 0  # a run of which nothing was stored may begin anew
    return store.link_at(seen.count) != seen.link and not _is_given_up(store, seen)


def _is_given_up(store: Store, seen: SeenLink) -> bool:
    """Tell whether a person has accepted that a link is missing."""
    return any(one.number <= seen.count <= one.event.count for one in store.rollbacks())


def _explain(store: Store, found: Testimony) -> str:
    """Return an explanation for a database that lacks a link."""
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


def _name(log: WitnessLog, database: Path) -> str:
    return log.path.name if log.path.parent == database.parent else str(log.path)


# --- for arena verify


def testimonies(folder: Folder) -> list[Testimony]:
    """Return every link that was seen of the run in a folder: by witness logs, and in receipts that the folder keeps.

    Raises: StoreError.
    """
    with Store(folder.database) as store:
        present = store.seen_link()
    if present is None:
        return []
    found = [Testimony(_name(log, folder.database), seen) for log in chain.logs_of(folder.database) for seen in log.of(present.run)]
    for path in sorted(folder.path.glob(RECEIPTS)):
        receipt = _decode(path, _WithReceipt)
        if receipt and receipt.receipt and receipt.receipt.run == present.run:
            found.append(Testimony(str(path.relative_to(folder.path)), receipt.receipt))
    return sorted(found, key=lambda one: one.seen.count)


def differences(folder: Folder, store: Store, seen: list[Testimony]) -> Iterator[str]:
    """Yield each source that has seen a link which the chain lacks, and where it began to differ. Raises: StoreError."""
    agreed, sources, is_export = dict[str, SeenLink](), set[str](), (folder.path / EXPORTED).is_file()
    last = store.seen_link()
    for one in seen:
        if is_export and last and one.seen.count > last.count:
            continue
        if store.link_at(one.seen.count) == one.seen.link:
            agreed[one.source] = one.seen
        elif one.source not in sources and not _is_given_up(store, one.seen):
            sources.add(one.source)
            until = agreed.get(one.source)
            same = f"; they agree up to link {until.count}, of {until.at}" if until else ""
            yield f"{_explain(store, one)}{same}"
    run = store.link_at(0)  # of which ``seen`` has all that was seen before the snapshot; a log may have more by now
    if not is_export and (other := next((one for one in _contradictions(store) if one.seen.run != run), None)):
        yield _explain(store, other)
    report = _decode(folder.path / REPORT, _Report)
    if report and report.provenance.link and not store.rollbacks() and not _has(store, report.provenance.link):
        yield f"{REPORT}: names the link {report.provenance.link}, which the chain lacks"


def summary(store: Store, seen: list[Testimony]) -> Iterator[str]:
    """Yield what the witnesses of a database without differences have seen, and what was given up."""
    inside = [one for one in seen if store.link_at(one.seen.count) == one.seen.link]
    if inside:
        yield f"witness: {inside[-1].source} has seen link {inside[-1].seen.count} at {inside[-1].seen.at}, as it is in the chain"
    if seen and seen[-1] not in inside:
        yield f"witness: {seen[-1].source} has seen link {seen[-1].seen.count} at {seen[-1].seen.at}, which is not here"
    for number, event in store.rollbacks():
        because = f": {event.reason}" if event.reason else ""
        yield f"rollback accepted at {event.at}: links {number} to {event.count} were given up{because}"


def links_named(expected: str, least: int) -> tuple[str, ...]:
    """Return the links that the user expects: one as it was typed, with at least so many digits, or those of a file or an export.

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
        content = b"" if is_database else system.read(file, MOST)
    except (OSError, system.TooLargeError) as error:
        raise InputError(f"--expect {expected}: cannot be read: {error}") from None
    if is_database:
        with Store(file) as store:
            return (store.last_link(),)
    found = tuple(dict.fromkeys(link.decode() for link in NAMED_LINK.findall(content)))
    if not found:
        raise InputError(f"--expect {expected}: names no link; expected a report, a receipt, a citation or an export")
    return found


def _has(store: Store, link: str) -> bool:
    return any(link in (one.link, one.end) for one in store.links())


def _decode(path: Path, kind: type[Kind]) -> Kind | None:
    try:
        return json.decode(system.read(path, MOST), type=kind)
    except (OSError, system.TooLargeError, DecodeError, RecursionError):
        return None
