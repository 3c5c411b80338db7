"""Plays many sampled hands to their ends at once, all by the frozen policy, under the rules in force.

All hands are played in step: in each half-turn the seat to move of every hand takes or draws, and throws or knocks; hands that are
over leave the arrays. From the stock of a world the reviewed seat draws at the front and the other at the back, whatever the rules
say: its order is random, so this changes no chance, and a take by one seat does not change what the other draws later (common
random numbers).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.gin.moves import DEAD_STOCK
from arena.gin.rules import Rules
from arena.review import policy
from arena.review.vectors import BIT, Endings, Flags, Floats, Ints, after_throws, completes, deadwoods, each

FREE, MUST_DRAW, MUST_TAKE, FIRST_UPCARD, LAST_UPCARD = range(5)  # what the seat to move may do before its throw
NONE: Final = 63  # no upcard: a bit that no set of cards has
TURNS: Final = 20  # of a seat in a hand; takes make more, whose knocks then share a random number
WIDTH: Final = 32  # most cards of a stock


class Starts(Struct, frozen=True, eq=False, kw_only=True):
    """Where hands begin: one element or row for each. ``mine`` is the seat to move."""

    mine: Ints
    theirs: Ints
    mine_known: Ints  # of mine, what the other seat saw me take
    theirs_known: Ints
    dead: Ints  # the discard pile, its top included
    upcard: Ints  # the top of the discard pile, NONE without one
    mode: Ints
    reviewed: Flags  # whether the reviewed seat is to move
    mine_turns: Ints  # finished
    theirs_turns: Ints
    takes: Ints  # from the discard pile so far, both seats together
    stock: Ints  # (hands x cards) orders of the stock
    size: Ints  # of each stock
    chance: Floats  # (hands x TURNS) a random number for each decision to knock and each throw

    def of(self, rows: NDArray[np.int64] | Flags) -> "Starts":
        """Return some of the hands."""
        return Starts(**{name: getattr(self, name)[rows] for name in self.__struct_fields__})


def join(several: Sequence[Starts]) -> Starts:
    """Return the hands of several one after the other; their stocks must have one width."""
    return Starts(**{name: np.concatenate([getattr(one, name) for one in several]) for name in Starts.__struct_fields__})


class Rollouts:
    """Plays hands under some rules.

    ``knocking`` are the chances to knock by seat, turn and deadwood, the reviewed seat's first; ``habit`` is ``throwing`` of the
    :class:`arena.review.habits.Habits` of the other seat.
    """

    def __init__(self, rules: Rules, knocking: Floats, habit: Floats) -> None:
        self._rules = rules
        self._endings = Endings(rules)
        self._knocking = knocking
        self._throwing = habit

    def points(self, starts: Starts) -> Floats:
        """Return the points of each hand for the reviewed seat."""
        table = _HandsInPlay(starts)
        self._run_out(table)
        self._upcards(table)
        while len(table.rows):
            self._half_turn(table)
        return table.points

    def _upcards(self, table: "_HandsInPlay") -> None:
        """Play the upcard sequence, after which every seat to move is free, must draw or must take. Rule: R3."""
        after = MUST_DRAW if self._rules.after_two_passes == "stock" else FREE
        for mode, following in ((FIRST_UPCARD, LAST_UPCARD), (LAST_UPCARD, after)):
            asked = table.mode == mode
            takes = asked & _takers(table, asked)
            table.mode[takes] = MUST_TAKE
            table.mode[asked & ~takes] = following
            table.exchange(asked & ~takes)

    def _half_turn(self, table: "_HandsInPlay") -> None:
        takes = (table.mode == MUST_TAKE) | _takers(table, table.mode == FREE)
        card = table.gain(takes)
        cards = each(table.mine, 11)
        left = after_throws(table.mine, cards)
        if not self._rules.return_taken:
            left[takes[:, None] & (cards == card[:, None])] = policy.FORBIDDEN
        going_on = ~self._lay_down(table, cards, left)
        table.keep(going_on)
        self._throw(table, cards[going_on], left[going_on])
        self._run_out(table)

    def _lay_down(self, table: "_HandsInPlay", cards: Ints, left: Ints) -> Flags:
        """Have those call gin, big gin or a knock that do; return which."""
        least = left.min(axis=1)
        calls = self._endings.may_knock[least]
        calls[calls] = self._calls(table, calls, least[calls])
        rows = np.flatnonzero(calls)
        if len(rows):
            thrown = cards[rows, left[rows].argmin(axis=1)]
            caller, defender = table.mine[rows], table.theirs[rows]
            gains = self._endings.knock(caller & ~BIT[thrown], least[rows], defender)
            if self._rules.plays_big_gin and (big := deadwoods(caller) == 0).any():
                gains[big] = np.maximum(gains[big], self._endings.big_gin(defender[big]))
            table.score(rows, gains)
        return np.asarray(calls)

    def _calls(self, table: "_HandsInPlay", may: Flags, least: Ints) -> Flags:
        """Return which of the seats that may knock do, by their habits; gin is always called."""
        turn = np.minimum(table.mine_turns[may], TURNS - 1)
        habit = np.where(table.reviewed[may], 0, 1)
        chance = table.chance[np.flatnonzero(may), turn] if may.any() else np.empty(0)
        return np.asarray((least == 0) | (chance < self._knocking[habit, turn, least]))

    def _throw(self, table: "_HandsInPlay", cards: Ints, left: Ints) -> None:
        place = np.empty(len(cards), np.int64)
        own, others = np.flatnonzero(table.reviewed), np.flatnonzero(~table.reviewed)
        place[own] = policy.throws(*_decision(table, own, cards, left)).costs().argmin(axis=1)
        place[others] = self._choose_discards(table, others, cards, left)
        rows = np.arange(len(cards))
        table.throw(cards[rows, place], left[rows, place])

    def _choose_discards(self, table: "_HandsInPlay", rows: Ints, cards: Ints, left: Ints) -> Ints:
        """Return the places of the cards that the other seat throws by its habits, in some of the hands."""
        matter = policy.matters(*_decision(table, rows, cards, left))
        chance = table.chance[rows, np.minimum(table.mine_turns[rows], TURNS - 1)]
        return np.asarray(policy.likings(self._throwing, matter, policy.random_part(chance, cards[rows])).argmax(axis=1))

    def _run_out(self, table: "_HandsInPlay") -> None:
        """End the hands whose stock or takes have run out; the seat that did not throw is to move. Rule: R5."""
        out = table.back - table.front <= DEAD_STOCK
        rows = np.flatnonzero(out)
        if len(rows) and self._rules.stock_out == "last_take":
            self._last_take(table, rows)
        elif len(rows):
            table.score(rows, -self._endings.out(table.theirs[rows], table.mine[rows]))
        table.keep(~out & (table.takes < self._rules.max_takes))

    def _last_take(self, table: "_HandsInPlay", rows: Ints) -> None:
        """Have the last discard taken by every seat that can knock with it."""
        mine, upcard = table.mine[rows] | BIT[table.upcard[rows]], table.upcard[rows]
        cards = each(mine, 11)
        left = after_throws(mine, cards)
        if not self._rules.return_taken:
            left[cards == upcard[:, None]] = policy.FORBIDDEN
        least = np.minimum(left.min(axis=1), len(self._endings.may_knock) - 1)
        may = np.flatnonzero(self._endings.may_knock[least])
        thrown = cards[may, left[may].argmin(axis=1)]
        gains = self._endings.knock(mine[may] & ~BIT[thrown], least[may], table.theirs[rows[may]])
        table.score(rows[may], gains)


def _decision(table: "_HandsInPlay", rows: Ints, cards: Ints, left: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the features of the throws in some of the hands: the arguments of :func:`arena.review.policy.throws`."""
    return table.mine[rows], cards[rows], left[rows], table.dead[rows], table.theirs_known[rows]


