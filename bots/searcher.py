"""Searcher: plays as Professor does, and searches where it foresees the opponent.

Many bots throw their highest card outside melds and knock as soon as they may, as OpenSpiel's simple bot does. Such a policy
tells much about its cards: :mod:`arena.train.search` finds hands that explain all that the opponent did in this hand, and plays
them to their ends after each action that may be the best. In a game to a number of points it compares chances to win the game
instead of points.

It searches only while there is evidence that the opponent plays by the policy, from this hand and those before it; otherwise, and
without the compiled kernel, it plays as Professor. What was measured stands in ``bots/README.md``.
"""

import numpy as np
from numpy.typing import NDArray

from arena.gin.match import Phase
from arena.sdk import Action, BigGin, Knock, View, deadwood, each
from arena.sdk.bot import least_left
from arena.sdk.odds import completes
from arena.train import search
from arena.train.belief_memory import MOST_DECISIONS
from arena.train.engine import action_of, number_of
from arena.train.native import DRAW, PASS, TAKE
from arena.train.search import NO_HANDS, PossibleHands, SeenDecision

from .common.taught import Taught
from .guests.events import HandEvents, Me

SEARCHED = (Phase.UPCARD, Phase.DRAW, Phase.DISCARD)
THROWS = 7  # the best by Professor's judgement, which are compared
LOW = 3  # a card of so many lowest ranks may be taken although it makes no meld
# Standard errors by which another action must be better than Professor's. Particles share ancestors, so they are up to 1.6 times as
# large as computed.
LEAD = 1.0

# chance to win = 1 / (1 + exp((WEIGHT * mine - theirs - AHEAD) / spread)), spread² = SPREAD[0] + SPREAD[1] * (mine + theirs), where
# ``mine`` and ``theirs`` are the points that I and the opponent still need. Fitted to games to 100 points whose hands have the
# results of 1,600 hands against the policy. Mine weigh half, because I score twice as fast.
WEIGHT, AHEAD, SPREAD = 0.53, 6.3, (288.0, 3.9)

# Evidence is the logarithm of how much likelier the opponent's decisions are by the policy than with a chance of exp(-PER_DISCARD)
# for each discard. By the policy that chance is exp(-2.7) on average, where Professor throws exp(-3.9).
PER_DISCARD = 3.3
TRUSTED = 1.0  # with less, it does not search
UNEXPLAINED = -3.0  # of a hand in which the opponent did what the policy never does
MOST_CARRIED = 9.0  # from hand to hand, either way


class Searcher(Taught):
    """Chooses the action with the most points against cards that explain the opponent's play."""

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self._events = HandEvents()
        self._now = (0, 0)  # game and hand
        self._earlier = self._evidence = 0.0  # that the opponent plays by the policy: of the hands before this one, and of this one

    def answer(self, view: View) -> Action:
        """Return Professor's action, or one that is better by search."""
        self._events.see(view)
        action = super().answer(view)
        if search.compiled and view.phase in SEARCHED and not isinstance(action, BigGin):
            action = self._better(view, action)
        self._events.did(view, action)
        return action

    def _better(self, view: View, action: Action) -> Action:
        """Return the best of some actions; ``action``, if none is better or the opponent is not foreseen."""
        possible = self._believe(view)
        others = self._others(view, action)
        if not len(possible.hands) or not others or self._earlier + self._evidence < TRUSTED:
            return action
        values = search.worth(view, possible, [number_of(action), *others], self.random.getrandbits(32))
        if counts_games(view):
            values = chances(view, values)
        more = values[:, 1:] - values[:, :1]
        lead = more.mean(axis=0) - LEAD * more.std(axis=0) / len(more) ** 0.5
        best = int(np.argmax(lead))
        return action_of(others[best]) if lead[best] > 0 else action

    def _believe(self, view: View) -> PossibleHands:
        """Return the hands that explain the opponent's decisions, and update the evidence."""
        if self._now != (view.game, view.hand):
            self._now = (view.game, view.hand)
            self._earlier = max(-MOST_CARRIED, min(MOST_CARRIED, self._earlier + self._evidence))
            self._evidence = 0.0
        if self._evidence == UNEXPLAINED or not self._events.are_all(view):
            return NO_HANDS
        made = decisions(self._events)
        if len(made) > MOST_DECISIONS:
            return NO_HANDS
        possible = search.believe(view, made, self.random.getrandbits(64))
        throws = sum(one.thrown is not None for one in made)
        self._evidence = possible.likelihood + PER_DISCARD * throws if len(possible.hands) else UNEXPLAINED
        return possible

    def _others(self, view: View, action: Action) -> list[int]:
        """Return the numbers of the actions that are compared with Professor's."""
        chosen = number_of(action)
        if view.phase is not Phase.DISCARD:
            if chosen == TAKE:
                return [PASS if view.phase is Phase.UPCARD else DRAW]
            return [TAKE] if is_useful(view) else []
        if isinstance(action, Knock) and deadwood(view.without(action.card)) == 0:
            return []
        throws = [card for _, card in self.throw_values(view, view.cards, view.may_discard)[:THROWS]]
        knocks = [number_of(Knock(least_left(view)))] if view.may_knock else []
        return [number for number in (*knocks, *throws) if number != chosen]


def counts_games(view: View) -> bool:
    """Tell whether this hand belongs to a game that is won by reaching the target first.

    In a batch of single hands each has a game number of its own, and no games are won. Its first hand looks as that of a game.
    """
    return view.rules.game_winner == "target" and (view.hand > 0 or view.game == sum(view.games))


def chances(view: View, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the chance to win the game after a hand in which I get ``points``, or the opponent if they are negative."""
    mine = view.rules.target - view.score[0] - np.maximum(points, 0)
    theirs = view.rules.target - view.score[1] - np.maximum(-points, 0)
    base, more = SPREAD
    spread = np.sqrt(base + more * np.maximum(mine + theirs, 0))
    found = 1 / (1 + np.exp((WEIGHT * mine - theirs - AHEAD) / spread))
    return np.where(mine <= 0, 1.0, np.where(theirs <= 0, 0.0, found))


def is_useful(view: View) -> bool:
    """Tell whether the upcard makes a meld, is low, or allows a knock."""
    with_it = view.cards | 1 << view.upcard
    least = min(deadwood(with_it ^ 1 << card) for card in each(view.cards))
    return bool(completes(view.cards) >> view.upcard & 1) or view.upcard % 13 < LOW or view.rules.may_knock_with(least)


def decisions(events: HandEvents) -> list[SeenDecision]:
    """Return what the opponent did in each of its turns that are over."""
    made: list[SeenDecision] = []
    top, offered, took, passes = events.upcard, events.upcard, False, 0
    for event in events.seen:
        if event.what == "pass":
            passes += 1
            if event.who != Me:
                made.append(SeenDecision(top, took=False, thrown=None))
        elif event.what == "throw":
            if event.who != Me:
                made.append(SeenDecision(offered, took, event.card))
            top = event.card
        else:
            took = event.what == "take"
            offered = None if passes == 2 and not took else top  # the first draw after two passes is from the stock (R3.3)
            passes = 0
    return made
