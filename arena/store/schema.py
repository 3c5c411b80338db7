"""The tables, and how they grew: a numbered function for each change, applied in order."""

from collections.abc import Callable
from sqlite3 import Connection

from arena.errors import StoreError
from arena.store import chain


def first(database: Connection) -> None:
    """Lay the tables of the first version: a row leads to a match, its games, its hands and their deals."""
    script = """
        CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE entrant (
            place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version TEXT NOT NULL, source TEXT NOT NULL, digest TEXT NOT NULL
        ) STRICT;
        CREATE TABLE match (
            id INTEGER PRIMARY KEY, fixture TEXT NOT NULL UNIQUE, seat0 TEXT NOT NULL, seat1 TEXT NOT NULL, deals TEXT NOT NULL,
            batch INTEGER, winner INTEGER, forfeit INTEGER, usage TEXT NOT NULL
        ) STRICT;
        CREATE TABLE game (
            match INTEGER NOT NULL REFERENCES match, number INTEGER NOT NULL, winner INTEGER NOT NULL,
            total0 INTEGER NOT NULL, total1 INTEGER NOT NULL, PRIMARY KEY (match, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE hand (
            match INTEGER NOT NULL REFERENCES match, game INTEGER NOT NULL, number INTEGER NOT NULL, dealer INTEGER NOT NULL,
            actions TEXT NOT NULL, ending TEXT NOT NULL, winner INTEGER, points INTEGER NOT NULL,
            deadwood0 INTEGER NOT NULL, deadwood1 INTEGER NOT NULL, PRIMARY KEY (match, game, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE fault (
            match INTEGER NOT NULL REFERENCES match, number INTEGER NOT NULL, fault TEXT NOT NULL, PRIMARY KEY (match, number)
        ) STRICT, WITHOUT ROWID
    """
    for statement in script.split(";"):  # not executescript, which would end the transaction
        database.execute(statement)


def strength(database: Connection) -> None:
    """Give batches and their hands what tests of strength ask for: a score to begin at, and the luck of the draws."""
    database.execute("ALTER TABLE match ADD COLUMN scored INTEGER NOT NULL DEFAULT 0")
    for column in ("score0 INTEGER", "score1 INTEGER", "luck REAL"):
        database.execute(f"ALTER TABLE hand ADD COLUMN {column}")


def chained(database: Connection) -> None:
    """Give every record a link to the one before it; what is on file is chained as it stands."""
    database.execute(f"ALTER TABLE match ADD COLUMN {chain.LINK} TEXT")
    chain.seal_older(database)


def timed(database: Connection) -> None:
    """Give every hand what each of its actions took."""
    database.execute("ALTER TABLE hand ADD COLUMN spent TEXT")


CHANGES: tuple[Callable[[Connection], None], ...] = (first, strength, chained, timed)


def known(database: Connection) -> int:
    """Return the version of a database. Raises: StoreError, if it is newer than this program."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > len(CHANGES):
        raise StoreError(f"the database has schema {version}, made by a newer arena; this one knows {len(CHANGES)}")
    return int(version)


def migrate(database: Connection) -> None:
    """Bring a database to the newest version. Raises: StoreError, if it is newer than this program."""
    version = known(database)
    for number, change in enumerate(CHANGES[version:], version + 1):
        database.execute("BEGIN IMMEDIATE")  # all of a change or nothing, whenever the process is killed
        with database:
            change(database)
            database.execute(f"PRAGMA user_version = {number}")


def tables(database: Connection) -> list[tuple[str, ...]]:
    """Return the tables as they were made, but for blanks and where they stand in the file."""
    rows = database.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master ORDER BY name")
    return [tuple(" ".join(str(text).split()) for text in row) for row in rows]
