"""The arithmetic of :mod:`arena.gin.melds` on arrays: one element is the set of cards of one hand.

A review plays thousands of hands from one position. On arrays, each step costs a few nanoseconds a hand, where Python's integers
take microseconds. The results are those of ``arena.gin.melds``, which tests compare.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.gin.cards import VALUES, Melds
from arena.gin.melds import arrange, deadwood, is_run, is_set, openings, union
from arena.gin.rules import Rules
from arena.gin.score import Ending, Showdown, score

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

SUIT: Final = 0x1FFF
ACES: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39
IMPOSSIBLE: Final = 1000  # points: more than any hand has

DECK: Final = (1 << 52) - 1
NOT_ACE: Final = DECK & ~ACES
NOT_LOW: Final = NOT_ACE & ~(ACES << 1)
NOT_KING: Final = DECK & ~(ACES << 12)
NOT_HIGH: Final = NOT_KING & ~(ACES << 11)

RUNS_LEAVE: Final[Ints] = np.array([deadwood(cards) for cards in range(1 << 13)], dtype=np.int64)  # cards of one suit have no sets
VALUE: Final[Ints] = np.array(VALUES, dtype=np.int64)
BIT: Final[Ints] = np.array([1 << card for card in range(52)], dtype=np.int64)
START: Final[Ints] = np.array([card // 13 * 13 for card in range(52)], dtype=np.int64)  # the shift to a card's suit


def deadwoods(held: Ints) -> Ints:
    """Return the least deadwood of each hand, in points. Rule: R1.6."""
    least = runs_leave(held)
    rows, rests = with_sets(held)
    if len(rows):
        first = _starts(rows)
        found = rows[first]
        least[found] = np.minimum(least[found], np.minimum.reduceat(runs_leave(rests), first))
    return least


def after_throws(held: Ints, cards: Ints) -> Ints:
    """Return, for each hand of eleven cards, the least deadwood after the throw of each of its ``cards`` (hands x 11)."""
    least = _after_throws_of_runs(held, cards)
    rows, rests = with_sets(held)
    if len(rows):
        first = _starts(rows)
        found = rows[first]
        least[found] = np.minimum(least[found], np.minimum.reduceat(_after_throws_of_runs(rests, cards[rows]), first, axis=0))
    return least


def _after_throws_of_runs(rest: Ints, cards: Ints) -> Ints:
    """Return the points that the runs of ``rest`` leave without each card; IMPOSSIBLE for a card that is laid in a set."""
    start, bit = START[cards], BIT[cards]
    suit = rest[:, None] >> start & SUIT
    left = runs_leave(rest)[:, None] - RUNS_LEAVE[suit] + RUNS_LEAVE[suit & ~(bit >> start)]
    left[rest[:, None] & bit == 0] = IMPOSSIBLE
    return np.asarray(left)


def runs_leave(held: Ints) -> Ints:
    """Return the points that the best runs leave, without sets."""
    low = RUNS_LEAVE[held & SUIT] + RUNS_LEAVE[held >> 13 & SUIT]
    return np.asarray(low + RUNS_LEAVE[held >> 26 & SUIT] + RUNS_LEAVE[held >> 39])


def with_sets(held: Ints) -> tuple[Ints, Ints]:
    """Return every choice of one or more sets: the numbers of the hands, ascending, and the cards that are not in the sets."""
    parts = list(_set_choices(held))
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    rows = np.concatenate([part[0] for part in parts])
    rests = np.concatenate([part[1] for part in parts])
    order = np.argsort(rows, kind="stable")
    return rows[order], rests[order]


def _set_choices(held: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield the choices of sets in parts: the numbers of the hands, and their cards that are not in the sets."""
    triple = triples(held)
    rows = np.flatnonzero(triple)
    rest, triple = held[rows], triple[rows]
    while len(rows):
        low = triple & -triple
        rank = ACES * low
        used = list(_sets_of(rows, rest, low, rank))
        yield from ((one[0], one[1]) for one in used)
        rows = np.concatenate([rows, *(one[0] for one in used)])
        rest = np.concatenate([rest, *(one[1] for one in used)])
        triple = np.concatenate([triple ^ low, *((triple ^ low)[one[2]] for one in used)])
        more = np.flatnonzero(triple)
        rows, rest, triple = rows[more], rest[more], triple[more]


