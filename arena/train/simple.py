"""The policy of OpenSpiel's simple bot, and of many beginners' bots, in a form that compiles to C.

It takes a card that it can meld, or with which it may knock; throws its highest card outside melds; knocks as soon as it may.
Source: ``SimpleGinRummyBot`` (Lanctot et al., 2019). It makes the same decisions, with one exception: where OpenSpiel's bot throws
the card just taken, which is forbidden (R4.3), it throws the dearest of those that leave the least deadwood, as
``bots/guests/openspiel.py`` does.
"""

import arena.train.kernel as kernel  # noqa: PLR0402 - the compiler knows this form alone
import arena.train.learned as learned  # noqa: PLR0402
import arena.train.melds as melds  # noqa: PLR0402
import arena.train.native as native  # noqa: PLR0402
from arena.gin.cards import Cards

LONGEST = 5  # cards of a run; longer ones are laid as two
MELDS = [0] * 96  # in the order in which the bot tries them
BEST = [0, 0]  # the most points of laid melds so far, and their cards


def rotate_suits(held: Cards) -> Cards:
    """Return cards in the order of OpenSpiel: spades, clubs, diamonds, hearts."""
    return held << 13 & melds.DECK | held >> 39


def laid_cards(held: Cards) -> Cards:
    """Return the cards that the bot lays as melds; ``held`` and the result are in the order of OpenSpiel."""
    runs = melds.in_runs(held)
    sets = melds.triples(held) * melds.ACES & held
    if not runs & sets:
        return runs | sets
    BEST[0] = BEST[1] = 0
    lay_melds(held, list_melds(held), 0, 0, 0)
    return BEST[1]


def lay_melds(held: Cards, count: int, first: int, used: Cards, points: int) -> None:
    """Compare the laid melds with ``BEST``; then lay each meld from ``first`` to ``count`` of which no card is ``used``."""
    if points > BEST[0]:
        BEST[0] = points
        BEST[1] = used
    for number in range(first, count):
        meld = MELDS[number]
        if not meld & used:
            lay_melds(held, count, number + 1, used | meld, points + melds.points(meld))


def list_melds(held: Cards) -> int:
    """Put the melds in ``held`` into ``MELDS`` and return their number; of arrangements of equal points the first is laid."""
    found = 0
    # OpenSpiel lists two of the sets of three in a set of four after it, and the other two among the sets of three
    for rank in range(13):
        four = melds.ACES << rank
        if held & four == four:
            MELDS[found] = four
            MELDS[found + 1] = four ^ native.bit(rank + 26)
            MELDS[found + 2] = four ^ native.bit(rank + 13)
            found += 3
    for rank in range(13):
        three = melds.ACES << rank & held
        if native.count(three) == 3:
            MELDS[found] = three
            found += 1
        elif three == melds.ACES << rank:
            MELDS[found] = three ^ native.bit(rank + 39)
            MELDS[found + 1] = three ^ native.bit(rank)
            found += 2
    for shorter in range(3):
        found = list_runs(held, LONGEST - shorter, found)
    return found


def list_runs(held: Cards, length: int, found: int) -> int:
    """Add the runs of a length to the first ``found`` melds of ``MELDS``, and return their new number."""
    for low in range(52):
        run = (native.bit(length) - 1) << low
        if low % 13 + length <= 13 and held & run == run:
            MELDS[found] = run
            found += 1
    return found


def highest(cards: Cards) -> int:
    """Return the card of the highest rank, of several that of the last suit; ``cards`` are in OpenSpiel's order, and not empty."""
    rank = 12
    while not cards & melds.ACES << rank:
        rank -= 1
    card = rank + 39
    while not cards >> card & 1:
        card -= 13
    return card


def takes(held: Cards, upcard: int, limit: int) -> bool:
    """Tell whether the bot takes the upcard: if it melds it, or if the deadwood less its highest card is at most ``limit``."""
    own = rotate_suits(held | native.bit(upcard))
    rest = own & ~laid_cards(own)
    if not rest & rotate_suits(native.bit(upcard)):
        return True
    return melds.points(rest ^ native.bit(highest(rest))) <= limit


def throw(held: Cards, taken: int, limit: int) -> int:
    """Return a discard, a knock, or big gin whatever the rules say; ``taken`` is the card that may not be thrown, or -1."""
    own = rotate_suits(held)
    rest = own & ~laid_cards(own)
    if not rest:
        return native.BIG_GIN
    high = highest(rest)
    left = melds.points(rest ^ native.bit(high))
    card = (high + 39) % 52  # undoes ``rotate_suits``
    if card == taken:
        card = learned.costliest_card(melds.best_throws(held, held ^ native.bit(taken)))
        # the bot wants to knock by its first choice, and may knock by this card
        left = max(left, melds.deadwood(held ^ native.bit(card)))
    return native.KNOCK + card if left <= limit else card


def choose(t: native.HandState, terms: native.KernelTerms) -> int:
    """Return the action of the acting seat."""
    held = t.held[t.seat]
    if t.phase == native.AT_FIRST_DRAW:
        return native.DRAW
    if t.phase == native.AT_LAST_TAKE:
        return native.TAKE if kernel.may_take_last(t, terms) else native.PASS
    if t.phase == native.AT_LAST_KNOCK:
        return native.BIG_GIN if kernel.may_big_gin(t, terms) else native.KNOCK + learned.best_knock(t, terms)
    if t.phase == native.AT_DISCARD:
        return legal_throw(t, terms)
    if takes(held, t.pile[t.pile_count - 1], t.knock_limit):
        return native.TAKE
    return native.DRAW if t.phase == native.AT_DRAW else native.PASS


def legal_throw(t: native.HandState, terms: native.KernelTerms) -> int:
    """Return the action with eleven cards; under rules without big gin, a knock instead of it."""
    taken = t.drawn if t.taken and not terms.return_taken else -1
    action = throw(t.held[t.seat], taken, t.knock_limit)
    if action == native.BIG_GIN and not terms.big_gin:
        return native.KNOCK + learned.best_knock(t, terms)
    return action
