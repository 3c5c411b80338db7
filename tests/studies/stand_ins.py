"""What stands in for matches where only their number matters; workers import it, so it is a module of its own."""

import time
from functools import cache

from msgspec.structs import replace

from arena.gin.rules import Rules
from arena.limits import FaultCosts
from arena.players.base import InlinePlayer
from arena.records import Fixture, MatchRecord
from arena.referee.job import Job, play_between
from arena_bots.greedy import Greedy

SPENT = 137  # microseconds of an action, which a player in this process does not measure
SECONDS = 0.5  # that a sleeping fixture takes


@cache
def played(deals: str, seed: str) -> MatchRecord:
    """Return the record of one short match between two bots in this process."""
    players = (InlinePlayer(Greedy(seed).answer), InlinePlayer(Greedy(seed).answer))
    record = play_between(players, Fixture(deals, ("a", "b"), deals), Rules(target=100, best_of=1), FaultCosts(), seed)
    return replace(record, hands=tuple(replace(hand, spent=(SPENT,) * len(hand.actions.split())) for hand in record.hands))


def no_match(asked: Job) -> MatchRecord:
    """Return a record at once."""
    return replace(played("deals", "seed"), fixture=asked.fixture)


def sleep(asked: Job) -> MatchRecord:
    """Return a record after some time without work."""
    time.sleep(SECONDS)
    return no_match(asked)