def _sets_of(rows: Ints, rest: Ints, low: Ints, rank: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield the sets of one rank: the numbers of the hands, what is left of them, and their places in ``rows``."""
    without = rest & ~rank
    yield rows, without, np.arange(len(rows))
    four = np.flatnonzero(rest & rank == rank)
    for start in (0, 13, 26, 39) if len(four) else ():  # a set of three leaves one of the four cards
        yield rows[four], without[four] | low[four] << start, four


def triples(held: Ints) -> Ints:
    """Return the ranks of which a hand has three cards or more, as bits 0 to 12."""
    clubs, diamonds, hearts, spades = held & SUIT, held >> 13 & SUIT, held >> 26 & SUIT, held >> 39
    return clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)


def completes(held: Ints) -> Ints:
    """Return the cards outside each hand that would make a meld with two of its cards, or extend one."""
    below, lower = held << 1 & NOT_ACE, held << 2 & NOT_LOW
    above, higher = held >> 1 & NOT_KING, held >> 2 & NOT_HIGH
    runs = below & lower | below & above | above & higher
    return np.asarray((runs | pairs(held) * ACES) & ~held)


def pairs(held: Ints) -> Ints:
    """Return the ranks of which a hand has two cards or more, as bits 0 to 12."""
    clubs, diamonds, hearts, spades = held & SUIT, held >> 13 & SUIT, held >> 26 & SUIT, held >> 39
    return clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades)


def near(held: Ints) -> Ints:
    """Return the cards that are one or two ranks from a card of each hand, in its suit."""
    below, above = held << 1 & NOT_ACE, held >> 1 & NOT_KING
    return below | above | held << 2 & NOT_LOW | held >> 2 & NOT_HIGH


def related_cards(held: Ints) -> Ints:
    """Return the cards outside each hand that can be in one meld with one of its cards."""
    ranks = (held | held >> 13 | held >> 26 | held >> 39) & SUIT
    return np.asarray((near(held) | ranks * ACES) & ~held)


def extends(held: Ints) -> Ints:
    """Return the cards outside each hand that fit on a meld of three of its cards: one of these is laid off first."""
    below = held << 1 & NOT_ACE
    two_below = below << 1 & NOT_ACE
    above = held >> 1 & NOT_KING
    two_above = above >> 1 & NOT_KING
    runs = below & two_below & (two_below << 1 & NOT_ACE) | above & two_above & (two_above >> 1 & NOT_KING)
    return np.asarray((runs | triples(held) * ACES) & ~held)


def counts(held: Ints) -> Ints:
    """Return the number of cards in each element."""
    return np.bitwise_count(held).astype(np.int64)


def each(held: Ints, size: int) -> Ints:
    """Return the cards of hands of ``size`` cards, ascending (hands x size)."""
    found = np.empty((len(held), size), np.int64)
    for place in range(size):
        low = held & -held
        found[:, place] = number(low)
        held = held ^ low
    return found


def number(bit: Ints) -> Ints:
    """Return the cards of sets of one card: the exponent of a power of two as a float (IEEE 754)."""
    return (bit.astype(np.float64).view(np.int64) >> 52) - 1023


def meldable(held: Ints) -> Ints:
    """Return the cards of each hand that are in at least one possible set or run."""
    next_up = held >> 1 & NOT_KING
    first = held & next_up & next_up >> 1 & NOT_KING
    return np.asarray(first | first << 1 | first << 2 | triples(held) * ACES & held)


# The deadwood of many defenders after their best lay-offs, each against the best melds of its caller. Source: R6.2-R6.4.


def after_lay_offs(callers: Ints, defenders: Ints) -> Ints:
    """Return the least deadwood of each defender if its caller lays what :func:`arena.gin.melds.arrange` chooses."""
    left = deadwoods(defenders)
    rows = np.flatnonzero(extends(callers) & defenders)  # nothing else can be laid off first
    if len(rows):
        in_runs, fourths = laid(callers[rows])
        left[rows] = least_deadwood(defenders[rows], in_runs, fourths)
    return left


def least_deadwood(defenders: Ints, in_runs: Ints, fourths: Ints) -> Ints:
    """Return the least deadwood of each defender against a caller's cards in runs and the missing fourth cards of its sets."""
    left = deadwoods(defenders)
    rows, some = _parts_of(cards_laid_off(in_runs, fourths, defenders))  # a card may be worth more in a meld of one's own
    legal = cards_laid_off(in_runs[rows], fourths[rows], some) == some
    rows, some = rows[legal], some[legal]
    np.minimum.at(left, rows, deadwoods(defenders[rows] & ~some))
    return left


def _parts_of(cards: Ints) -> tuple[Ints, Ints]:
    """Return every part of each set but the empty one: the numbers of the sets, and the cards."""
    rows, parts, rest = np.arange(len(cards)), np.zeros_like(cards), cards
    while rest.any():
        low = rest & -rest
        more = low != 0
        rows, parts = np.concatenate([rows, rows[more]]), np.concatenate([parts, (parts | low)[more]])
        rest = np.concatenate([rest & ~low, (rest & ~low)[more]])
    return rows[parts != 0], parts[parts != 0]


def cards_laid_off(in_runs: Ints, fourths: Ints, held: Ints) -> Ints:
    """Return the cards of ``held`` that can be laid off if all are: beside a run, one after the other, or on a set of three."""
    grown = in_runs
    while True:
        more = grown | (grown << 1 & NOT_ACE | grown >> 1 & NOT_KING) & held
        if np.array_equal(more, grown):
            return np.asarray((grown & ~in_runs | fourths) & held)
        grown = more


def laid(callers: Ints) -> tuple[Ints, Ints]:
    """Return, for the melds that each caller lays, its cards in runs and the missing fourth cards of its sets."""
    rows, rests = with_sets(callers)
    rows, rests = np.concatenate([np.arange(len(callers)), rows]), np.concatenate([callers, rests])
    in_runs, opened = _runs(rests)
    fourths = _fourths(callers[rows] & ~rests)
    number_opened = counts((opened | fourths) & ~callers[rows])
    keys = 64 * runs_leave(rests) + number_opened  # least deadwood, then fewest cards to lay off (R6.2); at most 52
    order = np.lexsort((keys, rows))
    first = _starts(rows[order])
    best = order[first]
    for tied in np.flatnonzero(_ties(keys[order], rows[order], first)):
        in_runs[best[tied]], fourths[best[tied]] = _laid_melds(int(callers[tied]))
    return in_runs[best], fourths[best]


def _starts(rows: Ints) -> Ints:
    """Return the places at which a new row begins in ascending rows."""
    return np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])


