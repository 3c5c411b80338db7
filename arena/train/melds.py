"""Melds, deadwood and lay-offs, and the cards that complete a meld, in a form that compiles to C.

Interpreted, it gives the same results, two hundred times as slowly. Source: R1.3-R1.6, R6.2-R6.4.
"""

import arena.train.native as native  # noqa: PLR0402 - the compiler knows this form alone
from arena.gin.cards import DECK as ALL
from arena.gin.cards import VALUES, Cards
from arena.gin.melds import deadwood as _engine_deadwood

SUIT = 0x1FFF  # the thirteen cards of the lowest suit; functions repeat the number, which is then a constant in C
DECK = ALL  # with the type that ``melds.pxd`` gives to this name
ACES = 1 | 1 << 13 | 1 << 26 | 1 << 39  # multiplied by a club, it gives the four cards of a rank
NOT_ACE = ALL & ~ACES  # cards with a card of the suit below them
NOT_LOW = NOT_ACE & ~(ACES << 1)
NOT_KING = ALL & ~(ACES << 12)  # cards with a card of the suit above them
NOT_HIGH = NOT_KING & ~(ACES << 11)
VALUE = list(VALUES)  # of each card, in points
RUNS_LEAVE = [_engine_deadwood(cards) for cards in range(SUIT + 1)]  # least points that runs leave of the cards of one suit

MELDS = [0] * 64  # the melds in a hand of ten cards, of which there are at most 36, ascending
# The best arrangement so far: the number of cards that could be laid off on it, its cards in runs, the fourth cards of its sets.
CHOICE = [0, 0, 0]
PAIRS = [0] * 6  # by :func:`find_pairs`
KNOWN_PAIRS = [0] * 6


def deadwood(held: Cards) -> int:
    """Return the least points of deadwood over all arrangements of the cards ``held``. Rule: R1.6."""
    least = runs_leave(held)
    triple = triples(held)
    return with_sets(held, triple, least) if triple and least else least


def runs_leave(held: Cards) -> int:
    """Return the least points that are left if only runs are laid."""
    return (
        RUNS_LEAVE[held & 0x1FFF]
        + RUNS_LEAVE[held >> 13 & 0x1FFF]
        + RUNS_LEAVE[held >> 26 & 0x1FFF]
        + RUNS_LEAVE[held >> 39 & 0x1FFF]
    )


def triples(held: Cards) -> Cards:
    """Return the ranks with three or four cards, as the clubs of these ranks."""
    clubs, diamonds, hearts, spades = held & 0x1FFF, held >> 13 & 0x1FFF, held >> 26 & 0x1FFF, held >> 39 & 0x1FFF
    return clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)


def with_sets(held: Cards, triple: Cards, least: int) -> int:
    """Return the lower of ``least`` and the least points left if at least one rank of ``triple`` is laid as a set."""
    while triple:
        low = triple & -triple
        triple ^= low
        rank = ACES * low
        rest = held & ~rank
        least = lower(rest, triple, least)
        if held & rank == rank:  # a set of three leaves one of the four cards
            least = lower(rest | low, triple, least)
            least = lower(rest | low << 13, triple, least)
            least = lower(rest | low << 26, triple, least)
            least = lower(rest | low << 39, triple, least)
    return least


def lower(rest: Cards, triple: Cards, least: int) -> int:
    """Return the lower of ``least`` and the least points left of ``rest``, with or without sets of the ranks of ``triple``."""
    left = runs_leave(rest)
    if triple and left:
        left = with_sets(rest, triple, left)
    return min(least, left)


def best_throws(held: Cards, throws: Cards) -> Cards:
    """Return those of the cards ``throws`` whose discard from ``held`` leaves the least deadwood."""
    least = 1000
    best = 0
    while throws:
        low = throws & -throws
        throws ^= low
        left = deadwood(held ^ low)
        if left < least:
            least = left
            best = low
        elif left == least:
            best |= low
    return best


def points(held: Cards) -> int:
    """Return the sum of the values of some cards. Rule: R1.2."""
    total = 0
    while held:
        total += VALUE[native.lowest(held)]
        held &= held - 1
    return total


