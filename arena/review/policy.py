"""The frozen policy of the rollouts: how a simulated seat throws and takes. Its constants are versioned, never tuned on a review.

A throw is chosen by the deadwood it leaves, by the live cards that would make a meld afterwards, and by the melds that the other
seat may make with it; all in thousandths of a point, as integers, so that every machine chooses the same. The upcard is taken if it
makes a meld and leaves less deadwood. The other seat takes by the same rule; how it throws and when it knocks are its habits
(:mod:`arena.review.habits`).
"""

from typing import Final

import numpy as np
from msgspec import Struct

from arena.gin.cards import DECK
from arena.review.vectors import BIT, VALUE, Flags, Floats, Ints, after_throws, counts, meldable
from arena.train.rollout_memory import DEAREST_FIRST, KNOWN_PAIR, NOISES, OUTS, PAIR
from arena.train.sets import NOT_ACE, NOT_HIGH, NOT_KING, NOT_LOW, completes

VERSION: Final = 5  # of this module and of the estimator; a price is stored with it

FORBIDDEN: Final = 1 << 40


class Throws(Struct, frozen=True, eq=False):
    """What matters of each throw (hands x cards)."""

    left: Ints  # deadwood after it
    outs: Ints  # live cards that would make a meld afterwards
    pairs: Ints  # of unseen cards that would make a meld with it
    known_pairs: Ints  # the same, of which the other seat is known to hold one
    value: Ints  # points of the card

    def costs(self) -> Ints:
        """Return the policy's cost of each throw, in thousandths of a point; the lowest is thrown."""
        danger = PAIR * self.pairs + KNOWN_PAIR * self.known_pairs
        return np.asarray(1000 * self.left - OUTS * self.outs + danger - DEAREST_FIRST * self.value)


def throws(held: Ints, cards: Ints, left: Ints, dead: Ints, known: Ints) -> Throws:
    """Return the features of each throw of ``cards`` (hands x 11).

    ``held`` are eleven cards, ``left`` the deadwood after each throw, ``dead`` the discard pile, ``known`` the cards that the other
    seat took and holds.
    """
    rest = held[:, None] & ~BIT[cards]
    live = ~(held | dead | known)[:, None]
    known_pairs = np.zeros_like(cards)
    informed = np.flatnonzero(known)
    if len(informed):
        known_pairs[informed] = _pairs_with(known[informed], (DECK & ~(held | dead))[informed], cards[informed])
    return Throws(left, counts(completes(rest) & live), _pairs(DECK & ~(held | dead), cards), known_pairs, VALUE[cards])


def _pairs(possible: Ints, cards: Ints) -> Ints:
    """Return the number of pairs of ``possible`` cards that make a meld with each card."""
    return _sum_at([one & other for one, other in partners(possible)], cards)


def _pairs_with(known: Ints, possible: Ints, cards: Ints) -> Ints:
    """Return the number of pairs of possible cards, one or both of them known, that make a meld with each card."""
    both = zip(partners(known), partners(possible), strict=True)
    return _sum_at([k1 & p2 | p1 & k2 for (k1, k2), (p1, p2) in both], cards)


def partners(held: Ints) -> list[tuple[Ints, Ints]]:
    """Return, for the six pairs that make a meld of three with a card, whether each of the two is held: bit n for card n."""
    below, lower = held << 1 & NOT_ACE, held << 2 & NOT_LOW
    above, higher = held >> 1 & NOT_KING, held >> 2 & NOT_HIGH
    first, second, third = (_next_suit(held, by) for by in (13, 26, 39))
    return [(below, lower), (below, above), (above, higher), (first, second), (first, third), (second, third)]


def _next_suit(held: Ints, by: int) -> Ints:
    return np.asarray((held >> by | held << 52 - by) & DECK)


def _sum_at(masks: list[Ints], cards: Ints) -> Ints:
    total = np.zeros(cards.shape, np.int64)
    for mask in masks:
        total += mask[:, None] >> cards & 1
    return total


def wants(held: Ints, deadwood: Ints, upcard: Ints, cards: Ints) -> Flags:
    """Return a mask of the seats that take the upcard; ``cards`` are ``held`` and the upcard as numbers (hands x 11)."""
    left = after_throws(held | BIT[upcard], cards)
    left[cards == upcard[:, None]] = FORBIDDEN
    return np.asarray(left.min(axis=1) < deadwood)


# How a player with habits throws: what matters of each throw, and how much a player likes it by some weights.
#
# It throws what it likes best. A random part of the liking has the Gumbel distribution, so each card is thrown with a chance in
# proportion to exp(the rest of the liking), and the weights can be fitted as those of a choice (:mod:`arena.review.fitting`).

NOISE: Final[Floats] = np.random.Generator(np.random.PCG64(2)).gumbel(size=(NOISES, 52))


def matters(held: Ints, cards: Ints, left: Ints, dead: Ints, known: Ints) -> tuple[Ints, ...]:
    """Return the features of each throw of ``cards`` (hands x 11): those of the policy, and two of the cards kept.

    These are how many of them are in possible melds, and in how many ways two of the others would make a meld with a live card. The
    arguments are those of :func:`arena.review.policy.throws`.
    """
    each = throws(held, cards, left, dead, known)
    kept = held[:, None] & ~BIT[cards]
    in_melds = meldable(kept)
    ways = _ways(kept & ~in_melds, ~(held | dead | known)[:, None])
    return each.left, each.outs, each.pairs, each.known_pairs, each.value, counts(in_melds), ways


def likings(throwing: Floats, matter: tuple[Ints, ...], noise: Floats) -> Floats:
    """Return the utility of each throw for some habit of throwing (conditional logit)."""
    return np.asarray(sum(weight * some for weight, some in zip(throwing, matter, strict=True)) + noise)


def random_part(chance: Floats, cards: Ints) -> Floats:
    """Return the random part of the liking of each of ``cards`` (hands x 11) by a random number of each hand."""
    return NOISE[(chance * (1 << 24)).astype(np.int64)[:, None] % NOISES, cards]


def _ways(others: Ints, live: Ints) -> Ints:
    """Return in how many ways two of some cards and a live card would make a meld."""
    total = np.zeros(others.shape, np.int64)
    for one, other in partners(others):
        total += counts(one & other & ~others & live)
    return total
