"""Checks whether a database is unchanged: its file, tables, facts, events and end. Records have their own links."""

import sqlite3
from collections.abc import Iterator

from arena.errors import StoreError
from arena.store import chain, schema


def problems(database: sqlite3.Connection) -> Iterator[str]:
    """Yield each problem outside the records."""
    for check in (_file_problems, _table_problems, _orphan_rows, chain.fact_problems, chain.event_problems, chain.end_problems):
        try:
            yield from check(database)
        except chain.BROKEN as error:
            yield f"arena.sqlite: {error}"
            return


def _file_problems(database: sqlite3.Connection) -> Iterator[str]:
    for (found,) in database.execute("PRAGMA integrity_check(1)"):
        if found != "ok":
            yield "arena.sqlite: " + " ".join(str(found).split())


def _table_problems(database: sqlite3.Connection) -> Iterator[str]:
    try:
        schema.check(database)
    except StoreError as error:
        yield f"arena.sqlite: {error}"


def _orphan_rows(database: sqlite3.Connection) -> Iterator[str]:
    for table, _, parent, _ in database.execute("PRAGMA foreign_key_check"):
        yield f"{table}: a row belongs to no {parent}"
