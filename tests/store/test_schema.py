"""The tables of the database, and databases with other ones."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.errors import NotBegunError, StoreError
from arena.store import schema
from arena.store.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arena.sqlite"


@pytest.fixture
def database(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as opened:
        yield opened


def test_the_tables_are_created_once(database: sqlite3.Connection) -> None:
    with pytest.raises(NotBegunError):
        schema.check(database)
    schema.create(database)
    schema.create(database)
    schema.check(database)


def test_tables_that_another_process_creates_meanwhile_are_not_created_twice(
    database: sqlite3.Connection, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(opened: sqlite3.Connection) -> bool:
        monkeypatch.undo()
        found = schema.is_new(opened)
        with closing(sqlite3.connect(path)) as other:
            schema.create(other)
        return found

    monkeypatch.setattr(schema, "is_new", overtaken)
    schema.create(database)
    schema.check(database)


def test_a_creation_that_fails_leaves_no_table(database: sqlite3.Connection, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "TABLES", schema.TABLES.replace("CREATE TABLE fault", "CREATE fault"))
    with pytest.raises(StoreError, match=r"arena\.sqlite: near "):
        Store(path, write=True)
    assert schema.tables(database) == []
    monkeypatch.undo()
    with Store(path, write=True):
        schema.check(database)


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(("found", "by"), [(schema.VERSION - 1, "an older"), (schema.VERSION + 1, "a newer")])
def test_a_database_of_another_arena_is_refused_in_one_line_and_stays_unchanged(
    database: sqlite3.Connection, path: Path, found: int, by: str, *, write: bool
) -> None:
    schema.create(database)
    database.execute(f"PRAGMA user_version = {found}")
    database.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError) as refused:
        Store(path, write=write)
    expected = f"the database has schema {found}, made by {by} arena; this one expects schema {schema.VERSION}"
    assert str(refused.value) == f"{path}: {expected}"
    assert path.read_bytes() == before
