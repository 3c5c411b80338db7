"""``arena verify``: whatever was changed in a database is found and named, value by value and byte by byte."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import typer
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena.cli.verify import verify
from arena.errors import StoreError
from arena.store.store import Store

Cells = dict[str, list[Any]]  # all rows, by table

SCHEMA_1 = Path(__file__).parents[1] / "golden" / "store" / "schema1.sqlite"
COLUMNS = {
    "run": ("key", "value"),
    "entrant": ("place", "name", "version", "source", "digest"),
    "match": ("id", "fixture", "seat0", "seat1", "deals", "batch", "winner", "forfeit", "usage"),
    "game": ("match", "number", "winner", "total0", "total1"),
    "hand": ("match", "game", "number", "dealer", "actions", "ending", "winner", "points", "deadwood0", "deadwood1"),
    "fault": ("match", "number", "fault"),
    "chain": ("number", "subject", "link"),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished run in the newest schema, with a fault in it; not to be changed."""
    folder = tmp_path_factory.mktemp("sound")
    shutil.copy(SCHEMA_1, folder / "arena.sqlite")
    with Store(folder / "arena.sqlite", write=True):
        pass
    return folder


def verified(folder: Path) -> tuple[int, str]:
    """Return the exit code of ``arena verify`` and what it said."""
    said = StringIO()
    try:
        with redirect_stdout(said):
            verify(folder)
    except typer.Exit as end:
        return end.exit_code, said.getvalue()
    except StoreError as error:
        return 2, str(error)
    return 0, said.getvalue()


def everything(path: Path) -> Cells:
    with closing(sqlite3.connect(path)) as database:
        return {table: database.execute(f"SELECT * FROM {table}").fetchall() for table in COLUMNS}  # noqa: S608 - our own names


@pytest.fixture(scope="module")
def cells(sound: Path) -> Cells:
    return everything(sound / "arena.sqlite")


def test_the_columns_of_these_tests_are_those_of_the_database(sound: Path) -> None:
    with closing(sqlite3.connect(sound / "arena.sqlite")) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        there = {table: tuple(row[1] for row in database.execute(f"PRAGMA table_info({table})")) for table in tables}
    assert there == COLUMNS


def test_nothing_differs_in_a_run_that_nobody_changed(sound: Path) -> None:
    assert verified(sound) == (0, "8 hands, 0 differences\n")


def another(value: Any, chance: Random) -> Any:
    """Return another value of the same type: far from the old one, near to it, none, or one of its bytes changed."""
    if isinstance(value, int):
        return chance.choice([value + 1, 1 - value, -value - 1, 1 << 62, None])
    if value:
        at = chance.randrange(len(value))
        changed = value[:at] + chr(ord(value[at]) ^ 1 << chance.randrange(7)) + value[at + 1 :]
        return chance.choice([changed, changed, value[:at], value + " ", ""])
    return chance.choice([0, 1, 7]) if value is None else "something"


@pytest.mark.parametrize(("table", "column"), [(table, column) for table, names in COLUMNS.items() for column in names])
@settings(max_examples=6)
@given(seed=st.integers(0, 1 << 32))
def test_a_value_that_was_changed_in_any_column_is_found_and_named(
    sound: Path, cells: Cells, table: str, column: str, seed: int
) -> None:
    chance = Random(seed)
    at = chance.randrange(len(cells[table]))
    row = dict(zip(COLUMNS[table], cells[table][at], strict=True))
    value = another(row[column], chance)
    assume(value != row[column])
    with TemporaryDirectory() as name:
        folder = Path(shutil.copytree(sound, name, dirs_exist_ok=True))
        assume(changed(folder / "arena.sqlite", table, row, column, value))
        code, told = verified(folder)
    assert (code, told.count("\n")) == (1, 1)
    assert told.startswith("difference: ")
    assert any(f" {owner}" in told for owner in owners(table, row, column, value, cells)), told


def changed(path: Path, table: str, row: dict[str, Any], column: str, value: Any) -> bool:
    """Set one value; tell whether the database took it."""
    where = " AND ".join(f"{name} IS ?" for name in row)
    with closing(sqlite3.connect(path)) as database, database:
        try:
            database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value, *row.values()))  # noqa: S608 - our own names
        except (sqlite3.IntegrityError, UnicodeEncodeError):
            return False
    return True


