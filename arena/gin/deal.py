"""The deck that a seed, a key and a hand number give. Source: R2.1, R2.2.

Anyone can compute a deck again, in any language: take 1,024 bytes of SHAKE-256 over the UTF-8 text
``arena-deck-1|SEED|KEY|GAME|HAND`` (games and hands counted from 0). Start from the cards 0..51 in deck
order. For n from 51 down to 1, read bytes until one is below 256 - 256 % (n + 1); exchange the cards at
n and at that byte modulo n + 1.
"""

from hashlib import shake_256

from msgspec import Struct

from arena.gin.cards import Card

Deck = tuple[Card, ...]  # 52 cards as dealt by R2.1
Seat = int  # 0 or 1


class Deal(Struct, frozen=True):
    """What a hand starts from; with the actions it determines everything."""

    deck: Deck
    dealer: Seat


class Deals(Struct, frozen=True):
    """The endless deals of one key, the same for both legs of a pair."""

    seed: str  # the tournament's secret
    key: str  # of the pair

    def deck(self, game: int, hand: int) -> Deck:
        """Return the shuffled deck of one hand."""
        return shuffled(f"arena-deck-1|{self.seed}|{self.key}|{game}|{hand}")

    def score(self, hand: int, target: int) -> tuple[int, int]:
        """Return points of seat 0 and 1 below ``target``, at which a single hand may be played: SHAKE-256, four bytes for each."""
        drawn = shake_256(f"arena-score-1|{self.seed}|{self.key}|{hand}".encode()).digest(8)
        return int.from_bytes(drawn[:4], "big") % target, int.from_bytes(drawn[4:], "big") % target

    def first_dealer(self) -> Seat:
        """Return who deals the first hand of the match. Rule: R2.2."""
        return shake_256(f"arena-dealer-1|{self.seed}|{self.key}".encode()).digest(1)[0] & 1


def shuffled(text: str) -> Deck:
    """Return the 52 cards in the order that the module's docstring gives for ``text``."""
    stream = iter(shake_256(text.encode()).digest(1024))
    deck = list(range(52))
    for last in range(51, 0, -1):
        fair = 256 - 256 % (last + 1)
        byte = next(stream)
        while byte >= fair:
            byte = next(stream)
        other = byte % (last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    return tuple(deck)
