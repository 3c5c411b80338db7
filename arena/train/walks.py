"""Random walks that exchange one card of a hidden hand at a time (Metropolis et al., 1953), in a form that compiles to C.

:data:`arena.review.likelihood.FACTS` describes the facts.
"""

import arena.train.melds as melds  # noqa: PLR0402 - the compiler knows this form alone
import arena.train.native as native  # noqa: PLR0402
from arena.gin.cards import Cards

TENS = melds.ACES << 9 | melds.ACES << 10 | melds.ACES << 11 | melds.ACES << 12
LOW = melds.ACES | melds.ACES << 1
COUNTS = [0] * 15  # of each fact, by :func:`count_facts`


def walk(address: int) -> None:
    """Take the steps of each walk; one with no hidden card, or with no card for the stock, does not change."""
    b = native.walks(address)
    for row in range(b.size):
        if 0 < b.hidden[row] < b.unseen[row]:
            b.likely[row] = likelihood(b.sights[b.places[row]], b.held[row])
            for step in range(b.steps):
                exchange(b, row, row * b.steps + step, b.sights[b.places[row]])


def weigh(address: int) -> None:
    """Write the facts and the log-likelihood of each hand."""
    b = native.walks(address)
    for row in range(b.size):
        b.likely[row] = likelihood(b.sights[b.places[row]], b.held[row])
        for fact in range(native.FACTS):
            b.facts[row][fact] = COUNTS[fact]


def exchange(b: native.WalkBatch, row: int, number: int, sight: native.WalkSight) -> None:
    """Propose the exchange of a hidden card for one of the stock, and accept it by the Metropolis rule."""
    hidden = b.hidden[row]
    hidden_place = row * b.width + native.part(b.numbers[number][0], hidden)
    stock_place = row * b.width + hidden + native.part(b.numbers[number][1], b.unseen[row] - hidden)
    leaves, enters = b.order[hidden_place], b.order[stock_place]
    proposed = b.held[row] ^ native.bit(leaves) ^ native.bit(enters)
    likely = likelihood(sight, proposed)
    if likely - b.likely[row] >= b.numbers[number][2]:  # the logarithm of a random number
        b.held[row] = proposed
        b.likely[row] = likely
        b.order[hidden_place], b.order[stock_place] = enters, leaves


def likelihood(sight: native.WalkSight, held: Cards) -> float:
    """Return the log-likelihood of a hand, up to a constant: that of its deadwood, less the evidence of each fact."""
    count_facts(sight, held)
    total = sight.weights[melds.deadwood(held)]
    for fact in range(native.FACTS):
        total -= sight.evidence[fact] * COUNTS[fact]
    return total


def count_facts(sight: native.WalkSight, held: Cards) -> None:
    """Put into ``COUNTS`` the number of cards of a hand that each fact counts."""
    completes, in_melds = melds.completes(held), melds.meldable(held)
    other = held & ~in_melds
    COUNTS[0] = native.count(completes & sight.declined[0])
    COUNTS[1] = native.count(completes & sight.declined[1])
    COUNTS[2] = native.count(completes & sight.declined[2])
    COUNTS[3] = native.count(completes & sight.declined[3])
    COUNTS[4] = native.count(sight.known & other)
    COUNTS[5] = native.count(completes & sight.live)
    COUNTS[6] = native.count(in_melds)
    COUNTS[7] = native.count(other & sight.dearer[0])
    COUNTS[8] = native.count(other & sight.dearer[1])
    COUNTS[9] = native.count(other & melds.pairs(other) * melds.ACES)
    COUNTS[10] = native.count(other & melds.near(other))
    COUNTS[11] = native.count(other & TENS)
    COUNTS[12] = native.count(other & LOW)
    COUNTS[13] = native.count(other & sight.with_dropped)
    COUNTS[14] = native.count(held & sight.with_shown)
