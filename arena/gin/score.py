"""The state of a hand, its endings, and the score of a finished one. Source: R5, R6.5-R8.1."""

from enum import StrEnum

from msgspec import Struct

from arena.gin.actions import Laid, Phase
from arena.gin.cards import Card, Cards
from arena.gin.deal import Seat
from arena.gin.rules import Rules
from arena.gin.shuffling import Deck


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


def dead(deadwood: tuple[int, int]) -> HandResult:
    """Return the result of a dead hand. Rule: R5.1, R5.3."""
    return HandResult(Ending.DEAD, None, 0, deadwood)


def score(show: Showdown, rules: Rules) -> HandResult:
    """Return the result of a hand whose melds are laid. Rule: R5.2, R6.5-R8.1."""
    defender_deadwood = show.deadwood[1 - show.caller]
    match show.called:
        case Ending.SHOWDOWN:
            return _compare(show, rules)
        case Ending.GIN:
            extra = defender_deadwood if rules.gin_deadwood else 0
            return HandResult(Ending.GIN, show.caller, rules.gin_bonus + extra, show.deadwood)
        case Ending.BIG_GIN:
            extra = defender_deadwood if rules.big_gin_deadwood else 0
            return HandResult(Ending.BIG_GIN, show.caller, (rules.big_gin_bonus or 0) + extra, show.deadwood)
        case _:
            return _knock(show, rules)


def _knock(show: Showdown, rules: Rules) -> HandResult:
    """Score the difference to the knocker, or to the defender after an undercut. Rule: R6.5, R6.6."""
    margin = show.deadwood[1 - show.caller] - show.deadwood[show.caller]
    if margin > 0:
        return HandResult(Ending.KNOCK, show.caller, margin, show.deadwood)
    if margin < 0:
        return HandResult(Ending.UNDERCUT, 1 - show.caller, rules.undercut_bonus - margin, show.deadwood)
    if rules.tie == "nothing":
        return HandResult(Ending.KNOCK, None, 0, show.deadwood)
    bonus = rules.undercut_bonus if rules.tie_bonus is None else rules.tie_bonus
    return HandResult(Ending.UNDERCUT, 1 - show.caller, bonus, show.deadwood)


def _compare(show: Showdown, rules: Rules) -> HandResult:
    """Score the difference to the seat with less deadwood, plus the gin bonus if its deadwood is 0. Rule: R5.2."""
    zero, one = show.deadwood
    if zero == one:
        return HandResult(Ending.SHOWDOWN, None, 0, show.deadwood)
    winner = 0 if zero < one else 1
    bonus = 0 if show.deadwood[winner] else rules.gin_bonus
    return HandResult(Ending.SHOWDOWN, winner, abs(zero - one) + bonus, show.deadwood)


class Situation(Struct, frozen=True):
    """A hand at one moment. ``seat`` acts next, unless ``phase`` is OVER and ``result`` is set."""

    rules: Rules
    deck: Deck
    dealer: Seat
    phase: Phase
    seat: Seat
    cards: tuple[Cards, Cards]  # of seat 0 and 1
    pile: tuple[Card, ...]  # the discard pile, its top last
    top: int = 21  # deck[top:bottom] is the stock
    bottom: int = 52
    drawn: Card | None = None  # the card drawn or taken in this turn
    taken: bool = False  # ``drawn`` came from the discard pile
    passes: int = 0  # in the upcard sequence
    takes: int = 0  # from the discard pile, both seats together (R5.3)
    took: tuple[Cards, Cards] = (0, 0)  # every card that each seat has taken from the discard pile
    threw: tuple[Cards, Cards] = (0, 0)  # every card that each seat has discarded openly
    called: Ending | None = None  # KNOCK, GIN, BIG_GIN or SHOWDOWN, once cards are on the table
    laid: tuple[Laid | None, Laid | None] = (None, None)
    result: HandResult | None = None
