"""Whether a database is as it was filed: the file, its tables, the facts of the run and its end; records have their own links."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from arena.store import chain
from arena.store.schema import CHANGES, migrate, tables

BROKEN = (sqlite3.Error, UnicodeDecodeError)  # what a broken file makes SQLite raise, and what Python makes of names that it gives


def damage(database: sqlite3.Connection) -> Iterator[str]:
    """Yield what is not as it was filed, but for the records themselves."""
    for check in (_broken, _other_tables, _lost_rows, chain.changed_facts, chain.changed_end):
        try:
            yield from check(database)
        except BROKEN as error:
            yield f"arena.sqlite: {error}"
            return


def _broken(database: sqlite3.Connection) -> Iterator[str]:
    for (found,) in database.execute("PRAGMA integrity_check(1)"):
        if found != "ok":
            yield "arena.sqlite: " + " ".join(str(found).split())


def _other_tables(database: sqlite3.Connection) -> Iterator[str]:
    with closing(sqlite3.connect(":memory:")) as new:
        migrate(new)
        expected = tables(new)
    found = tables(database)
    if found != expected:
        odd = next(name for _, name, *_ in [*set(found) ^ set(expected)])
        yield f"arena.sqlite: {odd} is not as schema {len(CHANGES)} makes it"


def _lost_rows(database: sqlite3.Connection) -> Iterator[str]:
    for table, _, parent, _ in database.execute("PRAGMA foreign_key_check"):
        yield f"{table}: a row belongs to no {parent}"
