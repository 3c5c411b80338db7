"""The records of matches in their tables: ``match`` with its rows in ``game``, ``hand`` and ``fault``.

The functions work on an open database; :class:`arena.store.store.Store` decides when, and in which transaction.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import json

from arena import records
from arena.store.file import DatabaseFile
from arena.store.rows import GameRow, MatchRow, ResultRow, SingleRow, check_fixture, check_hands, check_row, document, read_faults

TOGETHER = 20  # records that are read at a time: a megabyte of long matches
HAND = "game, number, dealer, actions, ending, winner, points, deadwood0, deadwood1, score0, score1, luck, {spent}, notes, deck"


def insert(file: DatabaseFile, match: int, record: records.MatchRecord) -> None:
    """Insert a record whose id is ``match``. Raises: StoreError, also for a fixture that is already stored."""
    fixture, usage = record.fixture, json.encode(record.usage).decode()
    row = (fixture.id, *fixture.seats, fixture.deals, fixture.hands, record.winner, record.forfeit, usage, fixture.scored)
    faults = enumerate(json.encode(fault).decode() for fault in (*record.excused, *record.faults))
    for table, values in (
        ("match", [(*row, None, *record.states, record.lost)]),  # None: the link, which follows from the stored rows
        ("game", [(number, game.winner, *game.totals) for number, game in enumerate(record.games)]),
        ("hand", _hand_rows(record)),
        ("fault", faults),
    ):
        several = [(match, *value) for value in values]
        if several:
            places = ", ".join("?" * len(several[0]))
            file.database.executemany(f"INSERT INTO {table} VALUES ({places})", several)  # noqa: S608 - names from above


def _hand_rows(record: records.MatchRecord) -> Iterator[tuple[Any, ...]]:
    for hand in record.hands:
        place = (hand.game, hand.hand, hand.dealer)
        ended = (hand.actions, hand.ending.value, hand.winner, hand.points, *hand.deadwood)
        notes = json.encode(hand.notes).decode() if hand.notes else None
        spent = " ".join(map(str, hand.spent)) or None
        yield *place, *ended, *(hand.score or (None, None)), hand.luck, spent, notes, hand.deck


def read(
    file: DatabaseFile, known: frozenset[str] | None, which: str, values: tuple[Any, ...] = (), *, timed: bool = True
) -> Iterator[tuple[int, records.MatchRecord]]:
    """Yield ids with records, with the time of each action if ``timed``; ``which`` is a trusted SQL clause.

    ``known`` are the names of the entrants. Raises: DamagedError.
    """
    columns = "id, fixture, seat0, seat1, deals, batch, scored, winner, forfeit, usage, state0, state1, lost"
    found = file.scan(f"SELECT {columns} FROM match {which}", values)  # noqa: S608 - trusted SQL
    while several := list(islice(found, TOGETHER)):
        with file.naming_errors:
            matches = [row[0] for row in several]
            hands = _rows_by_match(file, matches, "hand", HAND.format(spent="spent" if timed else "NULL"), "game, number")
            games = _rows_by_match(file, matches, "game", "winner, total0, total1", "number")
            faults = _rows_by_match(file, matches, "fault", "fault", "number")
        for row in several:  # checked match by match, so that the first error raised is of the first match
            with file.naming_errors:
                match = check_row(MatchRow, row, f"{row[1]}")
                record = _record(match, hands[match.id], games[match.id], faults[match.id])
                check_fixture(match, known, len(record.hands))
            yield match.id, record


def _record(match: MatchRow, hands: list[Any], games: list[Any], faults: list[Any]) -> records.MatchRecord:
    """Return the record of a match with its rows in other tables. Raises: DamagedError."""
    fixture = match.fixture
    checked_hands = [hand.as_record(fixture) for hand in check_hands(hands, fixture)]
    checked_games = [check_row(GameRow, game[1:], f"{fixture}: game") for game in games]
    all_faults = read_faults((fault for _, fault in faults), fixture)
    return records.MatchRecord(
        fixture=match.as_fixture(),
        winner=match.winner,
        hands=tuple(checked_hands),
        games=tuple(records.GameRecord(game.winner, (game.total0, game.total1)) for game in checked_games),
        faults=all_faults.costly,
        excused=all_faults.excused,
        forfeit=match.forfeit,
        usage=document(tuple[records.Usage, records.Usage], match.usage, f"{fixture}: usage"),
        states=(match.state0, match.state1),
        lost=match.lost,
    )


def _rows_by_match(file: DatabaseFile, matches: Sequence[int], table: str, columns: str, order: str) -> defaultdict[int, list[Any]]:
    """Return the rows of a table that belong to ``matches``, by the id of the match."""
    places = ", ".join("?" * len(matches))
    query = f"SELECT match, {columns} FROM {table} WHERE match IN ({places}) ORDER BY match, {order}"  # noqa: S608 - constants
    found = defaultdict[int, list[Any]](list)
    for row in file.rows(query, tuple(matches)):
        found[row[0]].append(row)
    return found


def results(file: DatabaseFile, known: frozenset[str] | None) -> list[records.Result]:
    """Return the result of each fixture, in the order of the fixtures' names; ``known`` are those of the entrants.

    Raises: DamagedError.
    """
    # ``in_order`` is a function that Store registers
    query = """
        SELECT id, fixture, seat0, seat1, deals, batch, scored, match.winner,
            (SELECT count(*) FROM game WHERE match = id AND game.winner = 0),
            (SELECT count(*) FROM game WHERE match = id AND game.winner = 1),
            (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 0),
            (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 1),
            (SELECT count(*) FROM hand WHERE match = id),
            lost IS NOT NULL
        FROM match ORDER BY in_order(fixture)
    """
    with file.naming_errors:
        found = [check_row(ResultRow, row, f"{row[1]}") for row in file.scan(query)]
        for row in found:
            check_fixture(row, known, row.hands)
    singles = _singles(file)  # read last: it may have hands of records stored meanwhile, but lacks none of those in ``found``
    return [row.as_result(tuple(singles[row.id])) for row in found]


def _singles(file: DatabaseFile) -> defaultdict[int, list[records.SingleHand]]:
    """Return the hands of each batch, by the id of its match."""
    query = """
        SELECT match, CASE hand.winner WHEN 0 THEN points WHEN 1 THEN -points ELSE 0 END,
            luck, coalesce(score0, 0), coalesce(score1, 0)
        FROM hand JOIN match ON match = id WHERE batch IS NOT NULL ORDER BY match, game, number
    """
    singles = defaultdict[int, list[records.SingleHand]](list)
    with file.naming_errors:
        for row in file.scan(query):
            one = check_row(SingleRow, row, "hand")
            singles[one.match].append(records.SingleHand(one.points, one.luck, (one.score0, one.score1)))
    return singles
