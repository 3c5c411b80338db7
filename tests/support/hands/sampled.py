"""Hands for the tests of reviews: random ones, and ones full of melds."""

from collections.abc import Iterator
from random import Random

from arena.gin.cards import Cards, bits


def hands(size: int, count: int, seed: str = "hands") -> Iterator[Cards]:
    """Yield sets of cards; half of them come from few ranks, and have many melds."""
    random = Random(seed)
    for number in range(count):
        low = random.randrange(8)
        pool = range(52) if number % 2 else [card for card in range(52) if low <= card % 13 < low + 6]
        yield bits(random.sample(pool, size))


def pairs(count: int, seed: str = "pairs") -> Iterator[tuple[Cards, Cards]]:
    """Yield two hands of ten cards from few ranks."""
    random = Random(seed)
    for _ in range(count):
        low = random.randrange(7)
        cards = random.sample([card for card in range(52) if low <= card % 13 < low + 7], 20)
        yield bits(cards[:10]), bits(cards[10:])


def corners(count: int, seed: str = "corners") -> Iterator[tuple[Cards, Cards]]:
    """Yield two hands of ten cards near both ends of the suits, where no run leads from the king to the ace."""
    random = Random(seed)
    for _ in range(count):
        cards = random.sample([card for card in range(52) if card % 13 < 3 or card % 13 > 9], 20)
        yield bits(cards[:10]), bits(cards[10:])


def related(card: int, other: int) -> bool:
    """Return whether two cards can be in one meld."""
    return card % 13 == other % 13 or (card // 13 == other // 13 and abs(card - other) <= 2)
