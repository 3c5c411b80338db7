"""A hand at one moment, as a value without rules."""

from msgspec import Struct

from arena.gin.actions import Laid, Phase
from arena.gin.cards import Card, Cards
from arena.gin.deal import Seat
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult
from arena.gin.shuffling import Deck


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
    threw: tuple[Cards, Cards] = (0, 0)  # every card that each seat has discarded
    called: Ending | None = None  # KNOCK, GIN, BIG_GIN or SHOWDOWN, once cards are on the table
    laid: tuple[Laid | None, Laid | None] = (None, None)
    result: HandResult | None = None
