"""Decks and first dealers, computed from a seed, a key and the numbers of a game and a hand. Source: R2.1, R2.2.

Both can be recomputed in any language. The deck: shuffle by the text ``arena-deck-1|SEED|KEY|GAME|HAND`` (games and hands counted
from 0), as ``arena.gin.shuffling`` says. The first dealer of a game: the lowest bit of the first byte of SHAKE-256 over the UTF-8
text ``arena-dealer-1|SEED|KEY``; in games of odd number the other seat.
"""

from hashlib import shake_256

from msgspec import Struct

from arena.gin.facts import Scoreline, Seat
from arena.gin.shuffling import Deck, shuffle


class Deal(Struct, frozen=True):
    """The start of a hand; with the rules and the actions it determines the whole hand."""

    deck: Deck
    dealer: Seat
    before: Scoreline = Scoreline()  # the score, on which the terms of a hand may depend (R2.5)


class Deals(Struct, frozen=True):
    """All deals of one key; both legs of a pair use the same."""

    seed: str  # the tournament's secret
    key: str  # of the pair

    def deck(self, game: int, hand: int) -> Deck:
        """Return the shuffled deck of one hand."""
        return shuffle(f"arena-deck-1|{self.seed}|{self.key}|{game}|{hand}")

    def score(self, hand: int, target: int) -> tuple[int, int]:
        """Return the score at which a single hand begins, as in the middle of a game: for each seat 0 to ``target`` - 1 points."""
        digest = shake_256(f"arena-score-1|{self.seed}|{self.key}|{hand}".encode()).digest(8)
        return int.from_bytes(digest[:4], "big") % target, int.from_bytes(digest[4:], "big") % target

    def first_dealer(self, game: int = 0) -> Seat:
        """Return the first dealer of a game, counted from 0; from game to game the seats alternate. Rule: R2.2."""
        byte = shake_256(f"arena-dealer-1|{self.seed}|{self.key}".encode()).digest(1)[0]
        return (byte ^ game) & 1
