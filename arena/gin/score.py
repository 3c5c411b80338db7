"""The endings of a hand, and what its points depend on. Source: R5, R6.5-R8.1."""

from enum import StrEnum

from msgspec import Struct

from arena.gin.facts import HandFacts, Seat


class Ending(StrEnum):
    """How a hand ended."""

    KNOCK = "knock"
    GIN = "gin"
    BIG_GIN = "big_gin"
    UNDERCUT = "undercut"
    DEAD = "dead"
    SHOWDOWN = "showdown"  # of R5.2
    FAULT = "fault"  # the referee ended it after a fault


class HandResult(Struct, frozen=True):
    """The result of a hand."""

    ending: Ending
    winner: Seat | None  # None: no winner, as of a dead hand
    points: int  # to the winner, bonuses included
    deadwood: tuple[int, int]  # of seat 0 and 1, after lay-offs


class Showdown(Struct, frozen=True):
    """The deadwood of both seats once their melds are on the table, after a knock or gin too."""

    called: Ending  # KNOCK, GIN, BIG_GIN or SHOWDOWN
    caller: Seat  # the seat that knocked or went gin; in a showdown, the seat that discarded last
    deadwood: tuple[int, int]  # of seat 0 and 1, after lay-offs
    facts: HandFacts = HandFacts(0)


def dead(deadwood: tuple[int, int]) -> HandResult:
    """Return the result of a dead hand. Rule: R5.1, R5.3."""
    return HandResult(Ending.DEAD, None, 0, deadwood)