def _ties(keys: Ints, rows: Ints, first: Ints) -> Flags:
    """Return a mask of the callers whose second choice is as good as the first: then the order of the cards decides."""
    second = np.minimum(first + 1, len(keys) - 1)
    return np.asarray((second > first) & (rows[second] == rows[first]) & (keys[second] == keys[first]))


@lru_cache(maxsize=1 << 14)
def _laid_melds(caller: int) -> tuple[int, int]:
    """Return the cards in runs and the missing fourth cards of the melds that a caller lays."""
    return parts(arrange(caller))


def parts(melds: Melds) -> tuple[int, int]:
    """Return the cards of melds that are in runs, and the missing fourth cards of its sets."""
    return union(tuple(filter(is_run, melds))), openings(tuple(filter(is_set, melds)))


def _fourths(in_sets: Ints) -> Ints:
    """Return the missing fourth card of each set of three."""
    ranks = (in_sets | in_sets >> 13 | in_sets >> 26 | in_sets >> 39) & SUIT
    return np.asarray(ranks * ACES & ~in_sets)


def _runs(rests: Ints) -> tuple[Ints, Ints]:
    """Return the cards in the best runs of each hand, and the cards that could be laid directly on them."""
    in_runs, opened = np.zeros_like(rests), np.zeros_like(rests)
    for start in (0, 13, 26, 39):
        suits, which = np.unique(rests >> start & SUIT, return_inverse=True)
        table = np.array([_runs_of(int(suit)) for suit in suits], np.int64)
        in_runs |= table[which, 0] << start
        opened |= table[which, 1] << start
    return in_runs, opened


