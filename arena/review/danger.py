"""How much each card would help the other seat, by the worlds that were sampled for a position.

The policy's own count of possible pairs knows nothing of what the other seat refused and threw; the sampled worlds do. So the
reviewed seat of a rollout adds this to what a throw costs. It may know it: this comes from the position that is reviewed, not from
the world that is played.
"""

from typing import Final

import numpy as np

from arena.review.vectors import BIT, Floats, Ints, after_throws, completes, deadwoods, each

GIN: Final = 25_000  # thousandths of a point that a card costs which gives the other seat gin
POINT: Final = 400  # for each point of deadwood that the card saves it


def dangers(theirs: Ints) -> Ints:
    """Return what each of the 52 cards would cost, in thousandths of a point; ``theirs`` are sampled hands of ten cards."""
    world, card = np.nonzero(completes(theirs)[:, None] >> np.arange(52) & 1)
    if not len(world):
        return np.zeros(52, np.int64)
    with_it = theirs[world] | BIT[card]
    left = after_throws(with_it, each(with_it, 11)).min(axis=1)
    saved = np.maximum(deadwoods(theirs)[world] - left, 0)
    costs: Floats = np.where((left == 0) & (saved > 0), GIN, 0) + POINT * saved
    return np.asarray(np.bincount(card, costs, 52) / len(theirs), np.int64)
