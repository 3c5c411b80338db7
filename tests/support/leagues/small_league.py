"""A league of three bots that have played some rounds."""

from support.leagues.events import joined, pair

from arena.league.rules.events import (
    AnyEvent,
)
from arena.league.rules.history import History
from arena.league.rules.ratings import RatingTerms
from arena.stats.pairs import Pair
from arena.stats.ratings import PointsRating

BOTS = ("ann", "ben", "cat")
POINTS = RatingTerms(rating=PointsRating())


def league(*more: AnyEvent, played: tuple[Pair, ...] = ()) -> History:
    events = [event for name in BOTS for event in joined(name, author=f"{name}s")]
    return History(events=(*events, *more), played=played, faults=())


def some_rounds(count: int) -> tuple[Pair, ...]:
    """Return rounds in which ann beats ben and ben beats cat."""
    both = [("ann@1", "ben@1"), ("ben@1", "cat@1"), ("ann@1", "cat@1")]
    return tuple(pair(*two, number, points=100 + number) for number in range(1, count + 1) for two in both)
