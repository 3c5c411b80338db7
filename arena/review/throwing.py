"""How a player with habits throws: what matters of each throw, and how much a player likes it by some weights.

It throws what it likes best. A random part of the liking has the Gumbel distribution, so each card is thrown with a chance in
proportion to exp(the rest of the liking), and the weights can be fitted as those of a choice (:mod:`arena.review.logit`).
"""

from typing import Final

import numpy as np

from arena.review import policy
from arena.review.vectors import BIT, Floats, Ints, counts, melded

_NOISE: Final[Floats] = np.random.Generator(np.random.PCG64(2)).gumbel(size=(1 << 11, 52))


def matters(held: Ints, cards: Ints, left: Ints, dead: Ints, known: Ints) -> tuple[Ints, ...]:
    """Return what matters of each throw of ``cards`` (hands x 11): what matters to the policy, and two facts about the cards kept.

    These are how many of them are in possible melds, and in how many ways two of the others would make a meld with a live card. The
    arguments are those of :func:`arena.review.policy.throws`.
    """
    each = policy.throws(held, cards, left, dead, known)
    kept = held[:, None] & ~BIT[cards]
    in_melds = melded(kept)
    ways = _ways(kept & ~in_melds, ~(held | dead | known)[:, None])
    return each.left, each.outs, each.pairs, each.known_pairs, each.value, counts(in_melds), ways


def likings(throwing: Floats, matter: tuple[Ints, ...], noise: Floats) -> Floats:
    """Return how much a player with some habit of throwing likes each throw."""
    return np.asarray(sum(weight * some for weight, some in zip(throwing, matter, strict=True)) + noise)


def random_part(chance: Floats, cards: Ints) -> Floats:
    """Return the random part of the liking of each of ``cards`` (hands x 11) by a random number of each hand."""
    return _NOISE[(chance * (1 << 24)).astype(np.int64)[:, None] % len(_NOISE), cards]


def _ways(others: Ints, live: Ints) -> Ints:
    """Return in how many ways two of some cards and a live card would make a meld."""
    total = np.zeros(others.shape, np.int64)
    for one, other in policy.partners(others):
        total += counts(one & other & ~others & live)
    return total
