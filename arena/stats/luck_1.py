"""Version 1 of V: its inputs and its network. Never change it: runs keep the version with which they began."""

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from msgspec import json

from arena.gin.cards import VALUES, Card, Cards, bits, each
from arena.gin.match import Hand
from arena.gin.melds import best_throws, completes, deadwood
from arena.stats.games import Array
from arena.train.card_arrays import completing_cards

INPUTS = 10  # of version 1


def network(inputs: Array) -> Array:
    """Return version 1 of V, in points, for rows of inputs (rows x INPUTS)."""
    layers = _layers()
    for weights, biases in layers[:-1]:
        inputs = np.maximum(inputs @ weights + biases, 0.0)
    weights, biases = layers[-1]
    return np.asarray((inputs @ weights + biases)[:, 0])


def inputs(hand: Hand, card: Card) -> tuple[float, ...]:
    """Return the inputs of V if the seat to move draws ``card`` and then discards the card that leaves the least deadwood."""
    return tuple(rows([hand], [[card]])[0].tolist())


def rows(hands: Sequence[Hand], possible: Sequence[Sequence[Card]]) -> Array:
    """Return a row of inputs for each ``possible`` card of each hand, in their order."""
    before = [_before(hand) for hand in hands]
    own, worst, without_worst, own_deadwood, theirs, outs, their_outs, stock, turn, limit = np.repeat(
        np.array(before), [len(cards) for cards in possible], axis=0
    ).T
    cards = np.array([card for several in possible for card in several])
    card = 1 << cards
    # where the card fits no meld, keeping it adds exactly its own points
    keeps = without_worst + np.array(VALUES)[cards] < own_deadwood
    thrown, points = np.where(keeps, worst, card), np.where(keeps, without_worst + np.array(VALUES)[cards], own_deadwood)
    for at in np.flatnonzero(outs & card):
        best, points[at] = _best_discard(int(own[at] | card[at]))
        thrown[at] = 1 << best
    live = stock & ~card
    knocks = (points > 0) & (points <= limit)
    gain = theirs - points
    columns = (
        points / 20,
        theirs / 20,
        np.bitwise_count(live) / 20,
        np.bitwise_count(np.where(thrown == card, outs, completing_cards((own | card) & ~thrown)) & live) / 5,
        np.bitwise_count(their_outs & live) / 5,
        points == 0,
        knocks,
        np.where(knocks, np.where(gain > 0, gain / 20, -1.0), 0.0),  # -1: undercut
        their_outs & thrown != 0,
        turn / 10,
    )
    return np.column_stack(columns)


class _BeforeDraw(NamedTuple):
    """The part of the inputs that does not depend on the card drawn."""

    own: Cards
    worst: Cards  # the card whose discard leaves the least deadwood
    without_worst: int  # deadwood after that discard
    deadwood: int  # of ``own``
    their_deadwood: int
    outs: Cards  # that complete a meld with ``own``
    their_outs: Cards  # likewise, of the opponent
    stock: Cards
    turn: int  # discards that the player has made
    knock_limit: int


def _before(hand: Hand) -> _BeforeDraw:
    own, theirs = hand.cards[hand.seat], hand.cards[1 - hand.seat]
    worst, left = _best_discard(own)
    stock, turn = bits(hand.deck[hand.top : hand.bottom]), hand.threw[hand.seat].bit_count()
    outs, limit = (completes(own), completes(theirs)), hand.terms.knock_limit
    return _BeforeDraw(own, 1 << worst, left, deadwood(own), deadwood(theirs), *outs, stock, turn, limit)


# cached, because a bot that throws what it drew holds the same cards at its next draw
@lru_cache(4096)
def _best_discard(cards: Cards) -> tuple[Card, int]:
    """Return the discard that leaves the least deadwood, and that deadwood; among equals the most points, then the lowest card."""
    left, best = best_throws(cards, cards)
    return max(each(best), key=VALUES.__getitem__), left


@cache
def _layers() -> tuple[tuple[Array, Array], ...]:
    """Return the layers of version 1: a row of weights for each input, and biases."""
    found = json.decode(files("arena.stats").joinpath("luck_1.json").read_bytes())
    return tuple((np.array(rows), np.array(biases)) for rows, biases in found["layers"])
