"""Sets, runs, the arrangement that leaves least deadwood, and lay-offs. Source: R1.3-R1.6, R6.2-R6.4.

Deadwood is computed millions of times in a tournament, so it uses a look-up table: for each of the 8,192 combinations of cards of
one suit, the points that its best runs leave. Sets are tried only where three cards share a rank. Other functions run less
often and are written for clarity. ``melds.pxd`` has the types of the functions that are worth compiling to C.
"""

from typing import Final

from arena.gin.cards import DECK, SUIT, VALUES, Card, Cards, LayOffs, Melds, bits, each


def _runs_leave() -> list[int]:
    """Return, for each combination of cards of one suit, the points that its best runs leave."""
    least = [0]
    for rank in range(13):
        for below in range(1 << rank):
            best = least[below] + VALUES[rank]
            rest, length = below, 1
            while length <= rank and rest >> (rank - length) & 1:
                rest ^= 1 << (rank - length)
                length += 1
                if length >= 3 and least[rest] < best:
                    best = least[rest]
            least.append(best)
    return least


def _sums() -> list[int]:
    """Return, for each combination of cards of one suit, the sum of their values."""
    sums = [0]
    for value in VALUES[:13]:
        sums += [value + less for less in sums]
    return sums


_LEFT: Final = _runs_leave()  # this and _SUMS: indexed by the cards of one suit, as 13 bits
_SUMS: Final = _sums()
_ACES: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39  # shifted or multiplied, it gives the four cards of another rank
_TOO_MANY: Final = 1000  # points; all 52 cards have 340


def deadwood(held: int) -> int:
    """Return the fewest points of deadwood that melds from ``held`` can leave. Rule: R1.6."""
    clubs, diamonds, hearts, spades = held & 0x1FFF, held >> 13 & 0x1FFF, held >> 26 & 0x1FFF, held >> 39
    least = _LEFT[clubs] + _LEFT[diamonds] + _LEFT[hearts] + _LEFT[spades]
    triple = clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)
    return _with_sets(held, triple, least) if triple else least


def _with_sets(held: int, triple: int, least: int) -> int:
    """Return the lower of ``least`` and the fewest points left if one or more ranks of ``triple`` are laid as sets."""
    while triple:
        low = triple & -triple
        triple ^= low
        rank = _ACES * low
        rest = held & ~rank
        least = _lower(rest, triple, least)
        if held & rank == rank:  # a set of three leaves one of the four cards
            least = _lower(rest | low, triple, least)
            least = _lower(rest | low << 13, triple, least)
            least = _lower(rest | low << 26, triple, least)
            least = _lower(rest | low << 39, triple, least)
    return least


def _lower(rest: int, triple: int, least: int) -> int:
    """Return the lower of ``least`` and the points that ``rest`` leaves, with or without sets of the ranks of ``triple``."""
    left = _LEFT[rest & 0x1FFF] + _LEFT[rest >> 13 & 0x1FFF] + _LEFT[rest >> 26 & 0x1FFF] + _LEFT[rest >> 39]
    if triple and left:
        left = _with_sets(rest, triple, left)
    return left if left < least else least  # noqa: FURB136 - a call of min costs as much as the look-ups


def best_throws(held: int, throws: int) -> tuple[int, Cards]:
    """Return the least deadwood of ``held`` without one of the cards ``throws``, in points, and the throws that leave it.

    The result is as from ``deadwood`` for each throw, computed at once: for a choice of sets, a throw changes only what the runs of
    its suit leave. If none of ``throws`` is held, the result is ``_TOO_MANY`` and no card.
    """
    least, best = _TOO_MANY, 0
    for rest in _outside_sets(held):
        runs_leave = _LEFT[rest & 0x1FFF] + _LEFT[rest >> 13 & 0x1FFF] + _LEFT[rest >> 26 & 0x1FFF] + _LEFT[rest >> 39]
        for start in range(0, 52, 13):  # the number of the suit's ace
            suit = rest >> start & 0x1FFF
            others = runs_leave - _LEFT[suit]
            cards = suit & throws >> start
            while cards:
                low = cards & -cards
                cards ^= low
                left = others + _LEFT[suit ^ low]
                if left < least:
                    least, best = left, low << start
                elif left == least:
                    best |= low << start
    return least, best


