"""Search against an opponent whose policy is known: hands that explain what it did are played to their ends after each action.

The opponent is assumed to play by :mod:`arena.train.simple`, the searching seat by the policy of :mod:`arena.train.rollouts`. Each
seat draws from its own end of the stock, whatever the rules say: the order of the stock is random, so no probability changes, and
a take by one seat does not change what the other draws later (common random numbers).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.gin.cards import DECK, Card, bits, each
from arena.gin.view import View
from arena.train import calls
from arena.train.calls import Networks
from arena.train.checks import STATE
from arena.train.engine import state_of
from arena.train.native import MOST_DECISIONS, NEVER, NO_CARD, POLICY, SIMPLE, TURNS, Particle, PublicDecision
from arena.train.rule_tables import terms_of

INITIAL, KEPT = 3200, 400  # particles that are dealt, and that are kept
STEPS = 10  # exchanges that are tried with each particle after each decision, at most
MOST_REPLAYS = 60  # decisions that are replayed for a particle after each decision, at most; an exchange replays all so far
WORLDS = 200  # hands that are played to their ends after each action, at most
HAND_SIZE = 10  # cards
# The most points of deadwood with which seat 0, the searcher, knocks in a rollout, by its turn. Found by play against simple.
KNOCKS: Final = (10,) * 4 + (9, 8, 7, 6) + (5,) * 4 + (4,) * (TURNS - 12)

compiled: Final = calls.COMPILED  # False: interpreted, so that a decision takes seconds


class SeenDecision(Struct, frozen=True):
    """A turn of the opponent, as both players saw it."""

    offered: Card | None  # the upcard that it could take; None: it had to draw from the stock
    took: bool
    thrown: Card | None  # None: it passed


class PossibleHands(Struct, frozen=True, eq=False):
    """A sample of the cards that the opponent may hold."""

    hands: NDArray[np.uint64]  # sets of ten cards, equally likely; empty: none explains its decisions, or these are too many
    likelihood: float  # the log-likelihood of its decisions under the policy; NEVER without hands


NO_HANDS: Final = PossibleHands(np.zeros(0, np.uint64), NEVER)


def believe(view: View, decisions: Sequence[SeenDecision], seed: int) -> PossibleHands:
    """Return hands of the opponent that explain its ``decisions`` in this hand; none if it made more than MOST_DECISIONS.

    All its decisions must be given: otherwise a card that it discarded could be assumed to be still in its hand.
    """
    # what it may have been dealt or have drawn: its own discards too, unless they came from the pile
    possible = view.unseen | view.threw[1] & ~view.took[1]
    if len(decisions) > MOST_DECISIONS or possible.bit_count() < HAND_SIZE:
        return NO_HANDS
    made = np.zeros(MOST_DECISIONS, PublicDecision)
    for number, one in enumerate(decisions):
        made[number] = (_number(one.offered), one.took, _number(one.thrown))
    chance = np.zeros(1, STATE)
    chance["chance"] = seed
    particles = np.zeros(INITIAL, Particle)
    likelihood = calls.believe(
        {
            "made": made,
            "chance": chance,
            "particles": particles,
            "scratch": np.zeros(INITIAL, Particle),
            "weights": np.zeros(INITIAL),
        },
        possible=possible,
        decisions=len(decisions),
        limit=view.knock_limit,
        initial=INITIAL,
        kept=KEPT,
        steps=min(STEPS, max(1, MOST_REPLAYS // max(1, len(decisions)))),
    )
    hands = particles["held"][: 0 if likelihood == NEVER else KEPT if decisions else INITIAL]
    return PossibleHands(hands[:: max(1, len(hands) // WORLDS)][:WORLDS], likelihood)


def _number(card: Card | None) -> int:
    return NO_CARD if card is None else card


def worth(view: View, possible: PossibleHands, actions: Sequence[int], seed: int) -> NDArray[np.float64]:
    """Return the points of each action (columns) against each possible hand (rows); actions are numbers of the kernel."""
    chance, worlds = np.random.default_rng(seed), len(possible.hands)
    states = np.repeat(state_of(view, 0), worlds)
    states["held"][:, 1], states["dealer"] = possible.hands, 1  # the dealer draws from the bottom of a two-ended stock
    for state, theirs in zip(states, possible.hands.tolist(), strict=True):
        stock = DECK & ~(view.cards | bits(view.pile) | theirs)
        state["deck"][52 - view.stock :] = chance.permutation(list(each(stock)))
    found = np.zeros(worlds * len(actions))
    knocking = np.zeros((2, TURNS, 101))
    knocking[0] = np.arange(101) <= np.array(KNOCKS)[:, None]
    arrays = {
        "states": states,
        "scratch": np.zeros(1, STATE),
        "places": np.repeat(np.arange(worlds), len(actions)),
        "actions": np.tile(np.array(actions, np.int32), worlds),
        "chance": np.zeros((worlds, TURNS)),
        "knocking": knocking,
        "points": found,
    }
    calls.play_out(
        arrays, terms_of(replace(view.rules, stock="two-ended")), Networks([]), size=len(found), player=POLICY, other=SIMPLE
    )
    return found.reshape(worlds, len(actions))
