"""Builders of records: what the numbers are counted from."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from arena.gin.score import Ending
from arena.records import Fault, Fixture, GameRecord, HandRecord, MatchRecord, Usage
from arena.stats.tally import Counting, Tally


def match(
    zero: str,
    one: str,
    *,
    deals: str = "d",
    winner: int | None = 0,
    points: Sequence[int] = (),
    games: Sequence[int] = (),
    endings: Sequence[Ending] = (),
    faults: Sequence[Fault] = (),
    usage: tuple[Usage, Usage] = (Usage(), Usage()),
) -> MatchRecord:
    """Return a match; ``points`` are the hands', positive for seat 0 and negative for seat 1."""
    return MatchRecord(
        fixture=Fixture(f"{deals}/{zero}-{one}", (zero, one), deals),
        winner=winner,
        hands=hands(points, endings),
        games=tuple(GameRecord(seat, (0, 0)) for seat in games),
        faults=tuple(faults),
        usage=usage,
    )


def batch(zero: str, one: str, points: Sequence[int], *, deals: str = "d") -> MatchRecord:
    """Return a batch of single hands."""
    fixture = Fixture(f"{deals}/{zero}-{one}", (zero, one), deals, len(points))
    return MatchRecord(fixture=fixture, winner=None, hands=hands(points), games=())


def hands(points: Sequence[int], endings: Sequence[Ending] = ()) -> tuple[HandRecord, ...]:
    """Return hands that ended as ``endings`` say, the others by a knock; nobody scores a dead one."""
    kinds = [*endings, *[Ending.KNOCK if net else Ending.DEAD for net in points[len(endings) :]]]
    return tuple(hand(number, net, ending) for number, (net, ending) in enumerate(zip(points, kinds, strict=True)))


def hand(number: int, points: int, ending: Ending) -> HandRecord:
    """Return a hand won by seat 0 if ``points`` are positive and by seat 1 if they are negative."""
    winner = None if points == 0 else int(points < 0)
    return HandRecord(
        game=0, hand=number, dealer=number % 2, actions="", ending=ending, winner=winner, points=abs(points), deadwood=(0, 0)
    )


def untimed(record: MatchRecord) -> MatchRecord:
    """Return a record without the times, which differ from run to run."""
    decisions = (Usage(record.usage[0].decisions), Usage(record.usage[1].decisions))
    return replace(record, usage=decisions, hands=tuple(replace(hand, spent=()) for hand in record.hands))


def counted(records: Iterable[MatchRecord]) -> Tally:
    """Return the tally of some records."""
    counting = Counting()
    for record in records:
        counting.add(record)
    return counting.tally()