def after_lay_offs(caller: Cards, held: Cards) -> int:
    """Return the least deadwood of ``held`` after lay-offs on the best melds of ``caller``. Rule: R6.4.

    A card may be worth more in an own meld than laid off, so every subset that can be laid off is tried.
    """
    least = deadwood(held)
    if least == 0 or not extends(caller) & held:  # every chain of lay-offs begins with a card of extends(caller)
        return least
    choose(caller)
    runs, fourths = CHOICE[1], CHOICE[2]
    most = laid_off(runs, fourths, held)
    part = most
    while part:
        if laid_off(runs, fourths, part) == part:
            least = min(least, deadwood(held & ~part))
        part = part - 1 & most
    return least


def extends(held: Cards) -> Cards:
    """Return the cards that fit on a meld of three of the cards ``held``. Rule: R6.3."""
    below = held << 1 & NOT_ACE
    two_below = below << 1 & NOT_ACE
    above = held >> 1 & NOT_KING
    two_above = above >> 1 & NOT_KING
    return below & two_below & two_below << 1 & NOT_ACE | above & two_above & two_above >> 1 & NOT_KING | triples(held) * ACES


def laid_off(runs: Cards, fourths: Cards, held: Cards) -> Cards:
    """Return the cards of ``held`` that can be laid off together: in chains on runs, or as fourth cards of sets. Rule: R6.3."""
    grown = runs
    more = (ends(grown) & held) & ~grown
    while more:
        grown |= more
        more = (ends(grown) & held) & ~grown
    return (grown & ~runs | fourths) & held


def ends(runs: Cards) -> Cards:
    """Return the cards one rank below and above the cards of runs, in their suits."""
    return runs << 1 & NOT_ACE | runs >> 1 & NOT_KING


def choose(held: Cards) -> None:
    """Put the melds that a caller lays into ``CHOICE``. Rule: R6.2.

    Of the arrangements of least deadwood, the one on which the fewest cards of others could be laid, then the first in card order:
    that is the order in which ``arrange`` tries them.
    """
    CHOICE[0] = 1 << 20
    arrange(held, held, 0, 0, list_melds(held), 0, deadwood(held))


def arrange(held: Cards, rest: Cards, runs: Cards, fourths: Cards, count: int, first: int, least: int) -> None:
    """Compare the laid melds with ``CHOICE``; then lay each meld from ``first`` to ``count`` whose cards are all in ``rest``."""
    if points(rest) == least:
        opened = native.count((ends(runs) | fourths) & ~held)
        if opened < CHOICE[0]:
            CHOICE[0] = opened
            CHOICE[1] = runs
            CHOICE[2] = fourths
    for number in range(first, count):
        meld = MELDS[number]
        if meld & ~rest == 0:
            if meld & meld << 1 & NOT_ACE:  # a run
                arrange(held, rest ^ meld, runs | meld, fourths, count, number + 1, least)
            else:
                rank = ACES << native.lowest(meld) % 13
                arrange(held, rest ^ meld, runs, fourths | rank & ~meld, count, number + 1, least)


def list_melds(held: Cards) -> int:
    """Put the melds in ``held`` into ``MELDS``, ascending, and return their number. Rule: R1.3, R1.4."""
    found = 0
    triple = triples(held)
    while triple:
        low = triple & -triple
        triple ^= low
        rank = ACES * low
        found = insert(held & rank, found)
        if held & rank == rank:
            for suit in range(4):
                found = insert(rank ^ low << 13 * suit, found)
    above = held >> 1 & NOT_KING & held  # a card whose neighbour above is held
    lowest = above & above >> 1 & NOT_KING
    while lowest:
        low = lowest & -lowest
        lowest ^= low
        run = low | low << 1
        last = low << 2
        while last & held & NOT_ACE:
            run |= last
            found = insert(run, found)
            last <<= 1
    return found


def insert(meld: Cards, found: int) -> int:
    """Insert a meld into the first ``found`` of ``MELDS``, and return their new number."""
    place = found
    while place and MELDS[place - 1] > meld:
        MELDS[place] = MELDS[place - 1]
        place -= 1
    MELDS[place] = meld
    return found + 1


# --- which cards complete a meld or go together


def pairs(held: Cards) -> Cards:
    """Return the ranks with two cards or more, as the clubs of these ranks."""
    clubs, diamonds, hearts, spades = held & 0x1FFF, held >> 13 & 0x1FFF, held >> 26 & 0x1FFF, held >> 39 & 0x1FFF
    return clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades)