def _takers(table: "_HandsInPlay", asked: Flags) -> Flags:
    """Return which seats of those asked take the upcard."""
    wanted = asked & (completes(table.mine) >> table.upcard & 1 == 1)
    rows = np.flatnonzero(wanted)
    if len(rows):
        mine, upcard = table.mine[rows], table.upcard[rows]
        cards = each(mine | BIT[upcard], 11)
        wanted[rows] = policy.wants(mine, table.mine_left[rows], upcard, cards)
    return np.asarray(wanted)


class _HandsInPlay:
    """The hands in play, and the points of all; ``rows`` are the numbers of those in play."""

    def __init__(self, starts: Starts) -> None:
        self.points = np.zeros(len(starts.mine))
        self.rows = np.arange(len(starts.mine))
        self.mine, self.theirs = starts.mine.copy(), starts.theirs.copy()
        self.mine_left, self.theirs_left = deadwoods(starts.mine), deadwoods(starts.theirs)
        self.mine_known, self.theirs_known = starts.mine_known.copy(), starts.theirs_known.copy()
        self.mine_turns, self.theirs_turns = starts.mine_turns.copy(), starts.theirs_turns.copy()
        self.dead, self.upcard, self.mode = starts.dead.copy(), starts.upcard.copy(), starts.mode.copy()
        self.reviewed, self.takes = starts.reviewed.copy(), starts.takes.copy()
        self.front, self.back = np.zeros(len(self.rows), np.int64), starts.size.copy()
        self.chance, self.stock = starts.chance, starts.stock

    def keep(self, staying: Flags) -> None:
        """Remove the hands that are over."""
        if not staying.all():
            for name, array in vars(self).items():
                if name != "points":
                    setattr(self, name, array[staying])

    def gain(self, takes: Flags) -> Ints:
        """Have each seat to move take the upcard or draw, and return the card."""
        front = ~takes & self.reviewed
        back = ~takes & ~self.reviewed
        self.back -= back
        drawn = self.stock[np.arange(len(self.rows)), np.where(self.reviewed, self.front, self.back) % self.stock.shape[1]]
        self.front += front
        card = np.where(takes, self.upcard, drawn)
        taken = np.where(takes, BIT[np.where(takes, card, 0)], 0)
        self.mine |= BIT[card]
        self.mine_known |= taken
        self.dead &= ~taken
        self.takes += takes
        return card

    def throw(self, card: Ints, left: Ints) -> None:
        """Have each seat to move throw a card, which leaves it ``left`` points; the other seat is to move then."""
        bit = BIT[card]
        self.mine &= ~bit
        self.mine_known &= ~bit
        self.mine_left = left
        self.mine_turns += 1
        self.dead |= bit
        self.upcard = card
        self.mode[:] = FREE
        self.exchange(np.ones(len(card), np.bool_))

    def exchange(self, which: Flags) -> None:
        """Have the other seat move in some hands."""
        for mine, theirs in _PAIRS:
            one, other = getattr(self, mine), getattr(self, theirs)
            setattr(self, mine, np.where(which, other, one))
            setattr(self, theirs, np.where(which, one, other))
        self.reviewed = self.reviewed ^ which

    def score(self, rows: Ints, gains: Ints) -> None:
        """Store what the seats to move gain in some of the hands in play."""
        self.points[self.rows[rows]] = np.where(self.reviewed[rows], gains, -gains)


_PAIRS = (
    ("mine", "theirs"),
    ("mine_left", "theirs_left"),
    ("mine_known", "theirs_known"),
    ("mine_turns", "theirs_turns"),
)
