"""How a database is opened: an older one, a broken one, one that a killed run has left, one that cannot be written."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matches import match
from msgspec.structs import replace

from arena.errors import DamagedError, StoreError
from arena.gin.rules import Rules
from arena.records import MatchRecord
from arena.roster.entrant import Entered
from arena.store import schema
from arena.store.store import Store

RULES = Rules(target=10, best_of=1)
FIELD = (Entered("a", "1", "a.py:A", "1" * 64),)
FIRST = (
    Path(__file__).parents[1] / "golden" / "databases" / "schema-1.sqlite"
)  # a run of two bots, one of which breaks the rules, filed by schema 1


@pytest.fixture
def older(tmp_path: Path) -> Path:
    return Path(shutil.copy(FIRST, tmp_path / "arena.sqlite"))


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


def sound(path: Path) -> bool:
    with Store(path) as store:
        return not list(store.damage()) and all(as_filed for _, as_filed in store.linked())


def test_a_database_of_the_first_schema_is_read_and_stays_as_it_is(older: Path) -> None:
    with Store(older) as store:
        records = list(store.records())
        assert store.facts()["title"] == "A league of the first schema"
    assert (len(records), sum(len(record.hands) for record in records), sum(len(record.faults) for record in records)) == (6, 38, 9)
    assert older.read_bytes() == FIRST.read_bytes()


def test_opened_to_be_written_it_is_brought_to_the_newest_schema_and_chained_as_it_stands(older: Path) -> None:
    with Store(older) as store:
        before = list(store.records())
    with Store(older, write=True) as store:
        assert list(store.records()) == before
    assert version(older) == len(schema.CHANGES)
    assert sound(older)
    with closing(sqlite3.connect(older)) as migrated, closing(sqlite3.connect(":memory:")) as new:
        schema.migrate(new)
        assert schema.tables(migrated) == schema.tables(new)


def test_from_then_on_no_change_goes_unseen(older: Path) -> None:
    with Store(older, write=True):
        pass
    with closing(sqlite3.connect(older)) as database, database:
        database.execute("UPDATE hand SET deadwood0 = deadwood0 + 1 WHERE match = 3 AND game = 0 AND number = 0")
    assert not sound(older)


def test_a_change_of_schema_that_is_broken_off_leaves_the_one_before(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(database: sqlite3.Connection) -> None:
        database.execute("ALTER TABLE run ADD COLUMN half TEXT")
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(schema, "CHANGES", (*schema.CHANGES[:1], breaks))
    with pytest.raises(StoreError, match=r"arena\.sqlite: disk I/O error"):
        Store(older, write=True)
    monkeypatch.undo()
    assert version(older) == 1
    with Store(older, write=True):
        pass
    assert sound(older)


def killed(folder: Path, records: int) -> Path:
    """Return a database as a killed process leaves it: with what it wrote ahead."""
    path = folder / "arena.sqlite"
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        for number in range(records):
            store.add(named(number))
        left = folder / "left"
        left.mkdir()
        for name in ("arena.sqlite", "arena.sqlite-wal"):
            shutil.copy(folder / name, left)
    return left / "arena.sqlite"


def named(number: int) -> MatchRecord:
    record = match(rules=RULES)
    return replace(record, fixture=replace(record.fixture, id=f"a:b/{number}/0"))


def test_what_a_killed_run_has_filed_is_all_there(tmp_path: Path) -> None:
    path = killed(tmp_path, 3)
    with Store(path, write=True) as store:
        assert [record.fixture.id for record in store.records()] == ["a:b/0/0", "a:b/1/0", "a:b/2/0"]
    assert sound(path)


@settings(max_examples=40)
@given(kept=st.floats(0, 1))
def test_a_machine_lost_at_any_byte_leaves_whole_records_and_no_other(kept: float) -> None:
    with TemporaryDirectory() as folder:
        path = killed(Path(folder), 4)
        ahead = path.with_name("arena.sqlite-wal")
        whole = ahead.read_bytes()
        ahead.write_bytes(whole[: int(kept * len(whole))])
        with Store(path, write=True) as store:
            filed = [record.fixture.id for record in store.records()]
            assert filed == [f"a:b/{number}/0" for number in range(len(filed))]
            if store.facts():
                assert list(store.damage()) == []
            assert all(as_filed for _, as_filed in store.linked())
            for number in range(len(filed), 4):
                store.add(named(number))


def test_after_an_unclean_end_a_broken_database_is_told_and_not_written(tmp_path: Path) -> None:
    path = killed(tmp_path, 3)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw = bytearray(path.read_bytes())
    for page in range(2, len(raw) // 4096):
        raw[4096 * page : 4096 * page + 8] = b"\xff" * 8
    path.write_bytes(raw)
    path.with_name("arena.sqlite-wal").touch()
    with pytest.raises(DamagedError, match=r"arena\.sqlite: "):
        Store(path, write=True)
    assert path.read_bytes() == raw


def test_a_database_that_was_removed_under_a_run_is_told_at_the_next_record(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        store.add(named(0))
        path.unlink()
        with pytest.raises(StoreError, match=r"arena\.sqlite: is not the file any more that this run writes"):
            store.add(named(1))


def test_so_is_one_that_took_its_place(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    with Store(path, write=True) as store:
        path.rename(tmp_path / "moved")
        shutil.copy(FIRST, path)
        with pytest.raises(StoreError, match="another took its place"):
            store.begin({"title": "League"}, FIELD)
