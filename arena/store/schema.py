"""The tables of the database, as a series of migrations that are applied in order.

``PRAGMA user_version`` counts the migrations that were applied to a database. A released migration is never edited.
"""

from collections.abc import Callable
from contextlib import closing
from functools import cache
from sqlite3 import Connection, connect

from arena.errors import DamagedError, NotBegunError, StoreError
from arena.store import chain

Migration = Callable[[Connection], None]


def m001_initial(database: Connection) -> None:
    """Create the tables of the first version."""
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
    # Not executescript, which would commit the transaction.
    for statement in script.split(";"):
        database.execute(statement)


def m002_strength(database: Connection) -> None:
    """Add what tests of strength need: the score before each hand of a batch, and the luck of its draws."""
    database.execute("ALTER TABLE match ADD COLUMN scored INTEGER NOT NULL DEFAULT 0")
    for column in ("score0 INTEGER", "score1 INTEGER", "luck REAL"):
        database.execute(f"ALTER TABLE hand ADD COLUMN {column}")


def m003_chain(database: Connection) -> None:
    """Add a link to every record, also to those already stored."""
    database.execute(f"ALTER TABLE match ADD COLUMN {chain.LINK} TEXT")
    chain.link_existing(database)


def m006_events(database: Connection) -> None:
    """Add events, which share the sequence of ids with matches, and the event that added an entrant to a run under way."""
    database.execute("CREATE TABLE event (id INTEGER PRIMARY KEY, content TEXT NOT NULL, chain TEXT) STRICT")
    database.execute("ALTER TABLE entrant ADD COLUMN event INTEGER REFERENCES event")


def adding(table: str, *columns: str) -> Migration:
    """Return the migration that adds columns to a table; they are NULL in existing rows."""

    def migration(database: Connection) -> None:
        for column in columns:
            database.execute(f"ALTER TABLE {table} ADD COLUMN {column}")

    return migration


def m012_played(database: Connection) -> None:
    """Drop the mark of hands that were not played: all are."""
    database.execute("ALTER TABLE hand DROP COLUMN skipped")


MIGRATIONS: tuple[Migration, ...] = (
    m001_initial,
    m002_strength,
    m003_chain,
    adding("hand", "spent TEXT"),  # the processor time of each action
    adding("hand", "skipped TEXT"),  # why it was skipped; NULL: it was played
    m006_events,
    adding("hand", "notes TEXT"),  # of its bots; NULL: there are none
    adding("match", "state0 TEXT", "state1 TEXT"),  # digests of the states that its bots have left; NULL: not kept
    adding("match", "lost TEXT"),  # why it was lost; NULL: it was played
    adding("entrant", "reads INTEGER"),  # whether it opens files while it plays; NULL: it does not
    adding("hand", "deck TEXT"),  # NULL: it follows from the seed, as in every run that was not imported
    m012_played,
)


def version(database: Connection) -> int:
    """Return the schema version of a database. Raises: StoreError, for one of a newer arena; DamagedError, for a negative one."""
    (found,) = database.execute("PRAGMA user_version").fetchone()
    if found > len(MIGRATIONS):
        raise StoreError(f"the database has schema {found}, made by a newer arena; this one supports up to {len(MIGRATIONS)}")
    if found < 0:
        raise DamagedError(f"the database has schema {found}; expected 1 to {len(MIGRATIONS)}")
    return int(found)


def check(database: Connection) -> None:
    """Check that a database holds the tables of its version and nothing else: no view, trigger or index.

    Raises: DamagedError; NotBegunError, for one without tables; StoreError, for a database of a newer arena.
    """
    number = version(database)
    if number == 0:
        raise NotBegunError("the database holds no run: it has no tables")
    found, expected = set(tables(database)), _expected_tables(number)
    if found != expected:
        differing = min(name for _, name, *_ in found ^ expected)
        raise DamagedError(f"{differing:.80} differs from schema {number}")


@cache
def _expected_tables(number: int) -> frozenset[tuple[str, ...]]:
    """Return the tables of a schema version."""
    with closing(connect(":memory:")) as new:
        for migration in MIGRATIONS[:number]:
            migration(new)
        return frozenset(tables(new))


def migrate(database: Connection) -> None:
    """Apply the migrations that a database lacks, each in a transaction. Raises: StoreError, for a database of a newer arena."""
    while version(database) < len(MIGRATIONS):
        # Python's sqlite3 begins no transaction before DDL statements; without one, a kill could leave half a migration.
        database.execute("BEGIN IMMEDIATE")
        with database:
            applied = version(database)  # read again: another process may have migrated it before this transaction
            if applied < len(MIGRATIONS):
                MIGRATIONS[applied](database)
                database.execute(f"PRAGMA user_version = {applied + 1}")


def tables(database: Connection) -> list[tuple[str, ...]]:
    """Return type, name, table and normalised SQL of at most 100 objects in a database."""
    rows = database.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master ORDER BY name LIMIT 100")
    return [tuple(" ".join(str(text).split()) for text in row) for row in rows]
