"""Matches with everything that a page needs to show each turn of a hand, in a compact form.

The scripts of a page know no rules. They move the cards that an action names, and read here what follows from the rules: the phase
and the legal actions, how a hand is best arranged and what that leaves, what was laid down, and what the hand was worth.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from arena.gin.actions import Kind
from arena.gin.cards import NAMES
from arena.gin.facts import Seat
from arena.gin.match import FinishedGame, Phase
from arena.gin.score import Ending
from arena.records import Fault, Usage
from arena.reports.priced_turns import PricedTurn

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # one letter for each card
assert len(LETTERS) == len(NAMES)

LaidCards = tuple[list[tuple[str, ...]], list[tuple[str, int]], int]  # melds, lay-offs, deadwood


class Ruling(Struct, frozen=True, array_like=True):
    """The phase of a state of a hand, who acts and what is legal; a match has few different rulings."""

    phase: Phase
    seat: Seat  # that acts
    may: tuple[Kind, ...]
    may_discard: Literal["none", "all", "not drawn"]
    lay_offs: bool  # whether cards may be laid off on what the opponent laid


class PlayedHand(Struct, frozen=True, array_like=True):
    """A hand, from the deal to its end. It has a state for the deal, and one after each action."""

    game: int
    hand: int
    dealer: int
    cards: str  # in LETTERS: those of seat 0, those of seat 1, the upcard unless it was dealt (R3.5), and those that were drawn
    actions: str
    states: str  # the ruling of each state, as a character: its code is FIRST + the place in ``rulings`` of the match
    # the least deadwood of seats 0 and 1, then after each action that of the seat that acted; of eleven cards that of the best ten
    left: tuple[int, ...]
    melds: str  # where the best melds change: 2 * state + seat, and each meld in LETTERS after a point, as "0.ABC 7.ABCD.Gjw"
    laid: tuple[int | None, int | None]  # deadwood left to each seat after laying; None: it laid nothing
    shown: tuple[LaidCards, LaidCards] | None  # what each seat laid in a showdown, where no action says it
    called: Ending | None  # how cards came on the table: KNOCK, GIN, BIG_GIN or SHOWDOWN; None: they did not
    # V (arena.stats.luck) for seat 0 before and after each draw, and after each take, in half points: the first, then differences
    worth: tuple[int, ...]
    luck: float  # of seat 0, in points
    ending: Ending
    winner: int | None
    points: int
    deadwood: tuple[int, int]
    # of seat 0 and 1 before the hand; None: 0–0 in a batch, else the sum of the points of the hands before
    score: tuple[int, int] | None
    columns: tuple[tuple[int, int], ...]  # of three games at once before the hand (R9.6); empty: there is one game
    knock_limit: int
    multiplier: int
    terms: str  # both in words; empty: they are as in every hand
    spent: tuple[int, ...]  # processor time of the actor for each action, in units of 10 microseconds


FIRST = 48  # the code of the character of ruling 0


class PlayedNote(Struct, frozen=True, array_like=True):
    """What a bot said about an answer."""

    hand: int  # number of the match's hands, from 0
    turn: int  # number of the action in the hand, from 0
    text: str  # as the bot wrote it; the page shows it as text


class PlayedMatch(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match with its deals, games, faults and costs."""

    fixture: str
    name: str  # the fixture in words
    seats: tuple[str, str]
    batch: bool  # of single hands, each scored separately
    winner: int | None
    forfeit: int | None
    rulings: tuple[Ruling, ...]
    hands: list[PlayedHand]
    games: tuple[FinishedGame, ...]
    faults: tuple[Fault, ...]
    usage: tuple[Usage, Usage]
    notes: tuple[PlayedNote, ...] = ()
    review: tuple[PricedTurn, ...] | UnsetType = UNSET  # the reviewed decisions of its hands; UNSET: no hand was reviewed
