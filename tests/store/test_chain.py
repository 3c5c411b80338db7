"""Whatever is changed after it was filed is found and named."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matches import match
from msgspec.structs import replace

from arena.errors import StoreError
from arena.records import Fault, MatchRecord, Usage
from arena.roster.entrant import Entered
from arena.store.store import Store

FIELD = (Entered("a", "1", "a.py:A", "1" * 64), Entered("b", "2", "b.py:B", "2" * 64))
FACTS = {"title": "League", "seed": "s", "spec": "title: League\n", "commitment": "c" * 64}
FAULT = Fault(seat=1, kind="illegal", game=0, hand=1, detail="2c: not held", turn='{"type":"turn"}', answer="{}", stderr="oh\n")


def filed(path: Path) -> None:
    """Lay a database with something in every column."""
    record = match()
    batch = match(hands=3, name="a-b/7/0")
    hands = tuple(replace(hand, score=(3, 4), luck=1.5) for hand in batch.hands)
    several = [
        replace(record, faults=(FAULT,), forfeit=1, usage=(Usage(3, 0.5, 0.25, 0.125), Usage(4, 1.5, 2.5, 0.5))),
        replace(batch, hands=hands, fixture=replace(batch.fixture, scored=True)),
        replace(record, fixture=replace(record.fixture, id="a-b/9/0")),
    ]
    with Store(path, write=True) as store:
        store.begin(FACTS, FIELD)
        for one in several:
            store.add(one)
        store.finish()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chain") / "arena.sqlite"
    filed(path)
    return path


@pytest.fixture
def copied(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(original, tmp_path))


def found(path: Path) -> list[str]:
    """Return all that the store has to say against a database."""
    try:
        with Store(path) as store:
            return [*store.damage(), *(fixture for fixture, as_filed in store.linked() if not as_filed)]
    except StoreError as error:
        return [str(error)]


def everything(path: Path) -> tuple[dict[str, str], tuple[Entered, ...], list[MatchRecord], list[str]]:
    with Store(path) as store:
        records = list(store.records())
        return store.facts(), store.field(), records, [fixture for fixture, _ in store.linked()]


def cells(path: Path) -> Iterator[tuple[str, str, str, int]]:
    """Yield table, key, column and number of each value that is filed."""
    with closing(sqlite3.connect(path)) as database:
        for table in ("run", "entrant", "match", "game", "hand", "fault"):
            cursor = database.execute(f"SELECT * FROM {table}")  # noqa: S608 - a name from the list above
            names = [column[0] for column in cursor.description]
            for number, row in enumerate(cursor):
                for name, value in zip(names, row, strict=True):
                    if value is not None:
                        yield table, names[0], name, number


def change(path: Path, table: str, column: str, number: int, into: object) -> bool:
    """Change one value, whatever the tables forbid; tell whether that could be done."""
    with closing(sqlite3.connect(path)) as database, database:
        rows = database.execute(f"SELECT * FROM {table}")  # noqa: S608 - a name from the list above
        names = [f'"{name[0]}"' for name in rows.description]
        wanted = list(rows)[number]
        where = " AND ".join(f"{name} IS ?" for name in names)
        try:
            database.execute(f'UPDATE {table} SET "{column}" = ? WHERE {where}', (into, *wanted))  # noqa: S608 - likewise
        except (sqlite3.IntegrityError, OverflowError):
            return False
    return True


def other(path: Path, table: str, column: str, number: int, bit: int) -> object:
    """Return a value of a cell with one bit of it flipped."""
    with closing(sqlite3.connect(path)) as database:
        value = [row[0] for row in database.execute(f'SELECT "{column}" FROM {table}')][number]  # noqa: S608 - likewise
    if isinstance(value, int):
        return value ^ 1 << bit % 62
    if isinstance(value, float):
        return value + 1 if bit % 2 or not value else -value
    raw = bytearray(str(value).encode() or b" ")
    raw[bit // 7 % len(raw)] ^= 1 << bit % 7
    return raw.decode()


def test_a_database_as_it_was_filed_is_sound(original: Path) -> None:
    assert found(original) == []


@settings(max_examples=400)
@given(bit=st.integers(0, 100_000), which=st.integers(0, 100_000))
def test_a_bit_flipped_in_any_column_is_found_and_named(original: Path, bit: int, which: int) -> None:
    every = list(cells(original))
    table, _, column, number = every[which % len(every)]
    with TemporaryDirectory() as folder:
        path = Path(shutil.copy(original, folder))
        if not change(path, table, column, number, other(path, table, column, number, bit)):
            return
        told = found(path)
        with closing(sqlite3.connect(path)) as database:
            fixtures = {fixture for (fixture,) in database.execute("SELECT fixture FROM match")}
    assert told, (table, column, number)
    if table in ("run", "entrant"):  # the digests of entrants stand in a fact, the seals
        assert any(one.startswith((f"{table}: ", "entrant: ")) for one in told)
    else:  # the record is named as it stands there now, or the table
        assert set(told) & fixtures or any(table in one for one in told)


@pytest.mark.parametrize("table", ["run", "entrant", "match", "game", "hand", "fault"])
def test_every_column_of_every_row_is_held(original: Path, tmp_path: Path, table: str) -> None:
    missed = []
    for name, _, column, number in cells(original):
        path = Path(shutil.copy(original, tmp_path))
        if name == table and change(path, table, column, number, other(path, table, column, number, 0)) and not found(path):
            missed.append((column, number))
    assert missed == []


@settings(max_examples=300)
@given(place=st.integers(0, 10_000_000), bit=st.integers(0, 7))
def test_a_bit_flipped_in_the_file_changes_nothing_that_is_read_unless_it_is_found(original: Path, place: int, bit: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(shutil.copy(original, folder))
        raw = bytearray(path.read_bytes())
        raw[place % len(raw)] ^= 1 << bit
        path.write_bytes(raw)
        if not found(path):
            assert everything(path) == everything(original)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DELETE FROM match WHERE id = 2", "hand: a row belongs to no match"),
        ("DELETE FROM run WHERE key = 'spec'", "run: spec: filed when the run began, and gone"),
        ("INSERT INTO run VALUES ('more', '1')", "run: more: not filed when the run began"),
        ("DELETE FROM entrant WHERE name = 'b'", "entrant: b: filed when the run began, and gone"),
        ("UPDATE run SET value = 'yes' WHERE key = 'finished'", "run: finished: does not follow from the last record"),
        ("UPDATE run SET value = '{}' WHERE key = 'seals'", "entrant: a: not filed when the run began"),
        ("UPDATE run SET value = '{' WHERE key = 'seals'", "run: seals: Input data was truncated"),
        ("UPDATE match SET id = 30 - id", "fault: a row belongs to no match"),
        ("CREATE TABLE more (a)", "arena.sqlite: more is not as schema 4 makes it"),
        ("DROP TABLE fault", "arena.sqlite: fault is not as schema 4 makes it"),
    ],
)
def test_what_was_changed_is_named(copied: Path, statement: str, told: str) -> None:
    with closing(sqlite3.connect(copied)) as database, database:
        database.execute(statement)
    assert found(copied)[0].startswith(told)


def test_records_filed_in_another_order_are_found(copied: Path) -> None:
    with closing(sqlite3.connect(copied)) as database, database:
        for one, other_ in ((1, 99), (3, 1), (99, 3)):
            database.execute("UPDATE match SET id = ? WHERE id = ?", (other_, one))
            for table in ("game", "hand", "fault"):
                database.execute(f"UPDATE {table} SET match = ? WHERE match = ?", (other_, one))  # noqa: S608 - as above
    assert found(copied)[0].startswith("run: finished")
    assert {"a-b/0/0", "a-b/9/0"} <= set(found(copied))


def test_one_changed_record_is_named_alone(copied: Path) -> None:
    with closing(sqlite3.connect(copied)) as database, database:
        database.execute("UPDATE hand SET luck = 9 WHERE match = 2 AND game = 0")
    assert found(copied) == ["a-b/7/0"]
