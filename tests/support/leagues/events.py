"""Leagues for tests: their events and results, made without playing."""

from collections.abc import Iterable, Iterator
from random import Random

from arena.league.rules import pairing, round_seeds
from arena.league.rules.events import (
    Activated,
    AnyEvent,
    Auditioned,
    Reason,
    Reinstated,
    Retired,
    RoundClosed,
    RoundOpened,
    SeasonOpened,
    Submitted,
    Suspended,
)
from arena.league.rules.field import Version, fold
from arena.league.rules.meetings import Meetings
from arena.stats.pairs import Pair
from arena.tournament.seeds import commitment

SECRET = "5" * 64
ROUNDS = 500


def moment(number: int) -> str:
    """Return the moment of an event, in order of the numbers."""
    return f"2026-01-{number // 1440 + 1:02}T{number // 60 % 24:02}:{number % 60:02}:00Z"


def joined(name: str, number: int = 1, author: str = "ann", at: int = 0) -> list[AnyEvent]:
    """Return the events of a version that is submitted and accepted."""
    version = f"{name}@{number}"
    return [
        Submitted(at=moment(at), version=version, author=author, digest=commitment(version), entry="bot.yaml"),
        Auditioned(at=moment(at), version=version, passed=True),
        Activated(at=moment(at), version=version),
    ]


def refused(name: str, number: int, at: int) -> list[AnyEvent]:
    """Return the events of a submission that fails its audition."""
    failed = Auditioned(at=moment(at), version=f"{name}@{number}", passed=False, reason=Reason(detail="crash"))
    return [*joined(name, number, at=at)[:1], failed]


def some_history(chance: Random, steps: int) -> Iterator[AnyEvent]:
    """Yield events of a league in which anything may happen, each at a minute of its own."""
    events: list[AnyEvent] = [SeasonOpened(at=moment(0), season=1, rounds=ROUNDS, commitment=round_seeds.commit(SECRET, ROUNDS))]
    for step in range(1, steps):
        events += _next(events, chance, step)
    yield from events


def _next(events: list[AnyEvent], chance: Random, step: int) -> list[AnyEvent]:
    field, at = fold(events), moment(step)
    opened = [event for event in events if isinstance(event, RoundOpened)]
    closed = [event for event in events if isinstance(event, RoundClosed)]
    name = chance.choice("abcdef")
    number, some = len(field.of(name)) + 1, chance.choice(field.versions).id if field.versions else ""
    changes: list[AnyEvent] = [
        Suspended(at=at, version=some, reason=chance.choice((Reason("faults"), Reason("faults", "crash"))), fixture="r1/x/0/0"),
        Retired(at=at, version=some),
        Reinstated(at=at, version=some),
    ]
    if chance.random() < 0.4:
        return joined(name, number, at=step) if chance.random() < 0.8 else refused(name, number, step)
    if some and chance.random() < 0.4:
        return [chance.choice(changes)]
    if len(opened) > len(closed):
        return [RoundClosed(at=at, round=len(opened), seed=round_seeds.seed(SECRET, ROUNDS, len(opened)))]
    pairings = pairing.pairings(field.active, Meetings(), {}, len(opened) + 1, pairing.PairingPolicy(), "order")
    return [round_opened(len(opened) + 1, pairings, at)]


def round_opened(number: int, pairings: Iterable[tuple[str, str]], at: str = "2026-01-01T00:00:00Z") -> RoundOpened:
    """Return a round."""
    return RoundOpened(
        at=at, round=number, commitment=round_seeds.seed(SECRET, ROUNDS, number - 1), pairings=tuple(pairings), pairs=1
    )


def pair(one: str, other: str, number: int, outcome: int = 1, points: int = 100) -> Pair:
    """Return a pair of matches in a round, won twice by ``one`` for an outcome of 1."""
    first, second, sign = (one, other, outcome) if one < other else (other, one, -outcome)
    won = (1 + sign, 1 - sign)
    return Pair(
        entrant=first,
        opponent=second,
        deals=f"r{number}/{first}:{second}/0",
        batch=False,
        legs=2,
        matches=won,
        games=won,
        points=(points * (sign > 0), points * (sign < 0)),
        capped_points=sign * points,
        hands=40,
    )


def versions(count: int) -> list[Version]:
    """Return active versions of different bots."""
    field = fold(event for number in range(count) for event in joined(f"b{number:03}", author=f"author-{number}"))
    return list(field.active)
