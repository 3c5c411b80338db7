"""What one seat may see of a hand. Source: R4.4.

Players get views and outcomes, never a ``Hand``, so what is not here stays hidden. Of each pair the seat's own value comes first,
the opponent's second.

The repr of views and outcomes has cards in notation instead of numbers, for an author who prints them.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from arena.gin.actions import Kind
from arena.gin.cards import DECK, NAMES, Card, Cards, LayOffs, Melds, bits, each, text
from arena.gin.match import Phase
from arena.gin.melds import deadwood
from arena.gin.rules import Rules
from arena.gin.score import Ending

Writer = Callable[[Any], object]  # from a field's value to the value shown


def readable(value: Struct, writers: Mapping[str, Writer]) -> str:
    """Return the repr of a Struct with the fields named in ``writers`` formatted by them."""
    shown = {name: writers[name](field) if name in writers else field for name, field in asdict(value).items()}
    return f"{type(value).__name__}({', '.join(f'{name}={field!r}' for name, field in shown.items())})"


def _card(number: Card | None) -> str | None:
    """Return ``3c``, or None."""
    return None if number is None else NAMES[number]


def _in_order(pile: Iterable[Card]) -> str:
    """Return ``Kc 8d``: a pile, its top last."""
    return " ".join(NAMES[number] for number in pile)


def _each_cards(sets: tuple[Cards, ...]) -> tuple[str, ...]:
    """Return ``("3c4c5c", "7d7h7s")``."""
    return tuple(map(text, sets))


def _both_melds(pair: tuple[Melds, Melds]) -> tuple[tuple[str, ...], ...]:
    """Return ``(("3c4c5c", "7d7h7s"), ())``."""
    return tuple(map(_each_cards, pair))


def _lay_offs(laid: LayOffs) -> tuple[tuple[str, int], ...]:
    """Return ``(("6c", 0),)``: a card and the number of the meld it is laid on."""
    return tuple((NAMES[card], meld) for card, meld in laid)


class Knocker(Struct, frozen=True):
    """What the knocker has laid, as the defender sees it."""

    melds: Melds
    deadwood: int  # points
    lay_offs: bool  # deadwood may be laid off on the melds (R7.2, R8.1)

    def __repr__(self) -> str:
        """Return it with its cards in notation."""
        return readable(self, {"melds": _each_cards})


class View(Struct, frozen=True, kw_only=True):
    """A hand as seen by one seat. During a hand, an empty ``may`` means that the other seat acts."""

    rules: Rules
    game: int  # of the match, counted from 0
    hand: int  # of the game, counted from 0
    score: tuple[int, int]  # points in this game; of three games at once, in the first that is not over
    columns: tuple[tuple[int, int], ...] = ()  # points in each of three games at once (R9.6); empty: there is one game
    games: tuple[int, int]  # games won in this match
    knock_limit: int  # points of deadwood that a knock may leave in this hand, at most (R6.1, R6.7)
    multiplier: int = 1  # the points of this hand count so many times (R2.5)
    dealer: bool  # I dealt
    phase: Phase
    may: tuple[Kind, ...]  # the kinds of action that are legal now
    cards: Cards  # mine
    may_discard: Cards  # those of mine that may be discarded now, openly or with a knock
    drawn: Card | None  # the card that I drew or took in this turn
    pile: tuple[Card, ...]  # the discard pile, its top last
    stock: int  # the number of cards left in the stock
    took: tuple[Cards, Cards]  # every card that each has taken from the discard pile
    threw: tuple[Cards, Cards]  # every card that each has discarded openly
    knocker: Knocker | None  # phase LAY_OFF: what the opponent laid

    @property
    def upcard(self) -> Card:
        """Return the top of the discard pile. Raises: IndexError, if the pile is empty."""
        return self.pile[-1]

    @property
    def opponent_holds(self) -> Cards:
        """Return the cards that the opponent took from the discard pile and has not openly discarded since.

        In phase LAY_OFF it may have discarded one of them face down.
        """
        return self.took[1] & ~self.cards & ~bits(self.pile)

    @property
    def unseen(self) -> Cards:
        """Return the cards whose place I do not know: they are in the stock or the opponent's.

        In phase LAY_OFF they include the card that the opponent discarded face down, and the melds that it laid.
        """
        return DECK & ~self.cards & ~bits(self.pile) & ~self.opponent_holds

    @property
    def may_knock(self) -> Cards:
        """Return the cards that may be discarded with a knock now, if no melds are declared. Rule: R6.1, R6.2."""
        if "knock" not in self.may:
            return 0
        return bits(card for card in each(self.may_discard) if deadwood(self.without(card)) <= self.knock_limit)

    def without(self, card: Card) -> Cards:
        """Return my cards less one of them."""
        return self.cards & ~(1 << card)

    def __repr__(self) -> str:
        """Return it with its cards in notation and the rules as their name."""
        return readable(self, _VIEW_WRITERS)


class Outcome(Struct, frozen=True, kw_only=True):
    """A finished hand as seen by one seat; both players' cards are open."""

    game: int
    hand: int
    ending: Ending
    won: bool | None  # None: no winner, as of a dead hand
    points: int  # to the winner
    multiplier: int = 1  # how many times the hand counted in ``points`` (R2.5)
    cards: tuple[Cards, Cards]
    melds: tuple[Melds, Melds]
    lay_offs: LayOffs  # the defender's, on the other's melds
    deadwood: tuple[int, int]
    score: tuple[int, int]  # points in the game, this hand included; of three games at once, in the first that is not over
    columns: tuple[tuple[int, int], ...] = ()  # points in each of three games at once, this hand included; empty: there is one game
    games: tuple[int, int]  # games won in the match, one that this hand ended included

    def __repr__(self) -> str:
        """Return it with its cards in notation."""
        return readable(self, _OUTCOME_WRITERS)


_VIEW_WRITERS: dict[str, Writer] = {
    "rules": attrgetter("name"),
    "phase": str,
    "cards": text,
    "may_discard": text,
    "drawn": _card,
    "pile": _in_order,
    "took": _each_cards,
    "threw": _each_cards,
}
_OUTCOME_WRITERS: dict[str, Writer] = {
    "ending": str,
    "cards": _each_cards,
    "melds": _both_melds,
    "lay_offs": _lay_offs,
}
