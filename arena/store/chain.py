"""The chain of what is filed: whatever is changed afterwards, in whatever column, is found and named.

When a run begins, a digest of each fact and of each entrant is filed as one more fact, the *seals*. Every record then bears a
link: the SHA-256 of the link before it and of all its rows, in the order in which records are filed; the first stands on the seals.
At the end the last link is filed once more, so that a record missing from the end is missed.

A row is hashed as the JSON of its table's name and of its columns by name, those that are NULL left out: a column that a later
schema adds is NULL in the rows that are there, and their links stay true.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from sqlite3 import Connection, Row
from typing import Any

from msgspec import DecodeError, json

START = "arena-chain-1"
SEALS = "seals"  # the fact that holds the digests of all facts filed with it
END = "finished"  # the fact that holds the last link, once more
LINK = "chain"  # the column of a record's link
TABLES = {"match": "id = ?", "game": "match = ?", "hand": "match = ?", "fault": "match = ?"}


def seals(database: Connection) -> str:
    """Return the digests of all facts and entrants on file, as the fact that is to be filed with them."""
    return json.encode(_digests(database)).decode()


def start(sealed: str) -> str:
    """Return what the first link stands on."""
    return sha256(f"{START}\n{sealed}".encode()).hexdigest()


def link(database: Connection, match: int, before: str) -> str:
    """Return the link of a record whose rows are on file, after the link ``before``."""
    whole = sha256(f"{before}\n".encode())
    for table, where in TABLES.items():
        for row in _named(database, f"SELECT * FROM {table} WHERE {where} ORDER BY 1, 2, 3", (match,)):  # noqa: S608 - names of ours
            whole.update(_line(table, row))
    return whole.hexdigest()


def end(last: str) -> str:
    """Return what is filed at the end, after the last link."""
    return sha256(f"{last}\n{END}".encode()).hexdigest()


def last(database: Connection) -> str:
    """Return the link that the next record is to follow."""
    found = database.execute(f"SELECT {LINK} FROM match ORDER BY id DESC LIMIT 1").fetchone()  # noqa: S608 - a name of ours
    return str(found[0]) if found else start(fact(database, SEALS))


def fact(database: Connection, key: str) -> str:
    """Return a fact, or nothing."""
    found = database.execute("SELECT value FROM run WHERE key = ?", (key,)).fetchone()
    return str(found[0]) if found else ""


def changed_facts(database: Connection) -> Iterator[str]:
    """Yield what is not as it was when the run began."""
    now = _digests(database)
    try:
        then = json.decode(fact(database, SEALS), type=dict[str, str])
    except DecodeError as error:
        yield f"run: {SEALS}: {error}"
        return
    for name in sorted({*now, *then}):
        if name not in now:
            yield f"{name}: filed when the run began, and gone"
        elif now[name] != then.get(name):
            yield f"{name}: changed since the run began" if name in then else f"{name}: not filed when the run began"


def changed_end(database: Connection) -> Iterator[str]:
    """Yield whether the end of a finished run is not the one that was filed."""
    filed = fact(database, END)
    if filed and filed != end(last(database)):
        yield f"run: {END}: does not follow from the last record: records are missing or were added, or it was changed"


def seal_older(database: Connection) -> None:
    """Chain what an arena without links has filed, as it stands."""
    if not fact(database, "title"):
        return
    database.execute("INSERT INTO run VALUES (?, ?)", (SEALS, seals(database)))
    before = start(fact(database, SEALS))
    for (match,) in database.execute("SELECT id FROM match ORDER BY id").fetchall():
        before = link(database, match, before)
        database.execute(f"UPDATE match SET {LINK} = ? WHERE id = ?", (before, match))  # noqa: S608 - a name of ours
    if fact(database, END):
        database.execute("UPDATE run SET value = ? WHERE key = ?", (end(before), END))


def _digests(database: Connection) -> dict[str, str]:
    """Return the digest of each fact that is filed at the beginning, and of each entrant."""
    facts = _named(database, "SELECT * FROM run WHERE key NOT IN (?, ?) ORDER BY key", (SEALS, END))
    field = _named(database, "SELECT * FROM entrant ORDER BY place", ())
    rows = [(f"run: {row['key']}", row) for row in facts] + [(f"entrant: {row['name']}", row) for row in field]
    return {name: sha256(_line("", row)).hexdigest() for name, row in rows}


def _named(database: Connection, query: str, values: tuple[Any, ...]) -> Iterator[Mapping[str, Any]]:
    """Yield rows as their columns by name, without those that are NULL and without the link."""
    cursor = database.cursor()
    cursor.row_factory = Row
    for row in cursor.execute(query, values):
        yield {name: row[name] for name in row.keys() if name != LINK and row[name] is not None}  # noqa: SIM118 - a Row is no dict


def _line(table: str, row: Mapping[str, Any]) -> bytes:
    return json.encode([table, row], order="sorted") + b"\n"
