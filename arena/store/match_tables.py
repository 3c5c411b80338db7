"""The records of matches in their tables: ``match`` with its rows in ``game``, ``hand`` and ``fault``.

The functions work on an open database; :class:`arena.store.store.Store` decides when, and in which transaction.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import json

from arena.records import MatchRecord, Result, SingleHand
from arena.store import rows
from arena.store.file import DatabaseFile

TOGETHER = 20  # records that are read at a time: a megabyte of long matches
HAND = (
    "game, number, dealer, actions, ending, winner, points, deadwood0, deadwood1, score0, score1, luck, {spent}, skipped, notes,"
    " deck"
)


def insert(file: DatabaseFile, match: int, record: MatchRecord) -> None:
    """Insert a record whose id is ``match``. Raises: StoreError, also for a fixture that is already stored."""
    fixture, usage = record.fixture, json.encode(record.usage).decode()
    row = (fixture.id, *fixture.seats, fixture.deals, fixture.hands, record.winner, record.forfeit, usage, fixture.scored)
    faults = enumerate(json.encode(fault).decode() for fault in record.faults)
    for table, values in (
        ("match", [(*row, None, *record.states, record.lost)]),
        ("game", _game_rows(record)),
        ("hand", _hand_rows(record)),
        ("fault", faults),
    ):
        several = [(match, *value) for value in values]
        if several:
            places = ", ".join("?" * len(several[0]))
            file.execute_many(f"INSERT INTO {table} VALUES ({places})", several)  # noqa: S608 - names from above


def _game_rows(record: MatchRecord) -> Iterator[tuple[int, ...]]:
    for number, game in enumerate(record.games):
        yield number, game.winner, *game.totals


def _hand_rows(record: MatchRecord) -> Iterator[tuple[Any, ...]]:
    for hand in record.hands:
        place = (hand.game, hand.hand, hand.dealer)
        ended = (hand.actions, hand.ending.value, hand.winner, hand.points, *hand.deadwood)
        said = json.encode(hand.notes).decode() if hand.notes else None
        spent = " ".join(map(str, hand.spent)) or None
        yield *place, *ended, *(hand.score or (None, None)), hand.luck, spent, hand.skipped, said, hand.deck


def read(
    file: DatabaseFile, known: frozenset[str] | None, which: str, values: tuple[Any, ...] = (), *, timed: bool = True
) -> Iterator[tuple[int, MatchRecord]]:
    """Yield ids with records, with the time of each action if ``timed``; ``which`` is a trusted SQL clause.

    ``known`` are the names of the entrants. Raises: DamagedError.
    """
    columns = "id, fixture, seat0, seat1, deals, batch, scored, winner, forfeit, usage, state0, state1, lost"
    found = file.scan(f"SELECT {columns} FROM match {which}", values)  # noqa: S608 - trusted SQL
    while several := list(islice(found, TOGETHER)):
        with file.naming_errors():
            parts = _Parts(file, [row[0] for row in several], "spent" if timed else "NULL")
        for row in several:
            with file.naming_errors():
                match = rows.row(rows.MatchRow, row, f"{row[1]}")
                record = parts.record(match)
                rows.check_fixture(match, known, len(record.hands))
            yield match.id, record


class _Parts:
    """What other tables hold of some matches. It is checked match by match, so that the first error found is the first in order."""

    def __init__(self, file: DatabaseFile, matches: Sequence[int], spent: str) -> None:
        self._hands = _of(file, matches, "hand", HAND.format(spent=spent), "game, number")
        self._games = _of(file, matches, "game", "winner, total0, total1", "number")
        self._faults = _of(file, matches, "fault", "fault", "number")

    def record(self, match: rows.MatchRow) -> MatchRecord:
        """Return the record of a match. Raises: DamagedError."""
        fixture = match.fixture
        hands = [hand.as_record(fixture) for hand in rows.hands(self._hands[match.id], fixture)]
        games = [rows.row(rows.GameRow, game[1:], f"{fixture}: game").as_record() for game in self._games[match.id]]
        return match.as_record(hands, games, [rows.fault(fault, fixture) for _, fault in self._faults[match.id]])


def _of(file: DatabaseFile, matches: Sequence[int], table: str, columns: str, order: str) -> defaultdict[int, list[Any]]:
    """Return the rows of a table that belong to matches, by match."""
    places = ", ".join("?" * len(matches))
    query = f"SELECT match, {columns} FROM {table} WHERE match IN ({places}) ORDER BY match, {order}"  # noqa: S608 - constants
    found = defaultdict[int, list[Any]](list)
    for row in file.rows(query, tuple(matches)):
        found[row[0]].append(row)
    return found


def results(file: DatabaseFile, known: frozenset[str] | None) -> list[Result]:
    """Return the result of each fixture, in the order of the fixtures' names; ``known`` are those of the entrants.

    Raises: DamagedError.
    """
    query = """
        SELECT id, fixture, seat0, seat1, deals, batch, scored, match.winner,
            (SELECT count(*) FROM game WHERE match = id AND game.winner = 0),
            (SELECT count(*) FROM game WHERE match = id AND game.winner = 1),
            (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 0),
            (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 1),
            (SELECT count(*) FROM hand WHERE match = id),
            (SELECT count(*) FROM hand WHERE match = id AND skipped IS NOT NULL),
            lost IS NOT NULL
        FROM match ORDER BY in_order(fixture)
    """
    singles = _singles(file)
    with file.naming_errors():
        found = [rows.row(rows.ResultRow, row, f"{row[1]}") for row in file.scan(query)]
        for row in found:
            rows.check_fixture(row, known, row.hands)
    return [row.as_result(tuple(singles[row.id])) for row in found]


def _singles(file: DatabaseFile) -> defaultdict[int, list[SingleHand]]:
    """Return the hands of each batch, by the id of its match."""
    query = """
        SELECT match, CASE hand.winner WHEN 0 THEN points WHEN 1 THEN -points ELSE 0 END,
            luck, coalesce(score0, 0), coalesce(score1, 0)
        FROM hand JOIN match ON match = id WHERE batch IS NOT NULL ORDER BY match, game, number
    """
    singles = defaultdict[int, list[SingleHand]](list)
    with file.naming_errors():
        for row in file.scan(query):
            single = rows.row(rows.SingleRow, row, "hand")
            singles[single.match].append(single.as_single())
    return singles
