"""Cards as numbers, and their notation. Source: R1.1, R1.2.

A card is an int from 0 to 51 in deck order, and a set of cards is one 52-bit int in which bit ``suit * 13 + rank`` stands for a
card. Such a set has the same hash and order in every process, which a set of strings has not. Text uses notation: ``7h``.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Final

Card = int  # 0..51: clubs from ace to king, then diamonds, hearts, spades
Cards = int  # a set of cards: bit n stands for card n
Melds = tuple[Cards, ...]
LayOffs = tuple[tuple[Card, int], ...]  # a card, and the number of the knocker's meld it is laid on

RANKS = "A23456789TJQK"
SUITS = "cdhs"
NAMES: Final = tuple([rank + suit for suit in SUITS for rank in RANKS])
VALUES: Final = tuple([min(card % 13 + 1, 10) for card in range(52)])  # points of deadwood, R1.2
SUIT: Final = 0x1FFF  # the thirteen clubs
DECK: Final[Cards] = (1 << 52) - 1

_ACE: Final[Cards] = 1  # of clubs; in compiled code a literal 1 would be a C int of 32 bits
# the card by the remainder of its bit divided by 53, which is different for every card
_BY_REMAINDER: Final = [next((card for card in range(52) if (1 << card) % 53 == rest), 0) for rest in range(53)]
_NUMBERS = {name: number for number, name in enumerate(NAMES)}
_BITS = {name: 1 << number for number, name in enumerate(NAMES)}


def card(name: str) -> Card:
    """Return the card of a notation such as ``7h``. Raises: ValueError. Rule: R1.1."""
    try:
        return _NUMBERS[name]
    except KeyError:
        raise _not_a_card(name) from None


def _not_a_card(name: str) -> ValueError:
    return ValueError(f"{name!r} is not a card; expected a rank of {RANKS} and a suit of {SUITS}, as in 7h")


def cards(names: Collection[str]) -> Cards:
    """Return the set of the cards ``names``. Raises: ValueError, also for a card named twice."""
    if not names:
        return 0
    try:
        held: Cards = sum(map(_BITS.__getitem__, names))
    except KeyError as error:
        raise _not_a_card(error.args[0]) from None
    # The sum of n powers of two has n bits only if all of them differ.
    if held.bit_count() < len(names):
        raise ValueError(f"{next(name for name in names if list(names).count(name) > 1)!r} is named twice")
    return held


def in_order(names: Iterable[str]) -> tuple[Card, ...]:
    """Return the cards ``names``, in their order. Raises: ValueError."""
    try:
        return tuple(map(_NUMBERS.__getitem__, names))
    except KeyError as error:
        raise _not_a_card(error.args[0]) from None


def parse(text: str) -> Cards:
    """Return the cards of a text such as ``3c4c5c 7d``; spaces and commas are ignored. Raises: ValueError."""
    packed = text.replace(" ", "").replace(",", "")
    return cards([packed[at : at + 2] for at in range(0, len(packed), 2)])


def each(held: Cards) -> Iterator[Card]:
    """Return an iterator over the cards of a set, in deck order."""
    numbers = []  # compiled, a list is filled in a quarter of the time that a generator takes
    while held:
        low = held & -held
        numbers.append(_BY_REMAINDER[low % 53])
        held ^= low
    return iter(numbers)


def names(held: Cards) -> tuple[str, ...]:
    """Return the notation of each card of a set, in deck order."""
    if not held:
        return ()
    clubs, diamonds, hearts, spades = held & SUIT, held & SUIT << 13, held & SUIT << 26, held & SUIT << 39
    return _suit_names(clubs) + _suit_names(diamonds) + _suit_names(hearts) + _suit_names(spades)


def text(held: Cards) -> str:
    """Return the notation of a set as one word, ``3c4c5c``."""
    return "".join(names(held))


def bits(numbers: Iterable[Card]) -> Cards:
    """Return the set of some cards, each given as its number."""
    held = 0
    for number in numbers:
        held |= _ACE << number
    return held


@cache  # at most 4 x 8,192 small tuples
def _suit_names(held: Cards) -> tuple[str, ...]:
    return tuple(NAMES[number] for number in each(held))


# Cards as people read them, with the signs of their suits.

SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
NOTATION = re.compile(r"\b([A2-9TJQK])([cdhs])\b")
RED = re.compile(r"(?:10|[A2-9TJQK])[♦♥]")  # a diamond or heart as ``with_signs`` writes it


def with_signs(text: str) -> str:
    """Return a text with its cards as people read them: ``throw Th`` becomes ``throw 10♥``."""
    return NOTATION.sub(lambda found: f"{'10' if found[1] == 'T' else found[1]}{SIGNS[found[2]]}", text)
