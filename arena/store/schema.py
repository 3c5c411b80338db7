"""The tables, and how they grew: a numbered function for each change, applied in order.

A column that is added to a table of another version is NULL in the rows that are there: the chain passes over NULL.
"""

from collections.abc import Callable
from sqlite3 import Connection

from arena.errors import StoreError
from arena.store import chain


def first(database: Connection) -> None:
    """Lay the tables of the first version: a row leads to a match, its games, its hands and their deals."""
    tables = (
        "CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        """
        CREATE TABLE entrant (
            place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version TEXT NOT NULL, source TEXT NOT NULL, digest TEXT NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE match (
            id INTEGER PRIMARY KEY, fixture TEXT NOT NULL UNIQUE, seat0 TEXT NOT NULL, seat1 TEXT NOT NULL, deals TEXT NOT NULL,
            batch INTEGER, winner INTEGER, forfeit INTEGER, usage TEXT NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE game (
            match INTEGER NOT NULL REFERENCES match, number INTEGER NOT NULL, winner INTEGER NOT NULL,
            total0 INTEGER NOT NULL, total1 INTEGER NOT NULL, PRIMARY KEY (match, number)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE hand (
            match INTEGER NOT NULL REFERENCES match, game INTEGER NOT NULL, number INTEGER NOT NULL, dealer INTEGER NOT NULL,
            actions TEXT NOT NULL, ending TEXT NOT NULL, winner INTEGER, points INTEGER NOT NULL,
            deadwood0 INTEGER NOT NULL, deadwood1 INTEGER NOT NULL, PRIMARY KEY (match, game, number)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE fault (
            match INTEGER NOT NULL REFERENCES match, number INTEGER NOT NULL, fault TEXT NOT NULL, PRIMARY KEY (match, number)
        ) STRICT, WITHOUT ROWID
        """,
    )
    for table in tables:
        database.execute(table)


def chained(database: Connection) -> None:
    """Lay the chain, by which whatever is changed later is found; what an older arena filed is chained as it stands."""
    database.execute("CREATE TABLE chain (number INTEGER PRIMARY KEY, subject TEXT NOT NULL UNIQUE, link TEXT NOT NULL) STRICT")


CHANGES: tuple[Callable[[Connection], None], ...] = (first, chained)


def known(database: Connection) -> int:
    """Return the version of a database. Raises: StoreError, if it is newer than this program."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > len(CHANGES):
        raise StoreError(f"the database has schema {version}, made by a newer arena; this one knows {len(CHANGES)}")
    return int(version)


def migrate(database: Connection) -> None:
    """Bring a database to the newest version, all of it or nothing. Raises: StoreError, if it is newer than this program."""
    version = known(database)
    if version == len(CHANGES):
        return
    with database:
        database.execute("BEGIN IMMEDIATE")
        for change in CHANGES[version:]:
            change(database)
        database.execute(f"PRAGMA user_version = {len(CHANGES)}")
        if version < CHANGES.index(chained) + 1:
            chain.append(database, chain.everything(database))
