"""A player that chooses by three networks, as ``bots/scholar.py`` and ``bots/professor.py`` do, in a form that compiles to C.

The networks estimate the points that the acting seat wins with the hand: with ten cards after a discard, with ten cards before a
draw, and by a knock. Their inputs are in ``INPUT``, in the order in which the bots list them; a network of fewer inputs reads the
first ones.
"""

import arena.train.kernel as kernel  # noqa: PLR0402 - the compiler knows this form alone
import arena.train.melds as melds  # noqa: PLR0402
import arena.train.native as native  # noqa: PLR0402
from arena.gin.cards import Cards
from arena.gin.melds import partners

AFTER, BEFORE, KNOCKING = range(3)  # the networks
BASIC = 21  # inputs of a network that ignores what the opponent threw
SLACK = 10  # a discard is considered if it leaves at most this many points above the least deadwood
RANKED = 4  # best discards that are kept
NO_THROW = 11  # in place of the least value, if the opponent threw no card
AHEAD = [0] * 128  # number of live cards by the deadwood that they leave, by :func:`look_ahead`
INPUT = [0.0] * 32  # of a network
BEST = [0] * 8  # the best discards of a decision, by :func:`rank_throws`
WORTH = [0.0] * 8  # their values
PARTNERS = [two for card in range(52) for two in [*partners(card), 0, 0, 0][:6]]  # six pairs of each card, 0 for missing ones


# --- decisions


def wants(networks: native.NetworkArray, t: native.HandState) -> bool:
    """Tell whether the acting seat takes the upcard: if it makes a meld and, with the best discard, is worth more than a draw."""
    held = t.held[t.seat]
    upcard = native.bit(t.pile[t.pile_count - 1])
    if not melds.completes(held) & upcard:
        return False
    rank_throws(networks[AFTER], t, held | upcard, held)
    write_position(t, held, -1, networks[BEFORE].inputs)
    return WORTH[0] > output(networks[BEFORE])


def throw(networks: native.NetworkArray, t: native.HandState, terms: native.KernelTerms) -> int:
    """Return the knock or the discard of the acting seat, whichever has the higher value; the knock if it is gin or must be."""
    knock = best_knock(t, terms)
    left = melds.deadwood(t.held[t.seat] & ~native.bit(knock))
    if left == 0 or t.phase == native.AT_LAST_KNOCK:
        return native.KNOCK + knock
    rank_throws(networks[AFTER], t, t.held[t.seat], kernel.throwable(t, terms))
    if left <= t.knock_limit:
        write_knock(t, knock, left)
        if output(networks[KNOCKING]) > WORTH[0]:
            return native.KNOCK + knock
    return BEST[0]


def best_knock(t: native.HandState, terms: native.KernelTerms) -> int:
    """Return the discard that leaves the least deadwood; of several the one with the most points, then the first."""
    return costliest_card(melds.best_throws(t.held[t.seat], kernel.throwable(t, terms)))


def costliest_card(cards: Cards) -> int:
    """Return the card with the most points; of several the first."""
    best = native.lowest(cards)
    while cards:
        card = native.lowest(cards)
        cards &= cards - 1
        if melds.VALUE[card] > melds.VALUE[best]:
            best = card
    return best


def rank_throws(after: native.KernelNetwork, t: native.HandState, held: Cards, throws: Cards) -> int:
    """Write the best of some discards into ``BEST`` and return their number; equal ones in descending order of the card."""
    least = melds.deadwood(held & ~native.bit(native.lowest(melds.best_throws(held, throws))))
    count = 0
    while throws:
        card = native.lowest(throws)
        throws &= throws - 1
        kept = held & ~native.bit(card)
        if melds.deadwood(kept) <= least + SLACK:
            write_position(t, kept, card, after.inputs)
            worth = output(after)
            place = count
            while place > 0 and WORTH[place - 1] <= worth:
                if place < RANKED:
                    WORTH[place] = WORTH[place - 1]
                    BEST[place] = BEST[place - 1]
                place -= 1
            if place < RANKED:
                WORTH[place] = worth
                BEST[place] = card
                count = min(count + 1, RANKED)
    return count


def output(network: native.KernelNetwork) -> float:
    """Return the output of a network for ``INPUT``."""
    total = network.bias
    for unit in range(network.hidden):
        first = unit * network.inputs
        activation = 0.0
        for place in range(network.inputs):
            activation += network.rows[first + place] * INPUT[place]
        activation += network.biases[unit]
        if activation > 0:
            total += network.weights[unit] * activation
    return total


# --- the inputs


def known_of(t: native.HandState) -> Cards:
    """Return the cards that the opponent of the acting seat is known to hold."""
    return t.took[1 - t.seat] & t.held[1 - t.seat]


