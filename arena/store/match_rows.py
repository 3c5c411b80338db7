"""The records of matches in their tables: ``match`` with its rows in ``game``, ``hand`` and ``fault``.

The functions work on an open database; :class:`arena.store.store.Store` decides when, and in which transaction.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from msgspec import ValidationError, convert, json
from msgspec.structs import replace

from arena import records
from arena.errors import DamagedError
from arena.gin.cards import DECK, NAMES, cards
from arena.store.file import DatabaseFile
from arena.store.rows import FLAGS, check_fixture, check_row, document, read_faults

TOGETHER = 20  # records that are read at a time: a megabyte of long matches
FIXTURE = "fixture, seat0, seat1, deals, batch, scored"
HAND = "game, number, dealer, actions, ending, winner, points, deadwood0, deadwood1, score0, score1, luck, {spent}, notes, deck"

LONGEST_TIMES = 1 << 20  # characters of the times of a hand
EACH_TIMED = "spent: expected a time in microseconds for each action"

T = TypeVar("T")

_TIMES = re.compile(r"(?:(?:0|[1-9][0-9]{0,14})(?: (?:0|[1-9][0-9]{0,14}))*)?")
_NUMBERS = json.Decoder(tuple[int, ...])  # five times as fast as int() for each


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
    found = file.scan(f"SELECT id, winner, forfeit, usage, state0, state1, lost, {FIXTURE} FROM match {which}", values)  # noqa: S608 - trusted SQL
    while several := list(islice(found, TOGETHER)):
        with file.naming_errors:
            matches = [row[0] for row in several]
            hands = _rows_by_match(file, matches, "hand", HAND.format(spent="spent" if timed else "NULL"), "game, number")
            games = _rows_by_match(file, matches, "game", "winner, total0, total1", "number")
            faults = _rows_by_match(file, matches, "fault", "fault", "number")
        for row in several:  # checked match by match, so that the first error raised is of the first match
            with file.naming_errors:
                record = _record(row, hands[row[0]], games[row[0]], faults[row[0]])
                check_fixture(record.fixture, known, len(record.hands), lost=record.lost is not None)
            yield row[0], record


def fixture(row: Sequence[Any]) -> records.Fixture:
    """Return the fixture in the columns ``FIXTURE``. Raises: DamagedError."""
    name, seat0, seat1, deals, batch, scored = row
    values = {"id": name, "seats": (seat0, seat1), "deals": deals, "hands": batch, "scored": FLAGS.get(scored, scored)}
    return check_row(records.Fixture, values, f"{name}")


def _record(row: tuple[Any, ...], hands: list[Any], games: list[Any], faults: list[Any]) -> records.MatchRecord:
    """Return the record of a match with its rows in other tables. Raises: DamagedError."""
    _, winner, forfeit, usage, state0, state1, lost, *columns = row
    played = fixture(columns)
    all_faults = read_faults((fault for _, fault in faults), played.id)
    values = {
        "fixture": played,
        "winner": winner,
        "hands": _hands(hands, played.id),
        "games": [{"winner": won, "totals": totals} for _, won, *totals in games],
        "faults": all_faults.costly,
        "excused": all_faults.excused,
        "forfeit": forfeit,
        "usage": _document(tuple[records.Usage, records.Usage], usage, f"{played.id}: usage"),
        "states": (state0, state1),
        "lost": lost,
    }
    return check_row(records.MatchRecord, values, played.id)


def _hands(rows: list[Any], fixture: str) -> list[records.HandRecord]:
    """Return the hands of a match. Raises: DamagedError."""
    found = [_hand_values(row, fixture) for row in rows]
    try:
        hands = convert(found, list[records.HandRecord])
    except ValidationError:  # checked again one by one, so that the error names the hand
        hands = [check_row(records.HandRecord, one, f"{fixture} {one['game']}.{one['hand']}") for one in found]
    for hand in hands:
        if problem := _problem(hand):
            raise DamagedError(f"{fixture} {hand.game}.{hand.hand}: {problem}")
    return hands


def _hand_values(row: tuple[Any, ...], fixture: str) -> Mapping[str, Any]:
    """Return the values of a hand's fields, unchecked but for the texts with several values. Raises: DamagedError."""
    _, game, hand, dealer, actions, ending, winner, points, deadwood0, deadwood1, score0, score1, luck, spent, notes, deck = row
    return {
        "game": game,
        "hand": hand,
        "dealer": dealer,
        "actions": actions,
        "ending": ending,
        "winner": winner,
        "points": points,
        "deadwood": (deadwood0, deadwood1),
        "score": None if score0 is None or score1 is None else (score0, score1),
        "luck": luck,
        "spent": _times(spent, f"{fixture} {game}.{hand}") if spent else (),
        "notes": () if notes is None else _document(tuple[records.Note, ...], notes, f"{fixture} {game}.{hand}: notes"),
        "deck": deck,
    }


