"""What is known of a hand before it is played: the score, the dealer and the upcard. Source: R2, R9.

The rules of a hand may depend on it (:meth:`arena.gin.rules.Rules.terms`), and both players know all of it.
"""

from typing import Annotated

from msgspec import Meta, Struct

from arena.gin.cards import Card

Seat = int  # 0 or 1
SeatNumber = Annotated[Seat, Meta(ge=0, le=1)]  # with its bounds, which are checked where a value is read
Total = Annotated[int, Meta(ge=0, le=10**15)]  # points of a game or a match: up to a million hands


class GameScore(Struct, frozen=True):
    """The points of a game, without those that its end adds; of three games at once each has its own (R9.6)."""

    points: tuple[int, int] = (0, 0)  # of seat 0 and 1
    won: tuple[int, int] = (0, 0)  # hands of seat 0 and 1 that count in this game
    hands: int = 0  # played while it was open, those included that count in another game only


class Scoreline(Struct, frozen=True):
    """The score of a match before a hand, by default before its first."""

    game: int = 0  # counted from 0
    hand: int = 0  # of the game, counted from 0
    score: tuple[int, int] = (0, 0)  # points in this game, of seat 0 and 1; of three games at once, in the first that is not over
    games: tuple[int, int] = (0, 0)  # games won, of seat 0 and 1
    columns: tuple[GameScore, ...] = ()  # the three games at once (R9.6); empty: there is one


class HandFacts(Struct, frozen=True):
    """What both players know of a hand before its first turn."""

    dealer: Seat
    upcard: Card | None = None  # the first one; None: none is turned (R3.5), or it is not known
    before: Scoreline = Scoreline()
