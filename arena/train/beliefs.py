"""What a player that plays by :mod:`arena.train.simple` may hold, in a form that compiles to C.

A particle is a deal and the cards drawn since. Many are dealt at random. After each decision of the player, a particle's weight is
the share of possible draws after which the player would decide so, and particles are resampled in proportion to their weights (a
particle filter: Gordon, Salmond and Smith, 1993). Then each is moved by exchanges of two cards that leave every decision explained
(Gilks and Berzuini, 2001).
"""

import arena.train.kernel as kernel  # noqa: PLR0402 - the compiler knows this form alone
import arena.train.native as native  # noqa: PLR0402
import arena.train.simple as simple  # noqa: PLR0402
from arena.gin.cards import Cards

CARDS = [0] * 52  # of a set, in some order
DRAWS = [0] * 52  # the draws that explain a decision, by :func:`share_of`; only after a draw from the stock
DRAW_COUNT = [0]  # the number of cards in ``DRAWS``
RESOLUTION = 1 << 20  # steps of a random number between 0 and 1


def believe(address: int) -> None:
    """Find particles that explain all decisions, and the log-likelihood of the decisions; NEVER if no particle explains them."""
    b = native.beliefs(address)
    deal(b)
    count = b.initial
    b.likelihood = 0.0
    for number in range(b.decisions):
        total = weigh(b, count, number)
        if total <= 0:
            b.likelihood = native.NEVER
            return
        b.likelihood += native.log(total / count)
        keep(b, count, number, total)
        count = b.kept
        for row in range(count):
            for _ in range(b.steps):
                exchange(b, b.particles[row], number + 1)


def deal(b: native.BeliefBatch) -> None:
    """Deal ten of the possible cards to each particle."""
    count = list_cards(b.possible)
    for row in range(b.initial):
        dealt = 0
        for place in range(10):
            other = place + kernel.random_below(b.chance[0], count - place)
            card = CARDS[other]
            CARDS[other] = CARDS[place]
            CARDS[place] = card
            dealt |= native.bit(card)
        b.particles[row].dealt = b.particles[row].used = b.particles[row].held = dealt


def list_cards(cards: Cards) -> int:
    """Put some cards into ``CARDS``, and return their number."""
    count = 0
    while cards:
        CARDS[count] = native.lowest(cards)
        cards &= cards - 1
        count += 1
    return count


def weigh(b: native.BeliefBatch, count: int, number: int) -> float:
    """Write the weight of each particle, its share of draws that explain a decision, and return the sum."""
    total = 0.0
    for row in range(count):
        b.weights[row] = share_of(b, b.particles[row], b.made[number])
        total += b.weights[row]
    return total


def share_of(b: native.BeliefBatch, p: native.Particle, d: native.PublicDecision) -> float:
    """Return the share of possible draws after which the player decides so; after a draw, put these cards into ``DRAWS``.

    A decision without a draw has the share 1 or 0.
    """
    if d.offered != native.NO_CARD and simple.takes(p.held, d.offered, b.limit) != d.took:
        return 0.0
    if d.thrown == native.NO_CARD:
        return 1.0
    thrown = native.bit(d.thrown)
    if d.took:
        held = p.held | native.bit(d.offered)
        return 1.0 if held & thrown and simple.throw(held, d.offered, b.limit) == d.thrown else 0.0
    drawable = b.possible & ~p.used
    tried = drawable if p.held & thrown else drawable & thrown  # a card that it did not hold was drawn
    DRAW_COUNT[0] = 0
    while tried:
        low = tried & -tried
        tried ^= low
        if simple.throw(p.held | low, native.NO_CARD, b.limit) == d.thrown:
            DRAWS[DRAW_COUNT[0]] = native.lowest(low)
            DRAW_COUNT[0] += 1
    return DRAW_COUNT[0] / float(native.count(drawable)) if DRAW_COUNT[0] else 0.0


def keep(b: native.BeliefBatch, count: int, number: int, total: float) -> None:
    """Resample the particles in proportion to their weights, and let each make the decision."""
    step = total / b.kept
    at = step * kernel.random_below(b.chance[0], RESOLUTION) / RESOLUTION
    row = 0
    cumulative = b.weights[0]
    for place in range(b.kept):
        while cumulative <= at and row < count - 1:
            row += 1
            cumulative += b.weights[row]
        native.copy_particle(b.scratch[place], b.particles[row])
        decide(b, b.scratch[place], number)
        at += step
    for place in range(b.kept):
        native.copy_particle(b.particles[place], b.scratch[place])


def decide(b: native.BeliefBatch, p: native.Particle, number: int) -> None:
    """Let a particle make a decision that it explains; the card drawn before is a random one of ``DRAWS``."""
    d = b.made[number]
    if d.thrown == native.NO_CARD:
        return
    if d.took:
        p.held |= native.bit(d.offered)
    else:
        share_of(b, p, d)  # fills DRAWS
        p.drew[number] = DRAWS[kernel.random_below(b.chance[0], DRAW_COUNT[0])]
        p.used |= native.bit(p.drew[number])
        p.held |= native.bit(p.drew[number])
    p.held ^= native.bit(d.thrown)


def exchange(b: native.BeliefBatch, p: native.Particle, decisions: int) -> None:
    """Swap a card that a particle uses and another possible card, if all decisions are still explained."""
    one = CARDS[kernel.random_below(b.chance[0], list_cards(p.used))]
    other = CARDS[kernel.random_below(b.chance[0], list_cards(b.possible))]
    native.copy_particle(b.scratch[0], p)
    swap_cards(b.scratch[0], one, other, b.made, decisions)
    if explains(b, b.scratch[0], decisions):
        native.copy_particle(p, b.scratch[0])


def swap_cards(p: native.Particle, one: int, other: int, made: native.Decisions, decisions: int) -> None:
    """Swap two cards in a particle; its ``held`` is not changed."""
    both = native.bit(one) ^ native.bit(other)
    if p.dealt & both not in (0, both):
        p.dealt ^= both
    if p.used & both not in (0, both):
        p.used ^= both
    for number in range(decisions):
        if not made[number].took and made[number].thrown != native.NO_CARD:
            if p.drew[number] == one:
                p.drew[number] = other
            elif p.drew[number] == other:
                p.drew[number] = one


def explains(b: native.BeliefBatch, p: native.Particle, decisions: int) -> bool:
    """Tell whether a particle explains all decisions so far, and write the cards that it then holds."""
    p.held = p.dealt
    for number in range(decisions):  # noqa: SIM110 - a generator has no form in C
        if not makes(p, b.made[number], number, b.limit):
            return False
    return True


def makes(p: native.Particle, d: native.PublicDecision, number: int, limit: int) -> bool:
    """Tell whether a particle explains a decision, and write the cards that it holds afterwards."""
    if d.offered != native.NO_CARD and simple.takes(p.held, d.offered, limit) != d.took:
        return False
    if d.thrown == native.NO_CARD:
        return True
    p.held |= native.bit(d.offered if d.took else p.drew[number])
    if simple.throw(p.held, d.offered if d.took else native.NO_CARD, limit) != d.thrown:
        return False
    p.held ^= native.bit(d.thrown)
    return True
