"""A record as rows of tables, and back; rows that were changed behind our back are refused."""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import json

from arena.gin.deal import Seat
from arena.gin.score import Ending
from arena.records import Fault, Fixture, GameRecord, HandRecord, MatchRecord, Usage

Row = tuple[Any, ...]


def match_row(record: MatchRecord) -> Row:
    """Return the row of a match, without its number."""
    fixture = record.fixture
    usage = json.encode(record.usage).decode()
    return (fixture.id, *fixture.seats, fixture.deals, fixture.hands, record.winner, record.forfeit, usage)


def game_rows(record: MatchRecord) -> Iterator[Row]:
    """Yield a row for each game, without the match's number."""
    for number, game in enumerate(record.games):
        yield number, game.winner, *game.totals


def hand_rows(record: MatchRecord) -> Iterator[Row]:
    """Yield a row for each hand, without the match's number."""
    for hand in record.hands:
        yield hand.game, hand.hand, hand.dealer, hand.actions, hand.ending.value, hand.winner, hand.points, *hand.deadwood


def fault_rows(record: MatchRecord) -> Iterator[Row]:
    """Yield a row for each fault, without the match's number."""
    for number, fault in enumerate(record.faults):
        yield number, json.encode(fault).decode()


def record_of(match: Row, games: Iterable[Row], hands: Iterable[Row], faults: Iterable[Row]) -> MatchRecord:
    """Return the record of some rows, all of them whole. Raises: ValueError, DecodeError."""
    _, fixture, zero, one, deals, batch, winner, forfeit, usage = match
    return MatchRecord(
        fixture=Fixture(fixture, (zero, one), deals, batch),
        winner=_seat_or_none(winner),
        hands=tuple(map(_hand, hands)),
        games=tuple(GameRecord(_seat(won), (zero, one)) for _, _, won, zero, one in games),
        faults=tuple(_fault(fault) for _, _, fault in faults),
        forfeit=_seat_or_none(forfeit),
        usage=json.decode(usage, type=tuple[Usage, Usage]),
    )


def _hand(row: Row) -> HandRecord:
    _, game, number, dealer, actions, ending, winner, points, zero, one = row
    return HandRecord(
        game=game,
        hand=number,
        dealer=_seat(dealer),
        actions=actions,
        ending=Ending(ending),
        winner=_seat_or_none(winner),
        points=points,
        deadwood=(zero, one),
    )


def _fault(text: str) -> Fault:
    fault = json.decode(text, type=Fault)
    _seat(fault.seat)
    return fault


def _seat_or_none(value: int | None) -> Seat | None:
    return None if value is None else _seat(value)


def _seat(value: int) -> Seat:
    if value not in (0, 1):
        raise ValueError(f"seat {value}; expected 0 or 1")
    return value