@cache  # at most 8,192 pairs of numbers
def _runs_of(suit: int) -> tuple[int, int]:
    melds = arrange(suit)
    return union(melds), openings(melds)


# What many hands score at their ends: a knock, gin or big gin with its lay-offs, or a stock that runs out. Source: R5.2, R6-R8.

MOST: Final = 100  # points of deadwood that ten cards can leave


class Endings:
    """The scores of ended hands under some rules, in points for the seat that calls; negative, if the other scores."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._scores = {called: _scores(rules, called) for called in (Ending.KNOCK, Ending.GIN, Ending.BIG_GIN, Ending.SHOWDOWN)}
        self.may_knock: Flags = np.array([rules.may_knock_with(left) for left in range(MOST + 1)])

    def knock(self, caller: Ints, left: Ints, defender: Ints) -> Ints:
        """Return the points of a knock; ``left`` points are gin if they are 0. The caller lays its best melds."""
        gin = left == 0
        theirs = deadwoods(defender)
        open_to = ~gin | self._rules.layoff_on_gin
        theirs[open_to] = after_lay_offs(caller[open_to], defender[open_to])
        return np.where(gin, self._scores[Ending.GIN][0, theirs], self._scores[Ending.KNOCK][left, theirs])

    def knock_with(self, melds: Melds, left: int, defender: Ints) -> Ints:
        """Return the points of a knock with declared melds against each hand."""
        theirs = deadwoods(defender)
        if left or self._rules.layoff_on_gin:
            in_runs, fourths = parts(melds)
            theirs = least_deadwood(defender, np.full_like(defender, in_runs), np.full_like(defender, fourths))
        return np.asarray(self._scores[Ending.KNOCK if left else Ending.GIN][left, theirs])

    def big_gin(self, defender: Ints) -> Ints:
        """Return the points of big gin."""
        return np.asarray(self._scores[Ending.BIG_GIN][0, deadwoods(defender)])

    def out(self, last: Ints, other: Ints) -> Ints:
        """Return the points of hands in which the stock runs out after a throw of the seat ``last``, for that seat."""
        if self._rules.stock_out != "showdown":
            return np.zeros(len(last), np.int64)
        return np.asarray(self._scores[Ending.SHOWDOWN][deadwoods(last), after_lay_offs(last, other)])


@lru_cache(maxsize=64)
def _scores(rules: Rules, called: Ending) -> Ints:
    """Return the score of each deadwood of the caller (rows) and of the defender."""
    callers = range(MOST + 1) if called in (Ending.KNOCK, Ending.SHOWDOWN) else (0,)
    return np.array(
        [[for_caller(Showdown(called, 0, (mine, theirs)), rules) for theirs in range(MOST + 1)] for mine in callers], np.int64
    )


def for_caller(show: Showdown, rules: Rules) -> int:
    """Return the points of the caller, seat 0; negative, if the other seat scores."""
    result = score(show, rules)
    return result.points if result.winner == 0 else -result.points
