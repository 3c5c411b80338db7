"""A card is an int 0..51 in deck order; cards are one 52-bit int; people read ``7h``.

Bit ``suit * 13 + rank`` stands for a card, so that cards are a value: they hash, compare and
iterate in one order in every process. Source: R1.1, R1.2.
"""

from collections.abc import Collection, Iterable, Iterator
from functools import cache

Card = int  # 0..51: clubs from ace to king, then diamonds, hearts, spades
Cards = int  # a set of cards: bit n stands for card n
Melds = tuple[Cards, ...]
LayOffs = tuple[tuple[Card, int], ...]  # a card, and the number of the knocker's meld it is laid on

RANKS = "A23456789TJQK"
SUITS = "cdhs"
NAMES = tuple(rank + suit for suit in SUITS for rank in RANKS)
VALUES = tuple(min(card % 13 + 1, 10) for card in range(52))  # points of deadwood, R1.2
SUIT = 0x1FFF  # the thirteen cards of the lowest suit
DECK: Cards = (1 << 52) - 1

_NUMBERS = {name: number for number, name in enumerate(NAMES)}
_BITS = {name: 1 << number for number, name in enumerate(NAMES)}


def card(name: str) -> Card:
    """Return the card that is written ``name``. Raises: ValueError. Rule: R1.1."""
    try:
        return _NUMBERS[name]
    except KeyError:
        raise _no_card(name) from None


def _no_card(name: str) -> ValueError:
    return ValueError(f"{name!r} is no card; a card is a rank of {RANKS} and a suit of {SUITS}, as 7h")


def cards(names: Collection[str]) -> Cards:
    """Return the set of the cards ``names``. Raises: ValueError, also for a card named twice."""
    try:
        held: Cards = sum(map(_BITS.__getitem__, names))
    except KeyError as error:
        raise _no_card(error.args[0]) from None
    if held.bit_count() < len(names):  # a sum of powers of two has a bit for each only if no two are the same
        raise ValueError(f"{next(name for name in names if list(names).count(name) > 1)!r} is named twice")
    return held


def in_order(names: Iterable[str]) -> tuple[Card, ...]:
    """Return the cards ``names``, in their order. Raises: ValueError."""
    try:
        return tuple(map(_NUMBERS.__getitem__, names))
    except KeyError as error:
        raise _no_card(error.args[0]) from None


def parse(text: str) -> Cards:
    """Return the cards of a text such as ``3c4c5c 7d``; spaces and commas do not count. Raises: ValueError."""
    packed = text.replace(" ", "").replace(",", "")
    return cards([packed[at : at + 2] for at in range(0, len(packed), 2)])


def each(held: Cards) -> Iterator[Card]:
    """Yield the cards of a set in deck order."""
    while held:
        low = held & -held
        yield low.bit_length() - 1
        held ^= low


def names(held: Cards) -> tuple[str, ...]:
    """Return how the cards of a set are written, in deck order."""
    if not held:
        return ()
    clubs, diamonds, hearts, spades = held & SUIT, held & SUIT << 13, held & SUIT << 26, held & SUIT << 39
    return _suit_names(clubs) + _suit_names(diamonds) + _suit_names(hearts) + _suit_names(spades)


def text(held: Cards) -> str:
    """Return the cards of a set as one word, ``3c4c5c``."""
    return "".join(names(held))


def bits(several: Iterable[Card]) -> Cards:
    """Return the set of some cards."""
    held = 0
    for one in several:
        held |= 1 << one
    return held


@cache  # four times 8,192 small tuples at the most
def _suit_names(held: Cards) -> tuple[str, ...]:
    return tuple(NAMES[one] for one in each(held))
