"""Searcher: compares what is close for Professor's networks, by hands that are played to their ends.

Against most opponents it compares discards and knocks over cards that players in general would hold: ``common/lookahead.py``.

Many bots throw their highest card outside melds and knock as soon as they may, as OpenSpiel's simple bot does. The decisions of
such a bot reveal much about its cards: :mod:`arena.train.search` finds hands that explain all that the opponent did in this hand,
and plays them to their ends after each action that may be the best. Searcher does this while this hand and those before it are
evidence that the opponent plays by that policy.

In a game to a number of points it compares chances to win the game instead of points. Without the compiled kernel it plays as
Professor. ``bots/README.md`` has its results.
"""

import numpy as np

from arena.gin.match import Phase
from arena.sdk import Action, BigGin, Knock, View, deadwood, each
from arena.sdk.bot import least_left
from arena.sdk.odds import completes
from arena.train import search
from arena.train.engine import action_of, number_of
from arena.train.native import DRAW, MOST_DECISIONS, PASS, TAKE
from arena.train.search import NO_HANDS, PossibleHands, SeenDecision

from .common.equity import STRONGER, chances, counts_games
from .common.lookahead import Lookahead, goes_gin
from .common.taught import Taught
from .guests.events import ME, HandEvents

SEARCHED = (Phase.UPCARD, Phase.DRAW, Phase.DISCARD)
THROWS = 7  # discards that are compared, the best by Professor's values
LOW = 3  # number of lowest ranks, of which a card is considered although it makes no meld
# Standard errors by which another action must be better than Professor's. The particles are not independent, so the true errors are
# up to 1.6 times as large as the computed ones.
LEAD = 1.0

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
        self._events, self._lookahead = HandEvents(), Lookahead()
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
        """Return an action that is better by search; ``action`` if there is none."""
        possible = self._believe(view)
        if not len(possible.hands) or self._earlier + self._evidence < TRUSTED:
            return self._lookahead.better(self, view, action) if view.phase is Phase.DISCARD else action
        others = self._others(view, action)
        return self._foreseen(view, action, others, possible) if others else action

    def _foreseen(self, view: View, action: Action, others: list[int], possible: PossibleHands) -> Action:
        """Return an action that is better against an opponent that plays by the policy."""
        values = search.worth(view, possible, [number_of(action), *others], self.random.getrandbits(32))
        if counts_games(view):
            values = chances(view, values, STRONGER)
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
        if goes_gin(view, action):
            return []
        throws = [card for _, card in self.throw_values(view, view.cards, view.may_discard)[:THROWS]]
        knocks = [number_of(Knock(least_left(view)))] if view.may_knock else []
        return [number for number in (*knocks, *throws) if number != chosen]


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
