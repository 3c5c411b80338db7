"""Searcher: plays as Professor does, and searches where it can predict the opponent.

Many bots throw their highest card outside melds and knock as soon as they may, as OpenSpiel's simple bot does. The decisions of
such a bot reveal much about its cards: :mod:`arena.train.search` finds hands that explain all that the opponent did in this hand,
and plays them to their ends after each action that may be the best. In a game to a number of points Searcher compares chances to
win the game instead of points.

It searches only while this hand and those before it are evidence that the opponent plays by that policy; otherwise, and without the
compiled kernel, it plays as Professor. ``bots/README.md`` has its results.
"""

import numpy as np
from numpy.typing import NDArray

from arena.gin.match import Phase
from arena.sdk import Action, BigGin, Knock, View, deadwood, each
from arena.sdk.bot import least_left
from arena.sdk.odds import completes
from arena.train import search
from arena.train.engine import action_of, number_of
from arena.train.native import DRAW, MOST_DECISIONS, PASS, TAKE
from arena.train.search import NO_HANDS, PossibleHands, SeenDecision

from .common.taught import Taught
from .guests.events import ME, HandEvents

SEARCHED = (Phase.UPCARD, Phase.DRAW, Phase.DISCARD)
THROWS = 7  # discards that are compared, the best by Professor's values
LOW = 3  # number of lowest ranks, of which a card is considered although it makes no meld
# Standard errors by which another action must be better than Professor's. The particles are not independent, so the true errors are
# up to 1.6 times as large as the computed ones.
LEAD = 1.0

# chance to win = 1 / (1 + exp((WEIGHT * mine - theirs - AHEAD) / spread)), spread² = SPREAD[0] + SPREAD[1] * (mine + theirs), where
# ``mine`` and ``theirs`` are the points that I and the opponent still need. Fitted to games to 100 points whose hands have the
# results of 1,600 hands against the policy. WEIGHT is about a half, because I score twice as fast.
WEIGHT, AHEAD, SPREAD = 0.53, 6.3, (288.0, 3.9)

# Evidence is a log-likelihood ratio: of the opponent's decisions under the policy, to a probability of exp(-PER_DISCARD) for each
# of its discards. Under the policy a discard has a probability of exp(-2.7) on average if the opponent plays by it, and of
# exp(-3.9) if Professor throws.
PER_DISCARD = 3.3
TRUSTED = 1.0  # least evidence with which it searches
UNEXPLAINED = -3.0  # evidence of a hand in which the opponent did what the policy never does
MOST_CARRIED = 9.0  # most evidence, for or against, that is carried to the next hand


class Searcher(Taught):
    """Chooses the action with the best results against cards that explain the opponent's play."""

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self._events = HandEvents()
        self._now = (0, 0)  # game and hand
        self._earlier = self._evidence = 0.0  # from the hands before this one, and from this one

    def answer(self, view: View) -> Action:
        """Return Professor's action, or one that is better by search."""
        self._events.see(view)
        action = super().answer(view)
        if search.compiled and view.phase in SEARCHED and not isinstance(action, BigGin):
            action = self._better(view, action)
        self._events.did(view, action)
        return action

    def _better(self, view: View, action: Action) -> Action:
        """Return an action that is better by search; ``action`` if there is none, or too little evidence."""
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
        """Return hands that explain the opponent's decisions, if any, and update the evidence."""
        if self._now != (view.game, view.hand):
            self._now = (view.game, view.hand)
            self._earlier = max(-MOST_CARRIED, min(MOST_CARRIED, self._earlier + self._evidence))
            self._evidence = 0.0
        if self._evidence == UNEXPLAINED or not self._events.is_complete(view):
            return NO_HANDS
        made = decisions(self._events)
        if len(made) > MOST_DECISIONS:
            return NO_HANDS
        possible = search.believe(view, made, self.random.getrandbits(64))
        throws = sum(one.thrown is not None for one in made)
        self._evidence = possible.likelihood + PER_DISCARD * throws if len(possible.hands) else UNEXPLAINED
        return possible

    def _others(self, view: View, action: Action) -> list[int]:
        """Return the numbers of the actions to compare with Professor's, its own left out."""
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

    In a batch each hand has another game number, and no games are won. Only the first hand of a batch is taken for that of a game.
    """
    return view.rules.game_winner == "target" and (view.hand > 0 or view.game == sum(view.games))


def chances(view: View, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the chances to win the game after a hand that scores ``points`` for me, or for the opponent if negative."""
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
    return bool(completes(view.cards) >> view.upcard & 1) or view.upcard % 13 < LOW or least <= view.knock_limit


def decisions(events: HandEvents) -> list[SeenDecision]:
    """Return the opponent's decisions, one for each of its finished turns."""
    made: list[SeenDecision] = []
    top, offered, took, passes = events.upcard, events.upcard, False, 0
    for event in events.seen:
        if event.kind == "pass":
            passes += 1
            if event.who != ME:
                made.append(SeenDecision(top, took=False, thrown=None))
        elif event.kind == "throw":
            if event.who != ME:
                made.append(SeenDecision(offered, took, event.card))
            top = event.card
        else:
            took = event.kind == "take"
            offered = None if passes == 2 and not took else top  # the first draw after two passes is from the stock (R3.3)
            passes = 0
    return made