def completes(held: Cards) -> Cards:
    """Return the cards outside ``held`` that would make a meld with two of its cards, or extend one."""
    below, two_below = held << 1 & NOT_ACE, held << 2 & NOT_LOW
    above, two_above = held >> 1 & NOT_KING, held >> 2 & NOT_HIGH
    return (below & two_below | below & above | above & two_above | pairs(held) * ACES) & ~held


def near(held: Cards) -> Cards:
    """Return the cards that are one or two ranks from a card of ``held``, in its suit."""
    return held << 1 & NOT_ACE | held >> 1 & NOT_KING | held << 2 & NOT_LOW | held >> 2 & NOT_HIGH


def meldable(held: Cards) -> Cards:
    """Return the cards of ``held`` that are in at least one possible set or run."""
    return in_runs(held) | triples(held) * ACES & held


def in_runs(held: Cards) -> Cards:
    """Return the cards of ``held`` that are in at least one possible run."""
    next_up = held >> 1 & NOT_KING
    first = held & next_up & next_up >> 1 & NOT_KING
    return first | first << 1 | first << 2


def rotate(held: Cards, by: int) -> Cards:
    """Return the cards moved down by ``by`` places, 13 for each suit; cards of the first suit move to the last."""
    return (held >> by | held << 52 - by) & DECK


def find_pairs(possible: Cards, known: Cards) -> None:
    """Put into ``PAIRS`` the cards that make a meld of three with two ``possible`` cards, for each of six positions of these two.

    Put into ``KNOWN_PAIRS`` those for which at least one of the two is also ``known``.
    """
    below, two_below = possible << 1 & NOT_ACE, possible << 2 & NOT_LOW
    above, two_above = possible >> 1 & NOT_KING, possible >> 2 & NOT_HIGH
    first, second, third = rotate(possible, 13), rotate(possible, 26), rotate(possible, 39)
    PAIRS[0], PAIRS[1], PAIRS[2] = below & two_below, below & above, above & two_above
    PAIRS[3], PAIRS[4], PAIRS[5] = first & second, first & third, second & third
    if known:
        k_below, k_two_below = known << 1 & NOT_ACE, known << 2 & NOT_LOW
        k_above, k_two_above = known >> 1 & NOT_KING, known >> 2 & NOT_HIGH
        k_first, k_second, k_third = rotate(known, 13), rotate(known, 26), rotate(known, 39)
        KNOWN_PAIRS[0] = k_below & two_below | below & k_two_below
        KNOWN_PAIRS[1] = k_below & above | below & k_above
        KNOWN_PAIRS[2] = k_above & two_above | above & k_two_above
        KNOWN_PAIRS[3] = k_first & second | first & k_second
        KNOWN_PAIRS[4] = k_first & third | first & k_third
        KNOWN_PAIRS[5] = k_second & third | second & k_third
    else:
        for place in range(6):
            KNOWN_PAIRS[place] = 0


def pairs_with(card: int) -> int:
    """Return the number of pairs of possible cards that make a meld with a card."""
    return (
        (PAIRS[0] >> card & 1)
        + (PAIRS[1] >> card & 1)
        + (PAIRS[2] >> card & 1)
        + (PAIRS[3] >> card & 1)
        + (PAIRS[4] >> card & 1)
        + (PAIRS[5] >> card & 1)
    )


def known_pairs_with(card: int) -> int:
    """Return the number of these pairs with at least one known card."""
    found = 0
    for place in range(6):
        found += KNOWN_PAIRS[place] >> card & 1
    return found


def ways(others: Cards, live: Cards) -> int:
    """Return the number of melds that two of ``others`` would make with a live card."""
    below, two_below = others << 1 & NOT_ACE, others << 2 & NOT_LOW
    above, two_above = others >> 1 & NOT_KING, others >> 2 & NOT_HIGH
    first, second, third = rotate(others, 13), rotate(others, 26), rotate(others, 39)
    open_ = live & ~others
    return (
        native.count(below & two_below & open_)
        + native.count(below & above & open_)
        + native.count(above & two_above & open_)
        + native.count(first & second & open_)
        + native.count(first & third & open_)
        + native.count(second & third & open_)
    )