def write_position(t: native.HandState, held: Cards, thrown: int, inputs: int) -> None:
    """Write the inputs for ten cards: after the discard ``thrown``, or before a draw if that is -1.

    They are the first BASIC inputs, or all if a network reads more ``inputs`` than that.
    """
    mine, theirs = t.seat, 1 - t.seat
    known = known_of(t)
    unseen = melds.DECK & ~(t.held[mine] | t.piled | known)
    now = melds.deadwood(held)
    live = native.count(unseen)
    look_ahead(held, unseen, now)
    INPUT[0] = now
    INPUT[1] = sum_lowest(live) / float(live)
    INPUT[2] = sum_lowest(min(7, live)) / 7.0
    INPUT[3] = nth_deadwood(0)
    INPUT[4] = nth_deadwood(live // 8)
    INPUT[5] = nth_deadwood(live // 4)
    INPUT[6] = nth_deadwood(live // 2)
    INPUT[7] = count_at_most(0)
    INPUT[8] = count_at_most(5)
    INPUT[9] = count_at_most(10)
    INPUT[10] = count_at_most(now - 1)
    INPUT[11] = native.count(melds.completes(held) & unseen)
    INPUT[12] = native.count(melds.meldable(held))
    INPUT[13] = 0.0 if thrown < 0 else danger(known, unseen, thrown, 0)
    INPUT[14] = 0.0 if thrown < 0 else melds.VALUE[thrown]
    INPUT[15] = native.count(t.threw[mine])
    INPUT[16] = t.bottom - t.top
    INPUT[17] = native.count(t.took[mine])
    INPUT[18] = native.count(t.took[theirs])
    INPUT[19] = native.count(known)
    INPUT[20] = 1.0 if t.phase == native.AT_UPCARD else 0.0
    if inputs > BASIC:
        write_refusals(t, known, unseen, thrown)


def write_refusals(t: native.HandState, known: Cards, unseen: Cards, thrown: int) -> None:
    """Write the inputs from BASIC on, most of which depend on what the opponent threw and what it refused."""
    threw = t.threw[1 - t.seat]
    INPUT[21] = 0.0
    INPUT[24] = 0.0
    if thrown >= 0:
        card = native.bit(thrown)
        INPUT[21] = danger(known, unseen, thrown, threw | t.threw[t.seat] & ~t.took[1 - t.seat])
        # cards that the opponent threw next to this one or of its rank
        INPUT[24] = native.count((melds.ends(card) | melds.ACES << thrown % 13) & ~card & threw)
    INPUT[22] = least_value(threw)
    INPUT[23] = melds.points(threw) / float(native.count(threw)) if threw else 10.0
    INPUT[25] = native.count(unseen)


def write_knock(t: native.HandState, card: int, left: int) -> None:
    """Write the inputs for a knock with a card, which leaves ``left`` points."""
    mine, theirs = t.seat, 1 - t.seat
    known = known_of(t)
    unseen = melds.DECK & ~(t.held[mine] | t.piled | known)
    laid = melds.meldable(t.held[mine] & ~native.bit(card))
    threw = t.threw[theirs]
    INPUT[0] = left
    INPUT[1] = native.count(t.threw[mine])
    INPUT[2] = t.bottom - t.top
    INPUT[3] = native.count(t.took[theirs])
    INPUT[4] = native.count(known)
    INPUT[5] = native.count(melds.completes(laid) & unseen)
    INPUT[6] = native.count(laid)
    INPUT[7] = melds.points(unseen) / float(native.count(unseen))
    INPUT[8] = least_value(threw)
    INPUT[9] = melds.points(threw) / float(native.count(threw)) if threw else 10.0


def least_value(cards: Cards) -> int:
    """Return the points of the cheapest card, or NO_THROW if there is none."""
    least = NO_THROW
    while cards:
        least = min(least, melds.VALUE[native.lowest(cards)])
        cards &= cards - 1
    return least


def look_ahead(held: Cards, live: Cards, now: int) -> None:
    """Count in ``AHEAD`` the deadwood after each live card is drawn and the best card thrown; ``now`` is the deadwood of ``held``.

    A card that makes no meld is thrown again or replaces a dearer one, so throws are searched only for cards that make one.
    """
    for left in range(128):
        AHEAD[left] = 0
    nine = after_throw(held)
    joins = melds.completes(held) & live
    others = live ^ joins
    while others:
        AHEAD[min(now, nine + melds.VALUE[native.lowest(others)])] += 1
        others &= others - 1
    while joins:
        AHEAD[after_throw(held | joins & -joins)] += 1
        joins &= joins - 1


def after_throw(held: Cards) -> int:
    """Return the least deadwood that one throw leaves."""
    return melds.deadwood(held & ~native.bit(native.lowest(melds.best_throws(held, held))))


def sum_lowest(count: int) -> int:
    """Return the sum of the ``count`` lowest deadwoods that ``AHEAD`` counts."""
    total = 0
    left = 0
    while count > 0:
        some = min(count, AHEAD[left])
        total += left * some
        count -= some
        left += 1
    return total


def nth_deadwood(place: int) -> int:
    """Return the deadwood at a place, from 0, in the ascending order of those that ``AHEAD`` counts."""
    left = 0
    while place >= AHEAD[left]:
        place -= AHEAD[left]
        left += 1
    return left


def count_at_most(most: int) -> int:
    """Return the number of live cards that leave at most ``most`` points."""
    found = 0
    for left in range(most + 1):
        found += AHEAD[left]
    return found


def danger(known: Cards, unseen: Cards, card: int, against: Cards) -> float:
    """Return the expected number of melds that the other seat can make with a card. Source: ``arena.sdk.odds.danger``.

    A pair that would have made a meld with a card of ``against`` does not count.
    """
    hidden = native.count(unseen)
    chance = (10 - native.count(known)) / float(hidden) if hidden else 0.0
    total = 0.0
    for place in range(6):
        pair = PARTNERS[card * 6 + place]
        if pair and pair & ~(known | unseen) == 0 and not (against and melds.completes(pair) & against):
            unknown = native.count(pair & unseen)
            total += 1.0 if unknown == 0 else chance if unknown == 1 else chance * chance
    return total
