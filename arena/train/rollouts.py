"""Plays sampled hands to their ends, for reviews and search, in a form that compiles to C.

Seat 0 is the one that is reviewed, or that searches. It plays by the policy of reviews, which does not change, or as
``bots/scholar.py``; seat 1 by habits (:mod:`arena.review.habits`), as scholar or as :mod:`arena.train.simple`. The rules are those
of :mod:`arena.train.kernel`.

The policy throws the card of the lowest :func:`cost`. The cost rises with the deadwood that is left and with the melds that the
other seat may make with the card; it falls with the number of live cards that would then make a meld, and with the card's value. A
card is live if the seat has not seen it and does not know it in the other's hand. Costs are thousandths of a point, as integers, so
that every machine chooses the same. Policy and habits take the upcard if that makes a meld and leaves less deadwood. A player with
habits throws a card with a probability in proportion to exp(utility) (a conditional logit model): a random part with the Gumbel
distribution is added to each utility, and the card with the highest sum is thrown.
"""

import arena.train.kernel as kernel  # noqa: PLR0402 - the compiler knows this form alone
import arena.train.learned as learned  # noqa: PLR0402
import arena.train.melds as melds  # noqa: PLR0402
import arena.train.native as native  # noqa: PLR0402
import arena.train.simple as simple  # noqa: PLR0402
from arena.gin.cards import Cards

LEFT = [0] * 52  # deadwood after the throw of each card, by :func:`least_left`
FEATURE = [0.0] * 7  # features of a throw, by :func:`weigh`


def play_out(address: int) -> None:
    """Play each hand to its end, beginning with its first action, and write the points of seat 0."""
    b = native.rollouts(address)
    for row in range(b.size):
        b.points[row] = play_hand(b, b.scratch[0], b.places[row], b.actions[row])


def ask(address: int) -> None:
    """Write the action that the acting seat of each hand chooses."""
    b = native.rollouts(address)
    for row in range(b.size):
        b.actions[row] = decide(b, b.states[row], b.terms[0], b.places[row])


def judge(address: int) -> None:
    """Write the features of each throw of hands of eleven cards, and its cost to the policy."""
    b = native.throws(address)
    for row in range(b.size):
        judge_hand(b, row, b.held[row], b.dead[row] | b.held[row])


def judge_hand(b: native.ThrowBatch, row: int, held: Cards, seen: Cards) -> None:
    """Write the features and costs of the throws of one hand; ``seen`` are its cards and the discard pile."""
    known = b.known[row]
    live = melds.DECK & ~(seen | known)
    least_left(held, held)
    melds.find_pairs(melds.DECK & ~seen, known)
    throws = held
    for place in range(11):
        low = throws & -throws
        throws ^= low
        card = native.lowest(low)
        b.cards[row][place] = card
        b.costs[row][place] = cost(held ^ low, card, live)
        weigh(held ^ low, card, live)
        for number in range(native.FEATURES):
            b.features[row][place][number] = FEATURE[number]


def play_hand(b: native.RolloutBatch, t: native.HandState, place: int, action: int) -> int:
    """Play a copy in ``t`` of the hand at ``place`` to its end; return the points of seat 0, negative if seat 1 scored."""
    native.copy(t, b.states[place])
    kernel.play(t, b.terms[0], decide(b, t, b.terms[0], place) if action == native.ASK else action)
    while t.phase != native.OVER:
        kernel.play(t, b.terms[0], decide(b, t, b.terms[0], place))
    if t.winner < 0:
        return 0
    return -t.points if t.winner else t.points


def decide(b: native.RolloutBatch, t: native.HandState, terms: native.KernelTerms, place: int) -> int:
    """Return the action of the acting seat."""
    if t.seat == 1 and b.other == native.SIMPLE:
        return simple.choose(t, terms)
    return choose(b, t, terms, place)


def choose(b: native.RolloutBatch, t: native.HandState, terms: native.KernelTerms, place: int) -> int:
    """Return the action of seat 0, or of seat 1 by habits or as scholar."""
    if t.phase == native.AT_FIRST_DRAW:
        return native.DRAW
    if t.phase == native.AT_LAST_TAKE:
        return native.TAKE if kernel.may_take_last(t, terms) else native.PASS
    if t.phase in (native.AT_DISCARD, native.AT_LAST_KNOCK):
        if kernel.may_big_gin(t, terms):
            return native.BIG_GIN
        return learned.throw(b.networks, t, terms) if is_scholar(b, t) else throw(b, t, terms, place)
    if wants(b, t, t.pile[t.pile_count - 1]):
        return native.TAKE
    return native.DRAW if t.phase == native.AT_DRAW else native.PASS


