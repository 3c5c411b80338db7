"""The tables of the database, by the number of their schema, ``PRAGMA user_version``: a database with another one is refused."""

from contextlib import closing
from functools import cache
from sqlite3 import Connection, connect

from arena.errors import DamagedError, NotBegunError, StoreError

VERSION = 12  # of TABLES: every change of them takes the next number
TABLES = """
    CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE event (id INTEGER PRIMARY KEY, content TEXT NOT NULL, chain TEXT) STRICT;
    CREATE TABLE entrant (
        place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version TEXT NOT NULL, source TEXT NOT NULL, digest TEXT NOT NULL,
        event INTEGER REFERENCES event, reads INTEGER
    ) STRICT;
    CREATE TABLE match (
        id INTEGER PRIMARY KEY, fixture TEXT NOT NULL UNIQUE, seat0 TEXT NOT NULL, seat1 TEXT NOT NULL, deals TEXT NOT NULL,
        batch INTEGER, winner INTEGER, forfeit INTEGER, usage TEXT NOT NULL, scored INTEGER NOT NULL DEFAULT 0, chain TEXT,
        state0 TEXT, state1 TEXT, lost TEXT
    ) STRICT;
    CREATE TABLE game (
        match INTEGER NOT NULL REFERENCES match, number INTEGER NOT NULL, winner INTEGER NOT NULL,
        total0 INTEGER NOT NULL, total1 INTEGER NOT NULL, PRIMARY KEY (match, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE hand (
        match INTEGER NOT NULL REFERENCES match, game INTEGER NOT NULL, number INTEGER NOT NULL, dealer INTEGER NOT NULL,
        actions TEXT NOT NULL, ending TEXT NOT NULL, winner INTEGER, points INTEGER NOT NULL,
        deadwood0 INTEGER NOT NULL, deadwood1 INTEGER NOT NULL, score0 INTEGER, score1 INTEGER, luck REAL, spent TEXT,
        notes TEXT, deck TEXT, PRIMARY KEY (match, game, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE fault (
        match INTEGER NOT NULL REFERENCES match, number INTEGER NOT NULL, fault TEXT NOT NULL, PRIMARY KEY (match, number)
    ) STRICT, WITHOUT ROWID
"""


def is_new(database: Connection) -> bool:
    """Tell whether a database has no tables yet. Raises: StoreError, if another arena made it; DamagedError."""
    (found,) = database.execute("PRAGMA user_version").fetchone()
    if found < 0:
        raise DamagedError(f"the database has schema {found}; expected {VERSION}")
    if found not in {0, VERSION}:
        other = "a newer" if found > VERSION else "an older"
        raise StoreError(f"the database has schema {found}, made by {other} arena; this one expects schema {VERSION}")
    return bool(found == 0)


def check(database: Connection) -> None:
    """Check that a database holds our tables and nothing else: no view, trigger or index.

    Raises: DamagedError; NotBegunError, for one without tables; StoreError, for a database of another arena.
    """
    if is_new(database):
        raise NotBegunError("the database holds no run: it has no tables")
    found, expected = set(tables(database)), _expected_tables()
    if found != expected:
        differing = min(name for _, name, *_ in found ^ expected)
        raise DamagedError(f"{differing:.80} differs from schema {VERSION}")


@cache
def _expected_tables() -> frozenset[tuple[str, ...]]:
    with closing(connect(":memory:")) as new:
        create(new)
        return frozenset(tables(new))


def create(database: Connection) -> None:
    """Create the tables that a new database lacks, in a transaction. Raises: StoreError, for a database of another arena."""
    if not is_new(database):
        return
    # Python's sqlite3 begins no transaction before DDL statements; without one, a kill could leave half of the tables.
    database.execute("BEGIN IMMEDIATE")
    with database:
        if is_new(database):  # asked again: another process may have created them before this transaction
            for statement in TABLES.split(";"):  # not executescript, which would commit the transaction
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {VERSION}")


def tables(database: Connection) -> list[tuple[str, ...]]:
    """Return type, name, table and normalised SQL of at most 100 objects in a database."""
    rows = database.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master ORDER BY name LIMIT 100")
    return [tuple(" ".join(str(text).split()) for text in row) for row in rows]
