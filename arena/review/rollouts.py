"""Plays sampled hands to their ends, and returns decisions of the policy of the rollouts, by the kernel of :mod:`arena.train`.

The reviewed seat is seat 0 of every hand. It plays by the frozen policy of :mod:`arena.train.rollouts` or as scholar, the other
seat by its habits, or as scholar where scholar explains its throws better. The reviewed seat draws from the front of a world's
stock and the other from the back, under all rules: the order of the stock is random, so no chance changes, and a take by one seat
does not change what the other draws later (common random numbers).
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from msgspec import Struct, json
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.gin.actions import LAY_OFF, Action, LayOff, Pass
from arena.gin.cards import Card, Cards, bits
from arena.gin.rules import Rules
from arena.gin.view import View
from arena.review.arrays import Floats, Ints
from arena.review.habits import Habits, own_knocking, usual_habits
from arena.review.hand_walks import HandStep, step_of
from arena.review.worlds import CHANCES, Worlds
from arena.sdk.network import Network
from arena.train import calls
from arena.train.calls import Networks
from arena.train.checks import STATE, States
from arena.train.engine import action_of, state_of
from arena.train.native import FEATURES, HABITS, NOISES, POLICY, SCHOLAR, TURNS
from arena.train.rule_tables import terms_of

NOISE: Final[Floats] = np.random.Generator(np.random.PCG64(2)).gumbel(size=(NOISES, 52))  # random part of each utility

assert CHANCES == TURNS  # a random number for each turn that the kernel tells apart


def states(step: HandStep, worlds: Worlds) -> States:
    """Return the hand at a decision, in each world; the seat that decides is seat 0."""
    found = np.repeat(_state_without_stock(step, 0), len(worlds.theirs))
    found["held"][:, 1] = worlds.theirs
    found["deck"][:, 52 - step.view.stock :] = worlds.stock
    return found


def _state_without_stock(step: HandStep, theirs: Cards) -> States:
    """Return the hand at a decision, in an array of one, with ``theirs`` for the other seat and without a stock."""
    found, hand = state_of(step.view, theirs), step.hand
    found["dealer"] = 1  # the dealer draws from the back of a two-ended stock, so the reviewed seat draws from the front
    found["taken"], found["passes"], found["takes"] = hand.taken, hand.passes, hand.takes
    found["deck"][:, 20] = hand.facts.upcard or 0  # a plugin's scores may depend on it
    return found


@cache
def scholars_networks() -> Networks:
    """Return the networks of scholar."""
    found = json.decode(files("arena_bots").joinpath("scholar.json").read_bytes(), type=dict[str, Network])
    ordered = [found[name] for name in ("after", "before", "knock")]
    return Networks([(one.rows, one.biases, one.weights, one.bias) for one in ordered])


class Rollouts:
    """Plays hands under some rules: the other seat by habits, the reviewed one by the policy or as scholar."""

    def __init__(self, rules: Rules, opponent: Habits, *, as_scholar: bool = False) -> None:
        self._players = {"player": SCHOLAR if as_scholar else POLICY, "other": SCHOLAR if opponent.as_scholar else HABITS}
        self._networks = scholars_networks() if SCHOLAR in self._players.values() else Networks([])
        self._terms = terms_of(replace(rules, stock="two-ended"))
        self._knocking = np.stack([own_knocking(TURNS), opponent.knocking(TURNS)])
        self._throwing = np.array(opponent.throwing)

    def points(self, begun: States, chance: Floats, places: Ints, actions: Ints) -> Floats:
        """Return the points of the reviewed seat for each row, in which its action of ``actions`` is played first.

        ``places`` has for each row the number of its hand in ``begun``; ``chance`` (begun x TURNS) has random numbers from 0 to 1.
        """
        found = np.zeros(len(places))
        first = np.ascontiguousarray(actions, np.int32)
        arrays = self._arrays(begun, chance, places, first) | {"scratch": np.zeros(1, STATE), "points": found}
        calls.play_out(arrays, self._terms, self._networks, size=len(places), **self._players)
        return found

    def decide(self, hands: States, chance: Floats) -> Ints:
        """Return the number of the action that the acting seat of each hand chooses; ``chance`` is as for ``points``."""
        actions = np.zeros(len(hands), np.int32)
        arrays = self._arrays(hands, chance, np.arange(len(hands)), actions)
        calls.ask(arrays, self._terms, self._networks, size=len(hands), **self._players)
        return actions.astype(np.int64)

    def _arrays(self, begun: States, chance: Floats, places: Ints, actions: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
        return {
            "states": begun,
            "places": places,
            "actions": actions,
            "chance": chance,
            "knocking": self._knocking,
            "throwing": self._throwing,
            "noise": NOISE,
        }


class JudgedThrows(Struct, frozen=True, eq=False):
    """The throws of hands of eleven cards, judged by the kernel."""

    cards: Ints  # (hands x 11) ascending
    features: Floats  # (hands x 11 x FEATURES) that a player with habits weighs
    costs: Ints  # (hands x 11) to the policy, in thousandths of a point; the lowest is thrown


def judged_throws(held: Sequence[Cards], dead: Sequence[Cards], known: Sequence[Cards]) -> JudgedThrows:
    """Judge all throws of hands; ``dead`` are their discard piles, ``known`` the cards that the other seat took and holds."""
    size = len(held)
    found = JudgedThrows(np.zeros((size, 11), np.int64), np.zeros((size, 11, FEATURES)), np.zeros((size, 11), np.int64))
    given = {name: np.array(cards, np.int64) for name, cards in (("held", held), ("dead", dead), ("known", known))}
    calls.judge(given | {"cards": found.cards, "features": found.features, "costs": found.costs}, size=size)
    return found


def ordered_throws(views: Sequence[View]) -> list[list[Card]]:
    """Return the cards that may be thrown from each hand of eleven, ordered by the policy, its own throw first."""
    found = judged_throws([one.cards for one in views], [bits(one.pile) for one in views], [one.opponent_holds for one in views])
    order = np.take_along_axis(found.cards, np.argsort(found.costs, axis=1, kind="stable"), axis=1).tolist()
    return [[card for card in cards if one.may_discard >> card & 1] for one, cards in zip(views, order, strict=True)]


def own_actions(steps: Sequence[HandStep], *, as_scholar: bool = False) -> list[Action]:
    """Return the actions of the policy, or of scholar, at decisions under the same rules, none of which is a lay-off."""
    if not steps:
        return []
    hands = np.concatenate([_state_without_stock(step, step.view.opponent_holds) for step in steps])
    play = Rollouts(steps[0].view.rules, usual_habits(), as_scholar=as_scholar)
    return [action_of(number) for number in play.decide(hands, np.zeros((len(hands), TURNS))).tolist()]


def own_action(view: View) -> Action:
    """Return the action of the policy for the seat of a view; at a lay-off, where it has none, an empty one."""
    return LayOff() if view.phase is LAY_OFF else own_actions([step_of(view, Pass())])[0]
