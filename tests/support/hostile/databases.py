"""Results databases as nobody files them, and what the commands that read one make of them."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import mkdtemp

from typer.testing import CliRunner

from arena.cli.app import build
from arena.errors import ArenaError
from arena.plugins import manager
from arena.store.folder import Folder
from arena.web.app import RequestedRun, Site
from arena.web.run_pages import run_event, run_page
from arena.web.watched_run import WatchedRun

TABLES = ("run", "entrant", "match", "game", "hand", "fault")
VALUES: tuple[object, ...] = (
    None,
    0,
    -1,
    2,
    1 << 62,
    -(1 << 63),
    1e308,
    float("inf"),
    "",
    "x",
    "\x00",
    "\x1b[2J",
    "[]",
    "{}",
    "null",
    "[{},{}]",
    '[{"cpu":1e999},{}]',
    '[{"decisions":-1},{"cpu":"x"}]',
    "[" * 100_000,
    '{"a":' * 50_000,
    "9" * 5000,
    "knock:2c",
    "Ks Ks Ks",
    "lay_off:melds=2c3c4c:on=5c9",
    "big_gin:melds=",
    "pass pass draw",
    "x" * 2_000_000,
    b"\xff\xfe",
    b"",
)
MANY = (
    "WITH RECURSIVE n(i) AS (SELECT 9 UNION ALL SELECT i + 1 FROM n WHERE i < {})"
    " INSERT INTO entrant SELECT i, 'bot' || i, '', '', '' FROM n"
)
SCHEMA = (
    "CREATE VIEW more AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "DROP TABLE fault; CREATE VIEW fault AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i, i FROM n",
    "CREATE TRIGGER more AFTER INSERT ON game BEGIN DELETE FROM hand; END",
    "CREATE INDEX more ON hand (abs(points))",
    "CREATE TABLE more (a)",
    "ALTER TABLE hand ADD COLUMN more TEXT",
    "ALTER TABLE hand RENAME COLUMN points TO score",
    "PRAGMA user_version = -1",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 3",
    "PRAGMA user_version = 2147483647",
    "DELETE FROM entrant",
    "DELETE FROM run",
    "DELETE FROM match",
    "DELETE FROM hand",
    "DELETE FROM run WHERE key = 'seed'",
    "DELETE FROM run WHERE key = 'walls'",
    "DELETE FROM run WHERE key = 'finished'",
    "UPDATE match SET batch = 3",
    "UPDATE match SET seat1 = seat0",
    "UPDATE match SET seat0 = 'stranger'",
    "UPDATE hand SET ending = 'showdown'",
    "UPDATE hand SET actions = ''",
    "UPDATE hand SET actions = actions || ' draw'",
    "UPDATE hand SET spent = '1'",
    "UPDATE hand SET dealer = 1 - dealer",
    "UPDATE run SET value = replace(value, 'pairs: 2', 'pairs: 100000')",
    "UPDATE run SET value = 'title: x' WHERE key = 'spec'",
    "UPDATE run SET value = '[1, 2' WHERE key = 'spec'",
    "UPDATE run SET value = replace(value, 'round-robin', 'duel')",
    "UPDATE run SET value = replace(value, 'round-robin', 'gauntlet')",
    MANY.format(20000),
    MANY.format(100),
)


def edited(path: Path, chance: Random) -> str:
    """Change a database somehow, and return what was done."""
    return chance.choice((cell, cell, cell, schema, row, raw, cut, number))(path, chance)


def cell(path: Path, chance: Random) -> str:
    """Change a value, whatever its table forbids."""
    return _with_any_type(path, lambda database: _cell(database, chance, chance.choice(VALUES)))


def number(path: Path, chance: Random) -> str:
    """Change a value into another one of its type."""
    return _with_any_type(
        path, lambda database: _cell(database, chance, chance.choice((chance.randrange(-5, 5), str(chance.random()))))
    )


def _cell(database: sqlite3.Connection, chance: Random, value: object) -> str:
    table = chance.choice(TABLES)
    cursor = database.execute(f"SELECT * FROM {table}")  # noqa: S608 - a name from the list above
    names = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    if not rows:
        return ""
    wanted, column = chance.choice(rows), chance.choice(names)
    where = " AND ".join(f'"{name}" IS ?' for name in names)
    database.execute(f'UPDATE {table} SET "{column}" = ? WHERE {where}', (value, *wanted))  # noqa: S608 - likewise
    return f"{table}.{column} of {wanted!r:.80} = {value!r:.80}"


def row(path: Path, chance: Random) -> str:
    """Remove a row."""

    def remove(database: sqlite3.Connection) -> str:
        table = chance.choice(TABLES)
        place = chance.randrange(10)
        key = "rowid" if table in ("entrant", "match") else "key" if table == "run" else "number"
        database.execute(f"DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {table} LIMIT 1 OFFSET {place})")  # noqa: S608
        return f"{table}: row {place} removed"

    return _with_any_type(path, remove)


def schema(path: Path, chance: Random) -> str:
    """Change what a table is, or many rows at a time."""
    script = chance.choice(SCHEMA)
    with closing(sqlite3.connect(path)) as database:
        try:
            database.executescript(script)
        except sqlite3.Error as error:
            return f"{script}: {error}"
    return script


def raw(path: Path, chance: Random) -> str:
    """Change some bytes of the file."""
    content = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 1, 8, 200))):
        content[chance.randrange(chance.choice((100, len(content))))] = chance.randrange(256)
    path.write_bytes(content)
    return "some bytes"


def cut(path: Path, chance: Random) -> str:
    """Cut the file short."""
    content = path.read_bytes()
    kept = int(len(content) * chance.choice((0, 0.001, 0.5, 0.9, 0.999)))
    path.write_bytes(content[:kept])
    return f"cut to {kept} bytes"


def _with_any_type(path: Path, change: Callable[[sqlite3.Connection], str]) -> str:
    """Change a database whose tables take anything, then give them back what they said they took."""
    with closing(sqlite3.connect(path)) as database:
        before = database.execute("SELECT name, sql FROM sqlite_master").fetchall()
        database.execute("PRAGMA writable_schema = ON")
        for name, sql in before:
            loose = (sql or "").replace("STRICT, ", "").replace(" STRICT", "").replace(" NOT NULL", "")
            database.execute("UPDATE sqlite_master SET sql = ? WHERE name = ? AND sql IS NOT NULL", (loose, name))
        database.commit()
    done = ""
    with closing(sqlite3.connect(path)) as database:
        try:
            with database:
                done = change(database)
        except (sqlite3.Error, OverflowError) as error:
            done = str(error)
        database.execute("PRAGMA writable_schema = ON")
        for name, sql in before:
            database.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, name))
        database.commit()
    return done


def read(folder: Path, fixture: str) -> Iterator[tuple[str, str]]:
    """Read a run with every command that can; yield each with what it said, that has to be one line if it failed."""
    for command in (
        ("verify", str(folder)),
        ("report", str(folder)),
        ("replay", str(folder)),
        ("replay", str(folder), fixture),
        ("replay", str(folder), fixture, "0.0"),
    ):
        result = CliRunner().invoke(build(), list(command))
        error = result.exception
        if error and not isinstance(error, SystemExit | ArenaError):
            raise AssertionError(f"{command[0]}: {type(error).__name__}: {error}") from error
        yield " ".join(command[:1]), str(error) if isinstance(error, ArenaError) else result.output
    yield "serve", served(folder, fixture)


def served(folder: Path, fixture: str) -> str:
    """Do what ``arena serve`` does to show a run and one of its matches; return what is wrong with it."""
    inside = Path(mkdtemp(dir=folder.parent)) / "run"  # a new one each time: what reads it may end after this function
    shutil.copytree(folder, inside)
    kinds = manager.installed_kinds()
    run, site = WatchedRun(Folder(inside), kinds), Site(inside.parent, kinds)
    try:
        run.poll()
        if run.snapshot.report is None:
            return run.snapshot.problem
        run.rate()
        run.poll()
        if report := run.snapshot.report:
            run_page(run.snapshot, report)
            run_event(run.snapshot, report)
            site.watch.poll()
            site._matches(RequestedRun(run.folder, run.snapshot, report))  # noqa: SLF001 - what a request is answered with
            site._match(run.folder, fixture)  # noqa: SLF001
    except ArenaError as error:
        return str(error)
    finally:
        shutil.rmtree(inside.parent, ignore_errors=True)
    return run.snapshot.problem
