"""Which cards complete a meld or go together, in a form that compiles to C: ``related.pxd`` has the types."""

import arena.train.melds as melds  # noqa: PLR0402 - the compiler knows this form alone
import arena.train.native as native  # noqa: PLR0402
from arena.gin.cards import DECK as ALL

DECK = ALL
ACES = 1 | 1 << 13 | 1 << 26 | 1 << 39
NOT_ACE = ALL & ~ACES
NOT_LOW = NOT_ACE & ~(ACES << 1)
NOT_KING = ALL & ~(ACES << 12)
NOT_HIGH = NOT_KING & ~(ACES << 11)

PAIRS = [0] * 6  # by :func:`find_pairs`
KNOWN_PAIRS = [0] * 6


def pairs(held: int) -> int:
    """Return the ranks with two cards or more, as the clubs of these ranks."""
    clubs, diamonds, hearts, spades = held & 0x1FFF, held >> 13 & 0x1FFF, held >> 26 & 0x1FFF, held >> 39 & 0x1FFF
    return clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades)


def completes(held: int) -> int:
    """Return the cards outside ``held`` that would make a meld with two of its cards, or extend one."""
    below, lower = held << 1 & NOT_ACE, held << 2 & NOT_LOW
    above, higher = held >> 1 & NOT_KING, held >> 2 & NOT_HIGH
    return (below & lower | below & above | above & higher | pairs(held) * ACES) & ~held


def near(held: int) -> int:
    """Return the cards that are one or two ranks from a card of ``held``, in its suit."""
    return held << 1 & NOT_ACE | held >> 1 & NOT_KING | held << 2 & NOT_LOW | held >> 2 & NOT_HIGH


def meldable(held: int) -> int:
    """Return the cards of ``held`` that are in at least one possible set or run."""
    return in_runs(held) | melds.triples(held) * ACES & held


def in_runs(held: int) -> int:
    """Return the cards of ``held`` that are in at least one possible run."""
    next_up = held >> 1 & NOT_KING
    first = held & next_up & next_up >> 1 & NOT_KING
    return first | first << 1 | first << 2


def rotate(held: int, by: int) -> int:
    """Return the cards moved down by ``by`` places, 13 for each suit; cards of the first suit move to the last."""
    return (held >> by | held << 52 - by) & DECK


def find_pairs(possible: int, known: int) -> None:
    """Put into ``PAIRS`` the cards that make a meld of three with two ``possible`` cards, for each of six positions of these two.

    Put into ``KNOWN_PAIRS`` those for which at least one of the two is also ``known``.
    """
    below, lower = possible << 1 & NOT_ACE, possible << 2 & NOT_LOW
    above, higher = possible >> 1 & NOT_KING, possible >> 2 & NOT_HIGH
    first, second, third = rotate(possible, 13), rotate(possible, 26), rotate(possible, 39)
    PAIRS[0], PAIRS[1], PAIRS[2] = below & lower, below & above, above & higher
    PAIRS[3], PAIRS[4], PAIRS[5] = first & second, first & third, second & third
    if known:
        k_below, k_lower = known << 1 & NOT_ACE, known << 2 & NOT_LOW
        k_above, k_higher = known >> 1 & NOT_KING, known >> 2 & NOT_HIGH
        k_first, k_second, k_third = rotate(known, 13), rotate(known, 26), rotate(known, 39)
        KNOWN_PAIRS[0] = k_below & lower | below & k_lower
        KNOWN_PAIRS[1] = k_below & above | below & k_above
        KNOWN_PAIRS[2] = k_above & higher | above & k_higher
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


def ways(others: int, live: int) -> int:
    """Return the number of melds that two of ``others`` would make with a live card."""
    below, lower = others << 1 & NOT_ACE, others << 2 & NOT_LOW
    above, higher = others >> 1 & NOT_KING, others >> 2 & NOT_HIGH
    first, second, third = rotate(others, 13), rotate(others, 26), rotate(others, 39)
    open_ = live & ~others
    return (
        native.count(below & lower & open_)
        + native.count(below & above & open_)
        + native.count(above & higher & open_)
        + native.count(first & second & open_)
        + native.count(first & third & open_)
        + native.count(second & third & open_)
    )