def _document(kind: type[T], text: object, where: str) -> T:
    return document(kind, check_row(records.Long, text, where), where)


def _times(text: object, where: str) -> tuple[int, ...]:
    """Return the microseconds of each action. Raises: DamagedError."""
    if not (isinstance(text, str) and len(text) <= LONGEST_TIMES and _TIMES.fullmatch(text)):
        raise DamagedError(f"{where}: {EACH_TIMED}")
    return _NUMBERS.decode(f"[{text.replace(' ', ',')}]")


def _problem(hand: records.HandRecord) -> str:
    """Return what is wrong with the times, the notes or the deck of a hand, by its actions; empty: nothing."""
    actions = len(hand.actions.split()) if hand.spent or hand.notes else 0
    if hand.spent and len(hand.spent) != actions:
        return EACH_TIMED
    turns = [note.turn for note in hand.notes]
    if turns and (turns != sorted(set(turns)) or turns[-1] >= actions):
        return "notes: expected at most one for each action, in the order of the actions"
    if hand.deck is not None and not _is_whole(records.words_of_deck(hand.deck)):
        return "deck: expected each of the 52 cards once"
    return ""


def _is_whole(words: Sequence[str]) -> bool:
    try:
        return len(words) == len(NAMES) and cards(words) == DECK
    except ValueError:
        return False


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
    query = f"""
        SELECT id, match.winner,
            (SELECT count(*) FROM game WHERE match = id AND game.winner = 0),
            (SELECT count(*) FROM game WHERE match = id AND game.winner = 1),
            (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 0),
            (SELECT coalesce(sum(points), 0) FROM hand WHERE match = id AND hand.winner = 1),
            (SELECT count(*) FROM hand WHERE match = id),
            lost IS NOT NULL, {FIXTURE}
        FROM match ORDER BY in_order(fixture)
    """  # noqa: S608 - a constant
    with file.naming_errors:
        found = [(row[0], _result(row, known)) for row in file.scan(query)]
    singles = _singles(file)  # read last: it may have hands of records stored meanwhile, but lacks none of those in ``found``
    return [replace(one, singles=tuple(singles[match])) if match in singles else one for match, one in found]


def _result(row: tuple[Any, ...], known: frozenset[str] | None) -> records.Result:
    """Return a result without the hands of a batch. Raises: DamagedError."""
    _, winner, games0, games1, points0, points1, hands, lost, *columns = row
    played = fixture(columns)
    check_fixture(played, known, hands, lost=bool(lost))
    values = {
        "fixture": played,
        "winner": winner,
        "games": (games0, games1),
        "points": (points0, points1),
        "hands": hands,
        "lost": bool(lost),
    }
    return check_row(records.Result, values, played.id)


def _singles(file: DatabaseFile) -> Mapping[int, list[records.SingleHand]]:
    """Return the hands of each batch, by the id of its match."""
    query = """
        SELECT match, CASE hand.winner WHEN 0 THEN points WHEN 1 THEN -points ELSE 0 END,
            luck, coalesce(score0, 0), coalesce(score1, 0)
        FROM hand JOIN match ON match = id WHERE batch IS NOT NULL ORDER BY match, game, number
    """
    singles = defaultdict[int, list[records.SingleHand]](list)
    with file.naming_errors:
        for match, points, luck, *score in file.scan(query):
            singles[match].append(check_row(records.SingleHand, {"points": points, "luck": luck, "score": score}, "hand"))
    return singles