def _outside_sets(held: int) -> list[int]:
    """Return the cards that are left for runs, for each choice of sets from ``held``."""
    choices, triple = [held], _triple(held)
    while triple:
        low = triple & -triple
        triple ^= low
        rank = _ACES * low
        without = [rest & ~rank for rest in choices]
        if held & rank == rank:  # a set of three leaves one of the four cards
            without += [rest | kept for rest in without for kept in (low, low << 13, low << 26, low << 39)]
        choices += without
    return choices


def _triple(held: int) -> int:
    """Return the ranks of which ``held`` has three or four cards, as the clubs of these ranks."""
    clubs, diamonds, hearts, spades = held & 0x1FFF, held >> 13 & 0x1FFF, held >> 26 & 0x1FFF, held >> 39
    return clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)


def points(held: Cards) -> int:
    """Return the sum of the values of some cards. Rule: R1.2."""
    return _SUMS[held & 0x1FFF] + _SUMS[held >> 13 & 0x1FFF] + _SUMS[held >> 26 & 0x1FFF] + _SUMS[held >> 39]


def is_set(meld: Cards) -> bool:
    """Tell whether some cards are a set: three or four of one rank. Rule: R1.3."""
    ranks = _ranks(meld)
    return _are_three(meld) and ranks & ranks - 1 == 0


def is_run(meld: Cards) -> bool:
    """Tell whether some cards are a run: three or more, consecutive in one suit, the ace below the two. Rule: R1.3, R1.4."""
    low = meld & -meld
    consecutive = _are_three(meld) and meld + low & meld == 0
    return consecutive and not (meld ^ low) & _ACES  # an ace above the lowest card begins the next suit


def _are_three(cards: Cards) -> bool:
    """Tell whether there are three cards or more: ``x & x - 1`` is ``x`` without its lowest bit."""
    rest = cards & cards - 1
    return rest & rest - 1 != 0


def _ranks(cards: Cards) -> Cards:
    """Return the ranks of some cards, as the clubs of these ranks."""
    return (cards | cards >> 13 | cards >> 26 | cards >> 39) & 0x1FFF


_NOT_ACE: Final = DECK & ~_ACES  # cards with a card of the suit below them
_NOT_LOW: Final = DECK & ~(_ACES | _ACES << 1)  # with two below them
_NOT_KING: Final = DECK & ~(_ACES << 12)  # with one above them
_NOT_HIGH: Final = DECK & ~(_ACES << 12 | _ACES << 11)  # with two above them


def melds_in(held: Cards) -> Melds:
    """Return every set and run that ``held`` contains, parts of longer ones included, in numerical order."""
    return tuple(sorted(_sets_in(held) + _runs_in(held)))


def _sets_in(held: Cards) -> list[Cards]:
    sets: list[Cards] = []
    triple = _triple(held)
    while triple:
        low = triple & -triple
        triple ^= low
        rank = _ACES * low
        sets.append(held & rank)
        if held & rank == rank:
            sets += [rank ^ low, rank ^ low << 13, rank ^ low << 26, rank ^ low << 39]
    return sets


def _runs_in(held: Cards) -> list[Cards]:
    runs = []
    lowest = held & held >> 1 & _NOT_KING & held >> 2 & _NOT_HIGH
    while lowest:
        low = lowest & -lowest
        lowest ^= low
        run = 7 * low
        runs.append(run)
        while (following := run + low) & held & _NOT_ACE:  # the sum is the bit above the run
            run |= following
            runs.append(run)
    return runs


def completes(held: Cards) -> Cards:
    """Return the cards outside ``held`` that would make a meld with two of its cards."""
    below, lower = held << 1 & _NOT_ACE, held << 2 & _NOT_LOW  # cards whose first, and whose second, neighbour below is held
    above, higher = held >> 1 & _NOT_KING, held >> 2 & _NOT_HIGH
    runs = below & lower | below & above | above & higher
    clubs, diamonds, hearts, spades = held & SUIT, held >> 13 & SUIT, held >> 26 & SUIT, held >> 39
    pairs = clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades)
    return (runs | pairs * _ACES) & ~held


