"""What a seat knew of the other's cards: those that it saw taken, refused and thrown, and its own that the other saw."""

from msgspec import Struct

from arena.gin.actions import UPCARD
from arena.gin.cards import Card, Cards, bits
from arena.gin.view import View

RECENT = 3  # cards refused, or thrown, that count as recent, and are stronger evidence than older ones


class Sight(Struct, frozen=True):
    """What a seat knows of the other's ten cards."""

    known: Cards  # that it took and still holds
    unseen: Cards  # in its hand or in the stock
    stock: int  # cards
    turn: int  # turns that the other has finished
    refused: tuple[Cards, Cards]  # upcards that it did not take, or took and threw later: the most recent ones, and older ones
    thrown: tuple[Cards, Cards]  # its throws that lie in the pile: the most recent ones, and older ones
    latest: tuple[Card, ...]  # the last two of them, the last one first
    live: Cards  # that it may hold or hope for: unseen ones, and those of this seat that it did not see taken
    shown: Cards  # that it saw this seat take, and that are still held
    dropped: Cards  # that this seat threw

    @property
    def hidden(self) -> int:
        """Return the number of the other's cards that this seat does not know."""
        return self.unseen.bit_count() - self.stock


def sight(view: View) -> Sight:
    """Return a seat's knowledge of the other's cards."""
    refused = [card for card in view.pile if view.threw[0] >> card & 1]
    refused = [*_first_refused(view), *refused]
    thrown = [card for card in view.pile if view.threw[1] >> card & 1]
    return Sight(
        known=view.opponent_holds,
        unseen=view.unseen,
        stock=view.stock,
        turn=view.threw[1].bit_count(),
        refused=_by_age(refused),
        thrown=_by_age(thrown),
        latest=tuple(thrown[:-3:-1]),
        live=view.unseen | view.cards & ~view.took[0],
        shown=view.took[0] & view.cards,
        dropped=view.threw[0],
    )


def _first_refused(view: View) -> tuple[Card, ...]:
    """Return the upcard of the deal, if it lies in the pile and the other seat has refused it. Rule: R3."""
    if not view.pile or (view.threw[0] | view.threw[1]) >> view.pile[0] & 1:
        return ()
    asked = view.dealer or (view.rules.first_turn == "upcard" and view.phase is not UPCARD)
    return view.pile[:1] if asked else ()


def _by_age(cards: list[Card]) -> tuple[Cards, Cards]:
    return bits(cards[-RECENT:]), bits(cards[:-RECENT])
