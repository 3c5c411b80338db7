"""Records in, records out: the database of one run, which one process writes."""

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import MsgspecError

from arena.errors import StoreError, in_one_line
from arena.records import Fixture, MatchRecord, Result
from arena.roster.entrant import Entered
from arena.store import chain, rows
from arena.store.database import Database


class Store:
    """An open database. Use it as a context, so that it is closed."""

    def __init__(self, path: Path, *, write: bool = False) -> None:
        """Open a database; make it, if it is to be written. Raises: StoreError."""
        self._path = path
        self._database = Database(path, write=write)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._database.close()

    # --- the run

    def begin(self, facts: Mapping[str, str], field: Sequence[Entered]) -> None:
        """File what is known when a run begins, and its entrants, in one transaction."""
        entrants = [(place, bot.name, bot.version, bot.source, bot.digest) for place, bot in enumerate(field)]
        with self._database.writing() as database:
            database.executemany("INSERT INTO run VALUES (?, ?)", list(facts.items()))
            database.executemany("INSERT INTO entrant VALUES (?, ?, ?, ?, ?)", entrants)
            chain.append(database, [*(f"run {key}" for key in facts), *(f"entrant {bot.name}" for bot in field)])

    def note(self, key: str, value: str) -> None:
        """File a fact about the run; the same again changes nothing. Raises: StoreError, if another is filed."""
        if self.facts().get(key) == value:
            return
        with self._database.writing() as database:
            database.execute("INSERT INTO run VALUES (?, ?)", (key, value))
            chain.append(database, [f"run {key}"])

    def facts(self) -> dict[str, str]:
        """Return every fact about the run; none, before it has begun."""
        return dict(self._rows("SELECT key, value FROM run ORDER BY key"))

    def begun(self) -> dict[str, str]:
        """Return every fact about the run. Raises: StoreError, before it has begun."""
        facts = self.facts()
        if not facts:
            raise StoreError(f"{self._path}: holds a run that has not begun; arena run begins it")
        return facts

    def fact(self, key: str) -> str:
        """Return a fact that is filed when a run begins. Raises: StoreError, before."""
        facts = self.begun()
        if key not in facts:
            raise StoreError(f"{self._path}: does not say {key!r} of its run; see `arena verify`")
        return facts[key]

    def field(self) -> tuple[Entered, ...]:
        """Return the entrants, in the order of the spec."""
        return tuple(Entered(*row) for row in self._rows("SELECT name, version, source, digest FROM entrant ORDER BY place"))

    # --- records in

    def add(self, record: MatchRecord) -> None:
        """File a record in one transaction. Raises: StoreError, also for a fixture that is on record already."""
        with self._database.writing() as database:
            match = database.execute("INSERT INTO match VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", rows.match_row(record)).lastrowid
            for table, several in (("game", rows.game_rows), ("hand", rows.hand_rows), ("fault", rows.fault_rows)):
                _insert(database, table, [(match, *row) for row in several(record)])
            chain.append(database, [f"match {record.fixture.id}"])

    # --- records out

    def records(self) -> Iterator[MatchRecord]:
        """Yield every record in the order in which they were filed, one in memory at a time."""
        for row in self._rows("SELECT * FROM match ORDER BY id"):
            yield self._record(row)

    def in_order(self) -> Iterator[MatchRecord]:
        """Yield every record in the order of their fixtures, which is the same however many workers filed them, and when."""
        for fixture in sorted((name for (name,) in self._rows("SELECT fixture FROM match")), key=_natural):
            yield self.record(fixture)

    def record(self, fixture: str) -> MatchRecord:
        """Return the record of one fixture. Raises: StoreError."""
        for row in self._rows("SELECT * FROM match WHERE fixture = ?", (fixture,)):
            return self._record(row)
        raise StoreError(f"{self._path}: no fixture {fixture!r} on record")

    def results(self) -> list[Result]:
        """Return what a format needs to know of each fixture that was played, in the order of the fixtures."""
        query = """
            SELECT fixture, seat0, seat1, deals, batch, match.winner,
                (SELECT count(*) FROM game WHERE match = id AND game.winner = 0),
                (SELECT count(*) FROM game WHERE match = id AND game.winner = 1),
                (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 0),
                (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 1),
                (SELECT count(*) FROM hand WHERE match = id)
            FROM match
        """
        results = (
            Result(fixture=Fixture(name, (a, b), deals, batch), winner=winner, games=(g0, g1), points=(p0, p1), hands=hands)
            for name, a, b, deals, batch, winner, g0, g1, p0, p1, hands in self._rows(query)
        )
        return sorted(results, key=lambda result: _natural(result.fixture.id))

    def changes(self) -> Iterator[chain.Change]:
        """Yield whatever in the database is not as it was filed, at one moment of a run that may go on. Raises: StoreError."""
        return self._database.changes()

    def _record(self, row: tuple[Any, ...]) -> MatchRecord:
        of_match = (row[0],)
        games = self._rows("SELECT * FROM game WHERE match = ? ORDER BY number", of_match)
        hands = self._rows("SELECT * FROM hand WHERE match = ? ORDER BY game, number", of_match)
        faults = self._rows("SELECT * FROM fault WHERE match = ? ORDER BY number", of_match)
        try:
            return rows.record_of(row, games, hands, faults)
        except (ValueError, MsgspecError) as error:
            raise StoreError(
                f"{self._path}: the record of fixture {row[1]!r} cannot be read: {in_one_line(str(error))}; see `arena verify`"
            ) from None

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[Any]:
        return self._database.rows(query, values)


def _insert(database: sqlite3.Connection, table: str, several: Sequence[rows.Row]) -> None:
    if several:
        places = ", ".join("?" * len(several[0]))
        database.executemany(f"INSERT INTO {table} VALUES ({places})", several)  # noqa: S608 - the tables' names are our own


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """Return what sorts names as people count: a:b/2/0 before a:b/10/0."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)], name