def partners(card: Card) -> tuple[Cards, ...]:
    """Return every two cards that make a set or a run of three with a card: sets first, then runs from low to high."""
    rank, bit = card % 13, 1 << card
    same = bits(range(rank, 52, 13)) ^ bit
    sets = [same ^ 1 << other for other in each(same)]
    first = 1 << card - rank
    runs = [7 * first << start ^ bit for start in range(max(0, rank - 2), min(rank, 10) + 1)]
    return tuple(sets + runs)


def meldings(held: Cards) -> list[Melds]:
    """Return every choice of melds from ``held`` in which no card is used twice, the empty one first. Rule: R1.5."""
    return _choices(melds_in(held))


def _choices(melds: Melds) -> list[Melds]:
    choices: list[Melds] = [()]
    for number, meld in enumerate(melds):
        apart = tuple([other for other in melds[number + 1 :] if not other & meld])
        choices += [(meld, *more) for more in _choices(apart)]
    return choices


def union(melds: Melds) -> Cards:
    """Return the cards of some melds together."""
    held = 0
    for meld in melds:
        held |= meld
    return held


def arrange(held: Cards) -> Melds:
    """Return melds that leave least deadwood. Rule: R6.2.

    Ties go to the arrangement on which the fewest cards outside ``held`` could be laid directly, then to the first in card order.
    """
    least = deadwood(held)
    useful = tuple([meld for meld in melds_in(held) if deadwood(held & ~meld) == least])
    best = [melds for melds in _choices(useful) if points(held & ~union(melds)) == least]
    return best[0] if len(best) == 1 else min(best, key=lambda melds: ((openings(melds) & ~held).bit_count(), melds))


def openings(melds: Melds) -> Cards:
    """Return the cards that fit directly on one of ``melds``, without another card between. Rule: R6.3."""
    fitting = 0
    for meld in melds:
        fitting |= _fourth(meld) | _ends(meld)
    return fitting


def _fourth(meld: Cards) -> Cards:
    """Return the missing card of a set of three; 0 for other melds."""
    return _ACES * _ranks(meld) & ~meld if is_set(meld) else 0


def _ends(meld: Cards) -> Cards:
    """Return the cards just below and above a run; 0 for a set."""
    return (meld << 1 & _NOT_ACE | meld >> 1 & _NOT_KING) & ~meld if is_run(meld) else 0


def lay_off(melds: Melds, held: Cards) -> LayOffs:
    """Return lay-offs of all cards of ``held`` that fit on the knocker's ``melds``, on runs before sets. Rule: R6.3.

    A card that fits a run and a set is laid on the run, where more cards may follow it.
    """
    laid: list[tuple[Card, int]] = []
    for number, meld in enumerate(melds):
        while fitting := _ends(meld) & held:
            laid += [(card, number) for card in each(fitting)]
            meld |= fitting  # noqa: PLW2901 - the run grows
            held ^= fitting
    for number, meld in enumerate(melds):
        laid += [(card, number) for card in each(_fourth(meld) & held)]
        held &= ~_fourth(meld)
    return tuple(laid)


def laid_cards(lay_offs: LayOffs) -> Cards:
    """Return the cards of some lay-offs."""
    return bits([card for card, _ in lay_offs])


def defend(held: Cards, melds: Melds) -> tuple[Melds, LayOffs]:
    """Return the defender's melds and lay-offs that together leave the fewest points. Rule: R6.4.

    Ties go to the fewest lay-offs, then to the first melds in card order; if no card fits directly, they go as in ``arrange``.
    ``melds`` are the knocker's, or empty where nothing may be laid off.
    """
    fitting = openings(melds)
    if not held & fitting:
        return arrange(held), ()

    def cost(own: Melds) -> tuple[int, int, Melds]:
        rest = held & ~union(own)
        lay_offs = lay_off(melds, rest) if rest & fitting else ()
        return points(rest & ~laid_cards(lay_offs)), len(lay_offs), own

    own = min(meldings(held), key=cost)
    return own, lay_off(melds, held & ~union(own))
