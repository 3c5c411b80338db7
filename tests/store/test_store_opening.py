"""Opening a database: damaged, left by a killed run, or removed while it is written."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.matches.in_process import match
from support.sizes import size

from arena.errors import DamagedError, StoreError
from arena.gin.rules import Rules
from arena.records import MatchRecord
from arena.roster.entrant import Entered
from arena.store import schema
from arena.store.store import Store

RULES = Rules(target=10, best_of=1)
FIELD = (Entered("a", "1", "a.py:A", "1" * 64), Entered("b", "2", "b.py:B", "2" * 64))


def is_intact(path: Path) -> bool:
    with Store(path) as store:
        return not list(store.problems()) and all(unchanged for _, unchanged in store.check_records())


def killed(folder: Path, records: int) -> Path:
    """Return a database as a killed process leaves it: with its write-ahead log."""
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


def test_everything_that_a_killed_run_stored_can_be_read(tmp_path: Path) -> None:
    path = killed(tmp_path, 3)
    with Store(path, write=True) as store:
        assert [record.fixture.id for record in store.records()] == ["a:b/0/0", "a:b/1/0", "a:b/2/0"]
    assert is_intact(path)


@pytest.mark.process
@settings(max_examples=size(20, 120))
@given(kept=st.floats(0, 1))
def test_a_write_ahead_log_cut_at_any_byte_leaves_whole_records(kept: float) -> None:
    with TemporaryDirectory() as folder:
        path = killed(Path(folder), 4)
        log = path.with_name("arena.sqlite-wal")
        whole = log.read_bytes()
        log.write_bytes(whole[: int(kept * len(whole))])
        with Store(path, write=True) as store:
            stored = [record.fixture.id for record in store.records()]
            assert stored == [f"a:b/{number}/0" for number in range(len(stored))]
            if store.facts():
                assert list(store.problems()) == []
            assert all(unchanged for _, unchanged in store.check_records())
            for number in range(len(stored), 4):
                store.add(named(number))


def test_a_damaged_database_of_a_killed_run_is_refused_and_not_written(tmp_path: Path) -> None:
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


def test_a_database_that_was_removed_during_a_run_is_reported_at_the_next_record(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    with Store(path, write=True) as store:
        store.begin({"title": "League"}, FIELD)
        store.add(named(0))
        path.unlink()
        with pytest.raises(StoreError, match=r"arena\.sqlite: removed or replaced while this run was writing it"):
            store.add(named(1))


def test_a_database_that_was_replaced_during_a_run_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    with Store(path, write=True) as store:
        path.rename(tmp_path / "moved")
        with Store(path, write=True):
            pass
        with pytest.raises(StoreError, match="removed or replaced"):
            store.begin({"title": "League"}, FIELD)


def test_a_table_that_is_not_ours_is_shown_to_a_writer_too(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    with Store(path, write=True) as store, closing(sqlite3.connect(path)) as other:
        store.begin({"title": "League"}, FIELD)
        other.execute("CREATE VIEW ours AS SELECT 1")
        assert list(store.problems()) == [f"arena.sqlite: ours differs from schema {schema.VERSION}"]
