"""The migrations of the database."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.store import schema
from arena.store.store import Store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "arena.sqlite")) as opened:
        yield opened


def version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def test_migrating_twice_changes_nothing_more(database: sqlite3.Connection) -> None:
    schema.migrate(database)
    schema.migrate(database)
    assert version(database) == len(schema.MIGRATIONS)


def test_only_the_missing_migrations_are_applied(database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    schema.migrate(database)
    monkeypatch.setattr(
        schema, "MIGRATIONS", (*schema.MIGRATIONS, lambda opened: opened.execute("ALTER TABLE run ADD COLUMN more TEXT"))
    )
    schema.migrate(database)
    assert version(database) == len(schema.MIGRATIONS)
    assert "more" in {row[1] for row in database.execute("PRAGMA table_info(run)")}


def test_a_database_that_another_process_migrates_meanwhile_is_not_migrated_twice(
    database: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(opened: sqlite3.Connection) -> int:
        monkeypatch.undo()
        found = schema.version(opened)
        with closing(sqlite3.connect(tmp_path / "arena.sqlite")) as other:
            schema.migrate(other)
        return found

    monkeypatch.setattr(schema, "version", overtaken)
    schema.migrate(database)
    assert version(database) == len(schema.MIGRATIONS)


def test_a_database_of_a_newer_arena_cannot_be_migrated(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="schema 99, made by a newer arena"):
        schema.migrate(database)


def test_a_database_of_an_older_arena_can_be_read_without_migration(database: sqlite3.Connection, tmp_path: Path) -> None:
    schema.m001_initial(database)
    database.execute("PRAGMA user_version = 1")
    database.execute("INSERT INTO match VALUES (1, 'f', 'a', 'b', 'd', 1, NULL, NULL, '[{},{}]')")
    database.execute("INSERT INTO hand VALUES (1, 0, 0, 1, 'pass', 'gin', 0, 30, 0, 5)")
    database.commit()
    with Store(tmp_path / "arena.sqlite") as store:
        (record,) = store.records()
    assert (record.fixture.scored, record.hands[0].luck, record.hands[0].score) == (False, None, None)
    with Store(tmp_path / "arena.sqlite", write=True) as store:
        assert [single.points for single in store.results()[0].singles] == [30], "also once it is opened for writing and migrated"
