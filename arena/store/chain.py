"""A hash chain over everything that is stored, so that any later change is found and located.

When a run begins, the digests of all facts and entrants are stored as one more fact, ``seals``. The hash of that fact starts the
chain. Each record then stores a link: the SHA-256 of the previous link and of all rows of the record. Links follow the order in
which records are stored. When the run ends, a hash of the last link is stored as the fact ``finished``, so that a record missing
from the end is noticed. The last link therefore covers the facts, the entrants and every record. Reports show it, and of a finished
run the value of ``finished``.

A change of a run under way, as a bot that joins a league or a spec that has grown, is stored as an event. Events and records share
one sequence of ids and one chain; the link of an event covers its content and the entrants that it added.

A row is hashed as the JSON of its table's name, empty for facts and entrants in ``seals``, and its columns by name, without columns
that are NULL.

Records are stored when their match ends, in any order, because a fixed order would make workers wait for the slowest match and
lose finished matches when the run is killed. So two runs with the same results have different links.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from sqlite3 import Connection, Error
from typing import Any

from msgspec import json

from arena.errors import MALFORMED

START = "arena-chain-1"
DIGESTS = "seals"  # key of the fact that holds the digests of all other facts and of the entrants
END = "finished"  # key of the fact that holds the hash of the last link
LINK = "chain"  # column of a record's link
BROKEN = (Error, UnicodeDecodeError)  # raised for a damaged file: by SQLite, and by Python for names that are not UTF-8
RECORD = {"match": "id = ?", "game": "match = ?", "hand": "match = ?", "fault": "match = ?"}  # the rows of a record, by table
EVENT = {"event": "id = ?", "entrant": "event = ?"}  # the rows of an event
# in the order of the ids, without sorting: each half is read in the order of its table
LINKS = "SELECT id, fixture, chain FROM match UNION ALL SELECT id, NULL, chain FROM event ORDER BY 1"


def digests(database: Connection) -> str:
    """Return the digests of all stored facts and entrants, as the value of the fact ``seals``."""
    return json.encode(_digests(database)).decode()


def start(stored_digests: str) -> str:
    """Return the value that the first link follows."""
    return sha256(f"{START}\n{stored_digests}".encode()).hexdigest()


def link(database: Connection, tables: Mapping[str, str], number: int, before: str) -> str:
    """Return the link that follows the link ``before``, of a stored record or event with the id ``number``.

    ``tables``: RECORD or EVENT, which say where its rows are.
    """
    running = sha256(f"{before}\n".encode())
    for table, where in tables.items():
        query = f"SELECT * FROM {table} WHERE {where} ORDER BY 1, 2, 3"  # noqa: S608 - names from the tables above
        for row in _mappings(database, query, (number,)):
            running.update(_line(table, row))
    return running.hexdigest()


def link_at(database: Connection, number: int) -> str:
    """Return the link of the record or event with this id; empty: there is none."""
    found = database.execute(
        "SELECT chain FROM match WHERE id = ? UNION ALL SELECT chain FROM event WHERE id = ?", (number, number)
    )
    return next((str(link) for (link,) in found), "")


def end(last_link: str) -> str:
    """Return the value of the fact ``finished``."""
    return sha256(f"{last_link}\n{END}".encode()).hexdigest()


def last(database: Connection) -> tuple[int, str]:
    """Return the id and the link of the last record or event; 0 and the start of the chain: there is none."""
    found = database.execute(f"{LINKS} DESC LIMIT 1").fetchone()
    return (int(found[0]), str(found[2])) if found else (0, start(fact(database, DIGESTS)))


def fact(database: Connection, key: str) -> str:
    """Return the value of a fact; empty: there is none."""
    found = database.execute("SELECT value FROM run WHERE key = ?", (key,)).fetchone()
    return str(found[0]) if found else ""


def fact_problems(database: Connection) -> Iterator[str]:
    """Yield each fact and entrant that was changed, removed or added since the run began."""
    current = _digests(database)
    try:
        sealed = json.decode(fact(database, DIGESTS), type=dict[str, str])
    except MALFORMED as error:
        yield f"run: {DIGESTS}: {error}"
        return
    for name in sorted({*current, *sealed}):
        if name not in current:
            yield f"{name}: removed since the run began"
        elif current[name] != sealed.get(name):
            yield f"{name}: {'changed' if name in sealed else 'added'} since the run began"


def event_problems(database: Connection) -> Iterator[str]:
    """Yield each event that was changed after it was stored."""
    before = start(fact(database, DIGESTS))
    for number, fixture, stored in database.execute(LINKS):
        if fixture is None and link(database, EVENT, number, before) != stored:
            yield f"event {number}: altered after it was written"
        before = str(stored)


def end_problems(database: Connection) -> Iterator[str]:
    """Yield a problem if the stored end of a finished run does not match the last record."""
    stored = fact(database, END)
    if stored and stored != end(last(database)[1]):
        yield f"run: {END}: does not match the last record: records were removed or added, or the value was changed"


def _digests(database: Connection) -> dict[str, str]:
    """Return the digest of each fact and of each entrant that is stored at the beginning; events cover later entrants."""
    facts = _mappings(database, "SELECT * FROM run WHERE key NOT IN (?, ?) ORDER BY key", (DIGESTS, END))
    entrants = _mappings(database, "SELECT * FROM entrant ORDER BY place", ())
    first = [row for row in entrants if "event" not in row]  # the column is NULL
    rows = [(f"run: {row['key']}", row) for row in facts] + [(f"entrant: {row['name']}", row) for row in first]
    return {name: sha256(_line("", row)).hexdigest() for name, row in rows}


def _mappings(database: Connection, query: str, values: tuple[Any, ...]) -> Iterator[Mapping[str, Any]]:
    """Yield rows as mappings from column to value, without NULL values and without the link."""
    cursor = database.execute(query, values)
    columns = [column for column, *_ in cursor.description]
    for row in cursor:
        yield {name: value for name, value in zip(columns, row, strict=True) if name != LINK and value is not None}


def _line(table: str, row: Mapping[str, Any]) -> bytes:
    return json.encode([table, row], order="sorted") + b"\n"
