"""Any change of stored data is found and located."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.matches.in_process import match
from support.sizes import size

from arena.errors import StoreError
from arena.records import Fault, MatchRecord, Usage
from arena.roster.entrant import Entered
from arena.store.store import Store

FIELD = (Entered("a", "1", "a.py:A", "1" * 64), Entered("b", "2", "b.py:B", "2" * 64))
FACTS = {"title": "League", "seed": "s", "spec": "title: League\n", "commitment": "c" * 64}
FAULT = Fault(seat=1, kind="illegal", game=0, hand=1, detail="2c: not in hand", turn='{"type":"turn"}', answer="{}", stderr="oh\n")


def make_database(path: Path) -> None:
    """Create a database with a value in every column."""
    record = match()
    batch = match(hands=3, name="a-b/7/0")
    hands = tuple(replace(hand, score=(3, 4), luck=1.5) for hand in batch.hands)
    records = [
        replace(record, faults=(FAULT,), forfeit=1, usage=(Usage(3, 0.5, 0.25, 0.125), Usage(4, 1.5, 2.5, 0.5))),
        replace(batch, hands=hands, fixture=replace(batch.fixture, scored=True)),
        replace(record, fixture=replace(record.fixture, id="a-b/9/0")),
    ]
    with Store(path, write=True) as store:
        store.begin(FACTS, FIELD)
        for one in records:
            store.add(one)
        store.add_event('{"event":"joined"}', Entered("c@2", "2", "c.py:C", "3" * 64))
        store.add_event('{"event":"left"}')
        store.finish()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chain") / "arena.sqlite"
    make_database(path)
    return path


@pytest.fixture
def copied(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(original, tmp_path))


def problems(path: Path) -> list[str]:
    """Return all problems that the store finds in a database, and the fixtures whose records were changed."""
    try:
        with Store(path) as store:
            return [*store.problems(), *(fixture for fixture, unchanged in store.check_records() if not unchanged)]
    except StoreError as error:
        return [str(error).removeprefix(f"{path}: ")]


def everything(path: Path) -> tuple[dict[str, str], tuple[Entered, ...], list[MatchRecord], list[str], list[str]]:
    with Store(path) as store:
        records = list(store.records())
        fixtures = [fixture for fixture, _ in store.check_records()]
        return store.facts(), store.entrants(), records, fixtures, list(store.events())


def cells(path: Path) -> Iterator[tuple[str, str, str, int]]:
    """Yield table, key column, column and row number of each stored value."""
    with closing(sqlite3.connect(path)) as database:
        for table in ("run", "entrant", "match", "game", "hand", "fault", "event"):
            cursor = database.execute(f"SELECT * FROM {table}")  # noqa: S608 - a name from the list above
            names = [column[0] for column in cursor.description]
            for number, row in enumerate(cursor):
                for name, value in zip(names, row, strict=True):
                    if value is not None:
                        yield table, names[0], name, number


def change(path: Path, table: str, column: str, number: int, into: object) -> bool:
    """Change one value; return False if a constraint of the table forbids it."""
    with closing(sqlite3.connect(path)) as database, database:
        rows = database.execute(f"SELECT * FROM {table}")  # noqa: S608 - a name from the list above
        names = [f'"{name[0]}"' for name in rows.description]
        row = list(rows)[number]
        where = " AND ".join(f"{name} IS ?" for name in names)
        try:
            database.execute(f'UPDATE {table} SET "{column}" = ? WHERE {where}', (into, *row))  # noqa: S608 - likewise
        except (sqlite3.IntegrityError, OverflowError):
            return False
    return True


def bit_flipped(path: Path, table: str, column: str, number: int, bit: int) -> object:
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


def test_an_unchanged_database_has_no_problems(original: Path) -> None:
    assert problems(original) == []


@settings(max_examples=size(60, 400))
@given(bit=st.integers(0, 100_000), cell=st.integers(0, 100_000))
def test_a_bit_flipped_in_any_column_is_found_and_located(original: Path, bit: int, cell: int) -> None:
    every = list(cells(original))
    table, _, column, number = every[cell % len(every)]
    with TemporaryDirectory() as folder:
        path = Path(shutil.copy(original, folder))
        if not change(path, table, column, number, bit_flipped(path, table, column, number, bit)):
            return
        found = problems(path)
        with closing(sqlite3.connect(path)) as database:
            fixtures = {fixture for (fixture,) in database.execute("SELECT fixture FROM match")}
    assert found, (table, column, number)
    if table in ("run", "entrant"):  # the digests of entrants are stored in a fact, "seals"
        assert any(one.startswith((f"{table}: ", "entrant: ", "event ")) for one in found)
    else:  # the message has the fixture's name, possibly changed, or the table's
        assert set(found) & fixtures or any(table in one for one in found)


@pytest.mark.process
@pytest.mark.parametrize("table", ["run", "entrant", "match", "game", "hand", "fault", "event"])
def test_a_change_of_any_column_of_any_row_is_found(original: Path, tmp_path: Path, table: str) -> None:
    missed = []
    for name, _, column, number in cells(original):
        path = Path(shutil.copy(original, tmp_path))
        if (
            name == table
            and change(path, table, column, number, bit_flipped(path, table, column, number, 0))
            and not problems(path)
        ):
            missed.append((column, number))
    assert missed == []


@pytest.mark.process
@settings(max_examples=size(60, 300))
@given(place=st.integers(0, 10_000_000), bit=st.integers(0, 7))
def test_a_bit_flipped_in_the_file_is_found_or_changes_nothing_that_is_read(original: Path, place: int, bit: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(shutil.copy(original, folder))
        raw = bytearray(path.read_bytes())
        raw[place % len(raw)] ^= 1 << bit
        path.write_bytes(raw)
        if not problems(path):
            assert everything(path) == everything(original)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("DELETE FROM match WHERE id = 2", "hand: a row belongs to no match"),
        ("DELETE FROM run WHERE key = 'spec'", "run: spec: removed since the run began"),
        ("INSERT INTO run VALUES ('more', '1')", "run: more: added since the run began"),
        ("DELETE FROM entrant WHERE name = 'b'", "entrant: b: removed since the run began"),
        ("UPDATE run SET value = 'yes' WHERE key = 'finished'", "run: finished: does not match the last record"),
        ("UPDATE run SET value = '{}' WHERE key = 'seals'", "entrant: a: added since the run began"),
        ("UPDATE run SET value = '{' WHERE key = 'seals'", "run: seals: Input data was truncated"),
        ("UPDATE match SET id = 30 - id", "fault: a row belongs to no match"),
        ("DELETE FROM entrant WHERE name = 'c@2'", "event 4: altered after it was written"),
        ("UPDATE entrant SET event = NULL WHERE name = 'c@2'", "entrant: c@2: added since the run began"),
        ("UPDATE entrant SET event = 9 WHERE name = 'c@2'", "entrant: a row belongs to no event"),
        ("DELETE FROM event WHERE id = 5", "run: finished: does not match the last record"),
        ("INSERT INTO event VALUES (6, '{}', 'no link')", "event 6: altered after it was written"),
        ("CREATE TABLE more (a)", "more differs from schema 12"),
        ("DROP TABLE fault", "fault differs from schema 12"),
    ],
)
def test_a_change_outside_the_records_is_located(copied: Path, statement: str, message: str) -> None:
    with closing(sqlite3.connect(copied)) as database, database:
        database.execute(statement)
    assert problems(copied)[0].startswith(message)


def test_reordered_records_are_found(copied: Path) -> None:
    with closing(sqlite3.connect(copied)) as database, database:
        for old, new in ((1, 99), (3, 1), (99, 3)):
            database.execute("UPDATE match SET id = ? WHERE id = ?", (new, old))
            for table in ("game", "hand", "fault"):
                database.execute(f"UPDATE {table} SET match = ? WHERE match = ?", (new, old))  # noqa: S608 - as above
    assert problems(copied)[0].startswith("event 4: altered")  # it followed the link of the last record
    assert {"a-b/0/0", "a-b/9/0"} <= set(problems(copied))


def test_after_the_start_of_the_chain_all_records_are_checked_and_after_an_unknown_link_none(copied: Path) -> None:
    with Store(copied) as store:
        assert list(store.check_records(store.link_at(0))) == list(store.check_records())
        assert [fixture for fixture, _ in store.check_records(store.link_at(2))] == ["a-b/9/0"]
        assert list(store.check_records("0" * 64)) == []


def test_each_link_is_known_with_the_number_of_the_records_until_then(original: Path) -> None:
    with Store(original) as store:
        assert list(store.links()) == [(records, store.link_at(at)) for at, records in enumerate((0, 1, 2, 3, 3, 3))]
        assert [store.record_link(number) for number in (0, 1, 3, 4)] == ["", store.link_at(1), store.link_at(3), ""]


def test_only_the_changed_record_is_named(copied: Path) -> None:
    with closing(sqlite3.connect(copied)) as database, database:
        database.execute("UPDATE hand SET luck = 9 WHERE match = 2 AND game = 0")
    assert problems(copied) == ["a-b/7/0"]


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE event SET content = '{}' WHERE id = 2", ["event 2: altered after it was written"]),
        ("UPDATE hand SET points = 7 WHERE match = 3", ["a-b/9/0"]),
        ("DELETE FROM entrant WHERE event IS NOT NULL; DELETE FROM event WHERE id = 2", ["a-b/9/0"]),
        ("UPDATE event SET id = 9 WHERE id = 2; UPDATE entrant SET event = 9 WHERE event = 2", ["event 9: ", "a-b/9/0"]),
    ],
)
def test_an_event_is_a_link_between_the_records_around_it(tmp_path: Path, statement: str, found: list[str]) -> None:
    path, record = tmp_path / "arena.sqlite", match()
    with Store(path, write=True) as store:
        store.begin(FACTS, FIELD)
        store.add(record)
        store.add_event('{"event":"joined"}', Entered("c@2", "2", "c.py:C", "3" * 64))
        store.add(replace(record, fixture=replace(record.fixture, id="a-b/9/0")))
    assert problems(path) == []
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(statement)
    assert [one.startswith(start) for one, start in zip(problems(path), found, strict=True)] == [True] * len(found)


def test_two_processes_may_add_to_one_chain(tmp_path: Path) -> None:
    path, record = tmp_path / "arena.sqlite", match()
    with Store(path, write=True) as one, Store(path, write=True) as other:
        one.begin(FACTS, FIELD)
        for number in range(5):
            one.add(replace(record, fixture=replace(record.fixture, id=f"a-b/{number}/0")))
            other.add_event(f'{{"number":{number}}}')
    assert problems(path) == []
    assert len(everything(path)[-1]) == 5


def test_what_a_decision_has_read_is_still_true_when_it_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    with Store(path, write=True) as one, closing(sqlite3.connect(path, timeout=0)) as other:
        one.begin(FACTS, FIELD)
        with one.deciding():
            assert list(one.events()) == []
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("INSERT INTO event VALUES (1, '{}', NULL)")
            one.add_event("{}")
    assert problems(path) == []


def test_a_decision_that_fails_stores_nothing(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    with Store(path, write=True) as store:
        store.begin(FACTS, FIELD)
        with pytest.raises(StoreError, match="UNIQUE"), store.deciding():
            store.add_event("{}", Entered("c@1", "1", "c.py", "3" * 64))
            store.add_event("{}", Entered("c@1", "1", "c.py", "3" * 64))
        assert (store.field(), list(store.events())) == (FIELD, [])
    assert problems(path) == []


def test_a_run_without_events_has_the_links_of_a_run_before_there_were_events(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    with Store(path, write=True) as store:
        store.begin(FACTS, FIELD)
        store.add(match())
        assert store.last_link() == "f250bde504afbd6f2ca302c100cd588067cc5e6413f4f580a60769357fcab354"