def is_scholar(b: native.RolloutBatch, t: native.HandState) -> bool:
    """Tell whether the acting seat plays as scholar."""
    return b.other == native.SCHOLAR if t.seat else b.player == native.SCHOLAR


def wants(b: native.RolloutBatch, t: native.HandState, upcard: int) -> bool:
    """Tell whether the acting seat takes the upcard."""
    if is_scholar(b, t):
        return learned.wants(b.networks, t)
    held = t.held[t.seat]
    return melds.completes(held) & native.bit(upcard) != 0 and lowers_deadwood(held, upcard)


def lowers_deadwood(held: Cards, upcard: int) -> bool:
    """Tell whether ten cards leave less deadwood if one of them is thrown for the upcard."""
    with_it = held | native.bit(upcard)
    now = melds.deadwood(held)
    rest = held
    while rest:
        low = rest & -rest
        rest ^= low
        if melds.deadwood(with_it ^ low) < now:
            return True
    return False


def least_left(held: Cards, throws: Cards) -> int:
    """Put into ``LEFT`` the deadwood after each throw, and return the first card that leaves the least."""
    best = -1
    while throws:
        low = throws & -throws
        throws ^= low
        card = native.lowest(low)
        LEFT[card] = melds.deadwood(held ^ low)
        if best < 0 or LEFT[card] < LEFT[best]:
            best = card
    return best


def throw(b: native.RolloutBatch, t: native.HandState, terms: native.KernelTerms, place: int) -> int:
    """Return a knock or a throw of the acting seat: by the policy, or by habits."""
    throws = kernel.throwable(t, terms)
    card = least_left(t.held[t.seat], throws)
    if t.phase == native.AT_LAST_KNOCK:
        return native.KNOCK + card
    turn = min(native.count(t.threw[t.seat]), native.TURNS - 1)  # turns that the seat has finished
    chance = b.chance[place][turn]
    if LEFT[card] <= t.knock_limit and (LEFT[card] == 0 or chance < b.knocking[t.seat][turn][LEFT[card]]):
        return native.KNOCK + card
    held = t.held[t.seat]
    known = learned.known_of(t)
    melds.find_pairs(melds.DECK & ~(held | t.piled), known)
    if t.seat == 0:
        return cheapest(held, throws, melds.DECK & ~(held | t.piled | known))
    # by the last of the first 24 bits of ``chance``, almost independent of its size, which decides on a knock
    noise = native.part(chance, 1 << 24) % native.NOISES
    return favourite(b, held, throws, melds.DECK & ~(held | t.piled | known), noise)


def cheapest(held: Cards, throws: Cards, live: Cards) -> int:
    """Return the throw of the lowest cost; ``LEFT`` and the pairs must be those of the hand."""
    best = -1
    least = 0
    while throws:
        low = throws & -throws
        throws ^= low
        card = native.lowest(low)
        points = cost(held ^ low, card, live)
        if best < 0 or points < least:
            least = points
            best = card
    return best


def cost(kept: Cards, card: int, live: Cards) -> int:
    """Return the cost of a throw to the policy, in thousandths of a point."""
    outs = native.count(melds.completes(kept) & live)
    pairs = native.PAIR * melds.pairs_with(card) + native.KNOWN_PAIR * melds.known_pairs_with(card)
    return 1000 * LEFT[card] - native.OUTS * outs + pairs - native.DEAREST_FIRST * melds.VALUE[card]


def favourite(b: native.RolloutBatch, held: Cards, throws: Cards, live: Cards, noise: int) -> int:
    """Return the throw of the highest utility to seat 1; ``LEFT`` and the pairs must be those of the hand."""
    best = -1
    most = 0.0
    while throws:
        low = throws & -throws
        throws ^= low
        card = native.lowest(low)
        weigh(held ^ low, card, live)
        utility = 0.0
        for number in range(native.FEATURES):
            utility += b.throwing[number] * FEATURE[number]
        utility += b.noise[noise][card]
        if best < 0 or utility > most:
            most = utility
            best = card
    return best


def weigh(kept: Cards, card: int, live: Cards) -> None:
    """Put into ``FEATURE`` the features of a throw for a player with habits; ``arena.review.fitting`` fits their weights.

    They are the terms of :func:`cost`, the number of kept cards in possible melds, and the number of ways in which two of the
    others would make a meld with a live card.
    """
    in_melds = melds.meldable(kept)
    FEATURE[0] = LEFT[card]
    FEATURE[1] = native.count(melds.completes(kept) & live)
    FEATURE[2] = melds.pairs_with(card)
    FEATURE[3] = melds.known_pairs_with(card)
    FEATURE[4] = melds.VALUE[card]
    FEATURE[5] = native.count(in_melds)
    FEATURE[6] = melds.ways(kept & ~in_melds, live)
