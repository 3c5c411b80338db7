"""Records in, records out: the database of one run, which one process writes. SQLite is known here alone."""

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import json

from arena.errors import DamagedError, StoreError
from arena.gin.score import Ending
from arena.records import Fault, Fixture, GameRecord, HandRecord, MatchRecord, Result, Single, Usage
from arena.roster.entrant import Entered
from arena.store import chain, opening, soundness

Rows = Sequence[tuple[Any, ...]]


class Store:
    """An open database. Use it as a context, so that it is closed."""

    def __init__(self, path: Path, *, write: bool = False) -> None:
        """Open a database; make it, if it is to be written. Raises: StoreError."""
        if not write and not path.is_file():
            raise StoreError(f"{path}: no such file; expected the database of a run")
        self._path = path
        try:
            self._database = opening.to_write(path) if write else opening.to_read(path)
            self._database.create_function("in_order", 1, _in_order, deterministic=True)
            self._file = _identity(path)
        except soundness.BROKEN as error:
            raise _told(path, error) from None
        except StoreError as error:
            raise type(error)(f"{path}: {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._database.close()

    # --- the run

    def begin(self, facts: Mapping[str, str], field: Sequence[Entered]) -> None:
        """File what is known when a run begins, and its entrants, in one transaction."""
        rows = [(place, bot.name, bot.version, bot.source, bot.digest) for place, bot in enumerate(field)]
        with self._writing():
            self._many("INSERT INTO run VALUES (?, ?)", list(facts.items()))
            self._many("INSERT INTO entrant VALUES (?, ?, ?, ?, ?)", rows)
            self._many("INSERT INTO run VALUES (?, ?)", [(chain.SEALS, chain.seals(self._database))])

    def withdraw(self) -> None:
        """Take back what ``begin`` has filed, since nothing can be played."""
        with self._writing():
            self._many("DELETE FROM run", [()])
            self._many("DELETE FROM entrant", [()])

    def finish(self) -> None:
        """File that all is played, with the last link of the chain."""
        with self._writing():
            self._many("INSERT OR REPLACE INTO run VALUES (?, ?)", [(chain.END, chain.end(chain.last(self._database)))])

    def facts(self) -> dict[str, str]:
        """Return every fact about the run; none, before it has begun."""
        return dict(self._rows("SELECT key, value FROM run WHERE key != ? ORDER BY key", (chain.SEALS,)))

    def fact(self, key: str) -> str:
        """Return a fact that is filed when a run begins. Raises: StoreError, before."""
        facts = self.facts()
        if key not in facts:
            raise StoreError(f"{self._path}: holds a run that has not begun; arena run begins it")
        return facts[key]

    def field(self) -> tuple[Entered, ...]:
        """Return the entrants, in the order of the spec."""
        return tuple(Entered(*row) for row in self._rows("SELECT name, version, source, digest FROM entrant ORDER BY place"))

    def copy(self, path: Path) -> None:
        """Write a copy of the database, whole and closed, to ``path``. Raises: StoreError."""
        try:
            with closing(sqlite3.connect(path)) as copy:
                self._database.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as error:
            raise StoreError(f"{path}: {error}") from None

    # --- records in

    def add(self, record: MatchRecord) -> None:
        """File a record in one transaction. Raises: StoreError, also for a fixture that is on record already."""
        with self._writing():
            before = chain.last(self._database)
            match = self._insert_match(record)
            self._many("INSERT INTO game VALUES (?, ?, ?, ?, ?)", [(match, *row) for row in _game_rows(record)])
            self._many(
                "INSERT INTO hand VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [(match, *row) for row in _hand_rows(record)]
            )
            faults = [(match, number, json.encode(fault).decode()) for number, fault in enumerate(record.faults)]
            self._many("INSERT INTO fault VALUES (?, ?, ?)", faults)
            chained = chain.link(self._database, match, before)
            self._database.execute("UPDATE match SET chain = ? WHERE id = ?", (chained, match))

    def _insert_match(self, record: MatchRecord) -> int:
        fixture = record.fixture
        usage = json.encode(record.usage).decode()
        row = (fixture.id, *fixture.seats, fixture.deals, fixture.hands, record.winner, record.forfeit, usage, fixture.scored)
        cursor = self._database.execute("INSERT INTO match VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)", row)
        return cursor.lastrowid or 0

    # --- records out

    def records(self, after: int = 0) -> Iterator[MatchRecord]:
        """Yield every record but the first ``after``, in the order in which they were filed, one in memory at a time."""
        for row in self._rows("SELECT * FROM match WHERE id > ? ORDER BY id", (after,)):
            yield self._record(row)

    def in_order(self) -> Iterator[MatchRecord]:
        """Yield every record in the order of the fixtures' names: the same, in whatever order they were played."""
        for row in self._rows("SELECT * FROM match ORDER BY in_order(fixture)"):
            yield self._record(row)

    def record(self, fixture: str) -> MatchRecord:
        """Return the record of one fixture. Raises: StoreError."""
        for row in self._rows("SELECT * FROM match WHERE fixture = ?", (fixture,)):
            return self._record(row)
        raise StoreError(f"{self._path}: no fixture {fixture!r} on record")

    def faults(self) -> Iterator[tuple[str, Fault]]:
        """Yield each fault with the name of the entrant that committed it, in the order of the fixtures' names."""
        query = """
            SELECT seat0, seat1, fault FROM fault JOIN match ON match = id ORDER BY in_order(fixture), number
        """
        for zero, one, text in self._rows(query):
            fault = json.decode(text, type=Fault)
            yield (zero, one)[fault.seat], fault

    def results(self) -> list[Result]:
        """Return what a format needs to know of each fixture that was played, in the order of the fixtures' names."""
        query = """
            SELECT id, fixture, seat0, seat1, deals, batch, scored, match.winner,
                (SELECT count(*) FROM game WHERE match = id AND game.winner = 0),
                (SELECT count(*) FROM game WHERE match = id AND game.winner = 1),
                (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 0),
                (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 1),
                (SELECT count(*) FROM hand WHERE match = id)
            FROM match ORDER BY in_order(fixture)
        """
        singles = self._singles()
        return [
            Result(
                fixture=Fixture(name, (a, b), deals, batch, bool(scored)),
                winner=winner,
                games=(g0, g1),
                points=(p0, p1),
                hands=hands,
                singles=tuple(singles[match]),
            )
            for match, name, a, b, deals, batch, scored, winner, g0, g1, p0, p1, hands in self._rows(query)
        ]

    def _singles(self) -> defaultdict[int, list[Single]]:
        """Return the hands of every batch, by its match."""
        query = """
            SELECT match, CASE hand.winner WHEN 0 THEN points WHEN 1 THEN -points ELSE 0 END,
                luck, coalesce(score0, 0), coalesce(score1, 0)
            FROM hand JOIN match ON match = id WHERE batch IS NOT NULL ORDER BY match, game, number
        """
        singles = defaultdict[int, list[Single]](list)
        for match, points, luck, zero, one in self._rows(query):
            singles[match].append(Single(points, luck, (zero, one)))
        return singles

    def _record(self, row: tuple[Any, ...]) -> MatchRecord:
        match, fixture, zero, one, deals, batch, winner, forfeit, usage, scored, _ = row
        games = self._rows("SELECT winner, total0, total1 FROM game WHERE match = ? ORDER BY number", (match,))
        hands = self._rows("SELECT * FROM hand WHERE match = ? ORDER BY game, number", (match,))
        faults = self._rows("SELECT fault FROM fault WHERE match = ? ORDER BY number", (match,))
        return MatchRecord(
            fixture=Fixture(fixture, (zero, one), deals, batch, bool(scored)),
            winner=winner,
            hands=tuple(map(_hand, hands)),
            games=tuple(GameRecord(won, (zero, one)) for won, zero, one in games),
            faults=tuple(json.decode(fault, type=Fault) for (fault,) in faults),
            forfeit=forfeit,
            usage=json.decode(usage, type=tuple[Usage, Usage]),
        )

    # --- whether it is as it was filed

    def damage(self) -> Iterator[str]:
        """Yield what is not as it was filed, but for the records themselves: file, tables, facts and entrants, end."""
        yield from soundness.damage(self._database)

    def linked(self) -> Iterator[tuple[str, bool]]:
        """Yield each fixture in the order in which records were filed, and whether its record is as it was filed."""
        sealed = next(self._rows("SELECT value FROM run WHERE key = ?", (chain.SEALS,)), ("",))[0]
        before = chain.start(sealed)
        for match, fixture, filed in self._rows("SELECT id, fixture, chain FROM match ORDER BY id"):
            try:
                yield fixture, chain.link(self._database, match, before) == filed
            except soundness.BROKEN:
                yield fixture, False
            before = str(filed)

    # --- SQLite

    def _writing(self) -> "_Transaction":
        if _identity(self._path) != self._file:
            raise StoreError(
                f"{self._path}: is not the file any more that this run writes: it was removed, or another took its place"
            )
        return _Transaction(self._database, self._path)

    def _many(self, statement: str, rows: Rows) -> None:
        self._database.executemany(statement, rows)

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[Any]:
        try:
            yield from self._database.execute(query, values)
        except soundness.BROKEN as error:
            raise _told(self._path, error) from None


class _Transaction:
    """All of it or nothing; what SQLite says against it is told with the file's name."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self._database = database
        self._path = path

    def __enter__(self) -> None:
        self._database.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self._database.__exit__(kind, error, trace)
        except sqlite3.Error as failure:
            raise _told(self._path, failure) from None
        if isinstance(error, sqlite3.Error):
            raise _told(self._path, error) from None


def _told(path: Path, error: Exception) -> StoreError:
    """Return what SQLite says, with the file's name."""
    usual = sqlite3.OperationalError, sqlite3.IntegrityError, sqlite3.ProgrammingError  # not of a broken file
    return (StoreError if isinstance(error, usual) else DamagedError)(f"{path}: {error}")


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another that has its name; None, if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _in_order(fixture: str) -> str:
    """Return a name by which fixtures are sorted as people count: pair 2 before pair 10."""
    return re.sub(r"[0-9]+", lambda number: number[0].zfill(12), fixture)


def _game_rows(record: MatchRecord) -> Iterator[tuple[int, ...]]:
    for number, game in enumerate(record.games):
        yield number, game.winner, *game.totals


def _hand_rows(record: MatchRecord) -> Iterator[tuple[Any, ...]]:
    for hand in record.hands:
        place = (hand.game, hand.hand, hand.dealer)
        ended = (hand.actions, hand.ending.value, hand.winner, hand.points, *hand.deadwood)
        yield *place, *ended, *(hand.score or (None, None)), hand.luck, " ".join(map(str, hand.spent)) or None


def _hand(row: tuple[Any, ...]) -> HandRecord:
    _, game, number, dealer, actions, ending, winner, points, zero, one, score0, score1, luck, spent = row
    return HandRecord(
        game=game,
        hand=number,
        dealer=dealer,
        actions=actions,
        ending=Ending(ending),
        winner=winner,
        points=points,
        deadwood=(zero, one),
        score=None if score0 is None or score1 is None else (score0, score1),
        luck=luck,
        spent=tuple(map(int, (spent or "").split())),
    )
