"""The state of a hand, which ``arena.gin.moves`` changes and ``arena.gin.match`` plays. Source: R2-R8."""

from msgspec import Struct

from arena.gin.actions import Laid, Phase
from arena.gin.cards import Card, Cards
from arena.gin.facts import HandFacts, Seat
from arena.gin.rules import HandTerms, Rules
from arena.gin.score import Ending, HandResult
from arena.gin.shuffling import Deck


class Situation(Struct, frozen=True):
    """A hand at one moment. ``seat`` acts next, unless ``phase`` is OVER and ``result`` is set."""

    rules: Rules
    facts: HandFacts
    terms: HandTerms  # in force in this hand; the rules give them by the facts (R2.5)
    deck: Deck
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

    @property
    def dealer(self) -> Seat:
        """Return the seat that dealt."""
        return self.facts.dealer