def owners(table: str, row: dict[str, Any], column: str, value: Any, cells: Cells) -> Iterator[str]:
    """Yield what a change may be told of: its row by the name that it had, or by the table where it has no owner any more."""
    matches = {match[0]: match[1] for match in cells["match"]}
    yield f"a row of table {table}"
    match table:
        case "run":
            yield f"run {row['key']}"
        case "entrant":
            yield f"entrant {row['name']}"
        case "chain":
            yield from (subject.removeprefix("match ") for number, subject, _ in cells["chain"] if number >= row["number"])
            yield str(value).removeprefix("match ")
        case "match":
            yield row["fixture"]
            yield "a row of table"  # the match of its hands is gone
        case _:
            yield matches[row["match"]]
            yield matches.get(value, "") if column == "match" else matches[row["match"]]


@settings(max_examples=150)
@given(seed=st.integers(0, 1 << 32))
def test_no_byte_of_the_file_can_be_changed_so_that_it_shows_other_values_and_nobody_is_told(
    sound: Path, cells: Cells, seed: int
) -> None:
    chance = Random(seed)
    with TemporaryDirectory() as name:
        folder = Path(shutil.copytree(sound, name, dirs_exist_ok=True))
        path = folder / "arena.sqlite"
        content = bytearray(path.read_bytes())
        for _ in range(chance.choice([1, 1, 1, 8])):
            content[chance.randrange(len(content))] ^= chance.choice([1 << chance.randrange(8), chance.randrange(1, 256)])
        path.write_bytes(content)
        code, told = verified(folder)
        assert told.count("\n") <= 1
        if code == 0:
            assert everything(path) == cells


@pytest.mark.parametrize(
    ("table", "key"),
    [("run", 1), ("entrant", 1), ("match", 1), ("game", 2), ("hand", 3), ("fault", 2), ("chain", 1)],
)
def test_a_row_that_was_taken_away_is_found(sound: Path, tmp_path: Path, cells: Cells, table: str, key: int) -> None:
    folder = shutil.copytree(sound, tmp_path / "run")
    with closing(sqlite3.connect(folder / "arena.sqlite")) as database, database:
        where = " AND ".join(f"{column} = ?" for column in COLUMNS[table][:key])
        taken = database.execute(f"DELETE FROM {table} WHERE {where}", cells[table][0][:key])  # noqa: S608 - our own names
        assert taken.rowcount == 1
    assert verified(folder)[0] == 1


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("INSERT INTO run VALUES ('more', '')", "run more: filed, but not in the chain"),
        (
            "INSERT INTO hand VALUES (99, 0, 0, 0, '', 'dead', NULL, 0, 0, 0)",
            "database: a row of table hand belongs to no row of match",
        ),
        ("DELETE FROM chain WHERE number = (SELECT max(number) FROM chain)", "cautious:odd/0/0: filed, but not in the chain"),
    ],
)
def test_a_row_that_nobody_filed_is_found(sound: Path, tmp_path: Path, statement: str, told: str) -> None:
    folder = shutil.copytree(sound, tmp_path / "run")
    with closing(sqlite3.connect(folder / "arena.sqlite")) as database, database:
        database.execute(statement)
    code, said = verified(folder)
    assert code == 1
    assert told.partition(":")[2] in said


def rechained(path: Path, statement: str) -> None:
    """Change a database, and chain it anew, as somebody would who knows how."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)
        database.execute("DROP TABLE chain")
        database.execute("PRAGMA user_version = 1")
    with Store(path, write=True):
        pass


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            "UPDATE run SET value = 'other' WHERE key = 'seed'",
            "run seed: not the one that was committed before the first bot started",
        ),
        ("UPDATE hand SET points = points + 1 WHERE match = 1", "game 0 hand 0: recorded "),
        (
            "UPDATE run SET value = replace(value, 'pairs: 1', 'pairs: 2') WHERE key = 'spec'",
            "/1/0: not on record, though the run is",
        ),
    ],
)
def test_what_the_seed_the_rules_and_the_format_say_against_a_run_is_found_though_its_chain_is_whole(
    sound: Path, tmp_path: Path, statement: str, told: str
) -> None:
    folder = shutil.copytree(sound, tmp_path / "run")
    rechained(folder / "arena.sqlite", statement)
    code, said = verified(folder)
    assert code == 1
    assert told in said
