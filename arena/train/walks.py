"""Walks of single exchanges between a hidden hand and the stock (Metropolis et al., 1953); ``walks.pxd`` gives each name its type.

How likely a hand is, and what the facts mean, says ``arena.review.sights``, whose arrays give the same numbers.
"""

import arena.train.melds as melds  # noqa: PLR0402 - the compiler knows this form alone
import arena.train.native as native  # noqa: PLR0402
import arena.train.related as related  # noqa: PLR0402
import arena.train.rollout_memory as memory

TENS = related.ACES << 9 | related.ACES << 10 | related.ACES << 11 | related.ACES << 12
LOW = related.ACES | related.ACES << 1


def walk(address: int) -> None:
    """Take the steps of each walk."""
    b = memory.walks(address)
    for row in range(b.size):
        if 0 < b.hidden[row] < b.unseen[row]:
            for step in range(b.steps):
                exchange(b, row, row * b.steps + step, b.sights[b.places[row]])


def exchange(b: memory.WalkBatch, row: int, number: int, sight: memory.WalkSight) -> None:
    """Exchange a hidden card for one of the stock, if the hand is likely enough then."""
    hidden = b.hidden[row]
    one = row * b.width + memory.part(b.numbers[number][0], hidden)
    other = row * b.width + hidden + memory.part(b.numbers[number][1], b.unseen[row] - hidden)
    mine, new = b.order[one], b.order[other]
    changed = b.held[row] ^ native.bit(mine) ^ native.bit(new)
    then = likelihood(sight, changed)
    if then - b.now[row] >= b.numbers[number][2]:
        b.held[row] = changed
        b.now[row] = then
        b.order[one], b.order[other] = new, mine


def likelihood(sight: memory.WalkSight, held: int) -> float:
    """Return the logarithm of the likelihood of a hand: of its deadwood, less what each fact says."""
    useful, in_melds = related.completes(held), related.meldable(held)
    other = held & ~in_melds
    found = sight.weights[melds.deadwood(held)]
    found -= sight.evidence[0] * native.count(useful & sight.useful[0])
    found -= sight.evidence[1] * native.count(useful & sight.useful[1])
    found -= sight.evidence[2] * native.count(useful & sight.useful[2])
    found -= sight.evidence[3] * native.count(useful & sight.useful[3])
    found -= sight.evidence[4] * native.count(sight.known & other)
    found -= sight.evidence[5] * native.count(useful & sight.live)
    found -= sight.evidence[6] * native.count(in_melds)
    found -= sight.evidence[7] * native.count(other & sight.dearer[0])
    found -= sight.evidence[8] * native.count(other & sight.dearer[1])
    found -= sight.evidence[9] * native.count(other & related.pairs(other) * related.ACES)
    found -= sight.evidence[10] * native.count(other & related.near(other))
    found -= sight.evidence[11] * native.count(other & TENS)
    found -= sight.evidence[12] * native.count(other & LOW)
    found -= sight.evidence[13] * native.count(other & sight.with_dropped)
    found -= sight.evidence[14] * native.count(held & sight.with_shown)
    return found
