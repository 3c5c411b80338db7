"""Plays many sampled hands to their ends at once, by the kernel of :mod:`arena.train`, under the rules in force.

The reviewed seat is seat 0 of every hand. It plays by the frozen policy of :mod:`arena.train.rollouts` or as scholar, the other
seat by its habits. From the stock of a world the reviewed seat draws at the front and the other at the back, whatever the rules
say: its order is random, so this changes no chance, and a take by one seat does not change what the other draws later (common
random numbers).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from arena.gin.cards import Cards, bits
from arena.gin.hand import Hand
from arena.gin.rules import Rules
from arena.review import policy
from arena.review.habits import Habits
from arena.review.vectors import BIT, Floats, Ints, after_throws, counts, deadwoods, each
from arena.review.walking import HandStep
from arena.review.worlds import CHANCES, Worlds
from arena.sdk.network import Network
from arena.train import calls, native
from arena.train.calls import Networks
from arena.train.checks import STATE, States
from arena.train.engine import PHASES
from arena.train.rollout_memory import ASK, TURNS
from arena.train.sets import completes
from arena.train.terms import terms_of

assert CHANCES == TURNS


def states(step: HandStep, worlds: Worlds) -> States:
    """Return the hand at a decision of its reviewed seat, in each world."""
    view, hand = step.view, step.hand
    found = np.zeros(len(worlds.theirs), STATE)
    found["held"][:, 0], found["held"][:, 1] = view.cards, worlds.theirs
    found["took"], found["threw"] = view.took, view.threw
    found["piled"] = bits(view.pile)
    found["pile"][:, : len(view.pile)] = view.pile
    found["pile_count"] = len(view.pile)
    found["deck"][:, 52 - view.stock :] = worlds.stock
    found["top"], found["bottom"] = 52 - view.stock, 52
    found["phase"] = PHASES.index(view.phase)
    found["dealer"] = 1
    found["drawn"] = -1 if view.drawn is None else view.drawn
    found["taken"], found["passes"], found["takes"] = hand.taken, hand.passes, hand.takes
    found["ending"] = found["winner"] = -1
    return found


def sampled_hand(step: HandStep, theirs: Cards) -> Hand:
    """Return the hand at a decision with other cards of the other seat; only its end may be played."""
    mine = step.view.cards
    return structs.replace(step.hand, cards=(theirs, mine) if step.seat else (mine, theirs))


class Rollouts:
    """Plays hands under some rules: the other seat by habits, the reviewed one by the policy or by the ``networks`` of scholar.

    ``knocking`` are the policy's chances to knock by turn and deadwood.
    """

    def __init__(self, rules: Rules, knocking: Floats, opponent: Habits, networks: Sequence[Network] = ()) -> None:
        self._networks = Networks([(one.rows, one.biases, one.weights, one.bias) for one in networks])
        self.terms = terms_of(structs.replace(rules, stock="two-ended"))
        self.knocking = np.stack([knocking, opponent.knocking(TURNS)])
        self.throwing = np.array(opponent.throwing)

    def points(self, begun: States, chance: Floats, places: Ints, actions: Ints) -> Floats:
        """Return the points of the reviewed seat for each row: the hand ``begun[places]``, if one of ``actions`` is played first.

        ``chance`` has TURNS random numbers for each hand that is begun.
        """
        in_kernel = calls.COMPILED or len(self._networks.array)
        return (self.play_out if in_kernel else self.play_in_step)(begun, chance, places, actions)

    def play_in_step(self, begun: States, chance: Floats, places: Ints, actions: Ints) -> Floats:
        """Return the same as :meth:`points`, with the decisions of all hands made together on arrays."""
        hands = begun[places]
        self.play_one(hands, chance, places, actions)
        found, rows = np.zeros(len(places)), np.arange(len(places))
        while len(hands):
            over = hands["phase"] == native.OVER
            won = np.where(hands["winner"] < 0, 0, np.where(hands["winner"] == 0, hands["points"], -hands["points"]))
            found[rows[over]] = won[over]
            hands, rows = hands[~over], rows[~over]
            self.play_one(hands, chance, places[rows], _Decisions(self, hands, chance[places[rows]]).actions)
        return found

    def play_out(self, begun: States, chance: Floats, places: Ints, actions: Ints) -> Floats:
        """Return the same as :meth:`points`, by the kernel alone."""
        found = np.zeros(len(places))
        arrays = self._arrays(begun, chance, places, actions) | {"scratch": np.zeros(1, STATE), "points": found}
        calls.play_out(arrays, self.terms, self._networks, size=len(places))
        return found

    def play_one(self, hands: States, chance: Floats, places: Ints, actions: Ints) -> Ints:
        """Play an action in each of the hands, and return the actions, with those that the kernel decides."""
        arrays = self._arrays(hands, chance, places, actions)
        calls.play_one(arrays, self.terms, self._networks, size=len(hands))
        return arrays["actions"]

    def _arrays(self, begun: States, chance: Floats, places: Ints, actions: Ints) -> dict[str, NDArray[Any]]:
        return {
            "states": begun,
            "places": places,
            "actions": np.ascontiguousarray(actions, np.int32),
            "chance": chance,
            "knocking": self.knocking,
            "throwing": self.throwing,
            "noise": policy.NOISE,
        }


class _Decisions:
    """What the acting seats of hands decide, as :mod:`arena.train.rollouts` does, which takes ten times as long if interpreted."""

    def __init__(self, play: Rollouts, hands: States, chance: Floats) -> None:
        self._play, self._hands, self._chance = play, hands, chance
        self.actions = np.full(len(hands), ASK)
        phase = hands["phase"]
        self._draw(np.flatnonzero((phase == native.AT_UPCARD) | (phase == native.AT_DRAW)))
        self._throw(np.flatnonzero(phase == native.AT_DISCARD))

    def _draw(self, rows: Ints) -> None:
        hands = self._hands[rows]
        mine = hands["held"][np.arange(len(rows)), hands["seat"]].astype(np.int64)
        upcard = hands["pile"][np.arange(len(rows)), hands["pile_count"].astype(np.int64) - 1].astype(np.int64)
        takes = completes(mine) >> upcard & 1 == 1
        some = np.flatnonzero(takes)
        if len(some):
            cards = each(mine[some] | BIT[upcard[some]], 11)
            takes[some] = policy.wants(mine[some], deadwoods(mine[some]), upcard[some], cards)
        otherwise = np.where(hands["phase"] == native.AT_DRAW, native.DRAW, native.PASS)
        self.actions[rows] = np.where(takes, native.TAKE, otherwise)

    def _throw(self, rows: Ints) -> None:
        hands, every = self._hands[rows], np.arange(len(rows))
        seat = hands["seat"].astype(np.int64)
        sets = hands["held"].astype(np.int64)
        mine = sets[every, seat]
        known = hands["took"].astype(np.int64)[every, 1 - seat] & sets[every, 1 - seat]
        cards = each(mine, 11)
        left = after_throws(mine, cards)
        if not self._play.terms.return_taken:
            left[(cards == hands["drawn"][:, None]) & (hands["taken"] == 1)[:, None]] = policy.FORBIDDEN
        place, least = left.argmin(axis=1), left.min(axis=1)
        turn = np.minimum(counts(hands["threw"][every, seat].astype(np.int64)), TURNS - 1)
        chance = self._chance[rows, turn]
        may = least <= self._play.terms.most_deadwood
        knocks = may & ((least == 0) | (chance < self._play.knocking[seat, turn, np.where(may, least, 0)]))
        judged_by = mine, cards, left, hands["piled"].astype(np.int64), known
        own, others = np.flatnonzero(~knocks & (seat == 0)), np.flatnonzero(~knocks & (seat == 1))
        place[own] = policy.throws(*(some[own] for some in judged_by)).costs().argmin(axis=1)
        matter = policy.matters(*(some[others] for some in judged_by))
        noise = policy.random_part(chance[others], cards[others])
        place[others] = policy.likings(self._play.throwing, matter, noise).argmax(axis=1)
        thrown = cards[every, place]
        asks = (deadwoods(mine) == 0) & (self._play.terms.big_gin == 1)
        self.actions[rows] = np.where(asks, ASK, np.where(knocks, native.KNOCK + thrown, thrown))
