"""Records in, records out: the database of one run, which one process writes. SQLite is known here alone."""

import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import json

from arena.errors import StoreError
from arena.gin.score import Ending
from arena.records import Fault, Fixture, GameRecord, HandRecord, MatchRecord, Result, Single, Usage
from arena.roster.entrant import Entered
from arena.store.schema import known, migrate

Rows = Sequence[tuple[Any, ...]]


class Store:
    """An open database. Use it as a context, so that it is closed."""

    def __init__(self, path: Path, *, write: bool = False) -> None:
        """Open a database; make it, if it is to be written. Raises: StoreError."""
        if not write and not path.is_file():
            raise StoreError(f"{path}: no such file; expected the database of a run")
        self._path = path
        try:
            self._database = sqlite3.connect(path) if write else sqlite3.connect(_to_read(path), uri=True)
            if write:
                self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = FULL")
                migrate(self._database)
            known(self._database)
        except (sqlite3.Error, StoreError) as error:
            raise StoreError(f"{path}: {error}") from None

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

    def note(self, key: str, value: str) -> None:
        """File a fact about the run; one filed before is replaced."""
        with self._writing():
            self._many("INSERT OR REPLACE INTO run VALUES (?, ?)", [(key, value)])

    def facts(self) -> dict[str, str]:
        """Return every fact about the run; none, before it has begun."""
        return dict(self._rows("SELECT key, value FROM run ORDER BY key"))

    def fact(self, key: str) -> str:
        """Return a fact that is filed when a run begins. Raises: StoreError, before."""
        facts = self.facts()
        if key not in facts:
            raise StoreError(f"{self._path}: holds a run that has not begun; arena run begins it")
        return facts[key]

    def field(self) -> tuple[Entered, ...]:
        """Return the entrants, in the order of the spec."""
        return tuple(Entered(*row) for row in self._rows("SELECT name, version, source, digest FROM entrant ORDER BY place"))

    def played(self) -> int:
        """Return how many records there are."""
        return next(self._rows("SELECT count(*) FROM match"))[0]  # type: ignore[no-any-return] # SQLite's rows have no types

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
            match = self._insert_match(record)
            self._many("INSERT INTO game VALUES (?, ?, ?, ?, ?)", [(match, *row) for row in _game_rows(record)])
            self._many("INSERT INTO hand VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [(match, *row) for row in _hand_rows(record)])
            faults = [(match, number, json.encode(fault).decode()) for number, fault in enumerate(record.faults)]
            self._many("INSERT INTO fault VALUES (?, ?, ?)", faults)

    def _insert_match(self, record: MatchRecord) -> int:
        fixture = record.fixture
        usage = json.encode(record.usage).decode()
        row = (fixture.id, *fixture.seats, fixture.deals, fixture.hands, record.winner, record.forfeit, usage, fixture.scored)
        cursor = self._database.execute("INSERT INTO match VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return cursor.lastrowid or 0

    # --- records out

    def records(self, after: int = 0) -> Iterator[MatchRecord]:
        """Yield every record but the first ``after``, in the order in which they were filed, one in memory at a time."""
        for row in self._rows("SELECT * FROM match WHERE id > ? ORDER BY id", (after,)):
            yield self._record(row)

    def record(self, fixture: str) -> MatchRecord:
        """Return the record of one fixture. Raises: StoreError."""
        for row in self._rows("SELECT * FROM match WHERE fixture = ?", (fixture,)):
            return self._record(row)
        raise StoreError(f"{self._path}: no fixture {fixture!r} on record")

    def results(self) -> list[Result]:
        """Return what a format needs to know of each fixture that was played."""
        query = """
            SELECT id, fixture, seat0, seat1, deals, batch, scored, match.winner,
                (SELECT count(*) FROM game WHERE match = id AND game.winner = 0),
                (SELECT count(*) FROM game WHERE match = id AND game.winner = 1),
                (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 0),
                (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 1),
                (SELECT count(*) FROM hand WHERE match = id)
            FROM match ORDER BY id
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
            SELECT match, CASE hand.winner WHEN 0 THEN points WHEN 1 THEN -points ELSE 0 END, luck, coalesce(score0, 0), coalesce(score1, 0)
            FROM hand JOIN match ON match = id WHERE batch IS NOT NULL ORDER BY match, game, number
        """
        singles = defaultdict[int, list[Single]](list)
        for match, points, luck, zero, one in self._rows(query):
            singles[match].append(Single(points, luck, (zero, one)))
        return singles

    def _record(self, row: tuple[Any, ...]) -> MatchRecord:
        match, fixture, zero, one, deals, batch, winner, forfeit, usage, *later = row  # none later, if an older arena filed it
        games = self._rows("SELECT winner, total0, total1 FROM game WHERE match = ? ORDER BY number", (match,))
        hands = self._rows("SELECT * FROM hand WHERE match = ? ORDER BY game, number", (match,))
        faults = self._rows("SELECT fault FROM fault WHERE match = ? ORDER BY number", (match,))
        return MatchRecord(
            fixture=Fixture(fixture, (zero, one), deals, batch, bool(later and later[0])),
            winner=winner,
            hands=tuple(map(_hand, hands)),
            games=tuple(GameRecord(won, (zero, one)) for won, zero, one in games),
            faults=tuple(json.decode(fault, type=Fault) for (fault,) in faults),
            forfeit=forfeit,
            usage=json.decode(usage, type=tuple[Usage, Usage]),
        )

    # --- SQLite

    def _writing(self) -> "_Transaction":
        return _Transaction(self._database, self._path)

    def _many(self, statement: str, rows: Rows) -> None:
        self._database.executemany(statement, rows)

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[Any]:
        try:
            yield from self._database.execute(query, values)
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from None


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
            raise StoreError(f"{self._path}: {failure}") from None
        if isinstance(error, sqlite3.Error):
            raise StoreError(f"{self._path}: {error}") from None


def _to_read(path: Path) -> str:
    """Return the URI that opens a database for reading; in a folder where SQLite may not lay its files beside it, as it stands."""
    still = not os.access(path.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
    written = path.with_name(f"{path.name}-wal").exists()  # by a run that goes on, or was killed: then it does not stand still
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if still and not written else ''}"


def _game_rows(record: MatchRecord) -> Iterator[tuple[int, ...]]:
    for number, game in enumerate(record.games):
        yield number, game.winner, *game.totals


def _hand_rows(record: MatchRecord) -> Iterator[tuple[Any, ...]]:
    for hand in record.hands:
        place = (hand.game, hand.hand, hand.dealer)
        ended = (hand.actions, hand.ending.value, hand.winner, hand.points, *hand.deadwood)
        yield *place, *ended, *(hand.score or (None, None)), hand.luck


def _hand(row: tuple[Any, ...]) -> HandRecord:
    _, game, number, dealer, actions, ending, winner, points, zero, one, *later = row
    score0, score1, luck = later or (None, None, None)  # an older arena filed none of these
    return HandRecord(
        game=game,
        hand=number,
        dealer=dealer,
        actions=actions,
        ending=Ending(ending),
        winner=winner,
        points=points,
        deadwood=(zero, one),
        score=None if score0 is None else (score0, score1),
        luck=luck,
    )
