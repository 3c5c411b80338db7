"""What the policy of the rollouts does at one decision, as the reviewed seat: the play that an error rate compares a bot with."""

from collections.abc import Callable, Sequence

import numpy as np

from arena.gin.actions import (
    DISCARD,
    LAST_KNOCK,
    LAST_TAKE,
    LAY_OFF,
    UPCARD,
    Action,
    BigGin,
    Discard,
    Draw,
    Knock,
    LayOff,
    Pass,
    Take,
)
from arena.gin.cards import Card, Cards, bits, each
from arena.gin.melds import deadwood
from arena.gin.view import View
from arena.review import habits, policy
from arena.review.vectors import Ints, after_throws
from arena.review.vectors import each as each_of
from arena.review.worlds import CHANCES
from arena.train.sets import completes

_KNOCKING = habits.own(CHANCES)


def own_action(view: View) -> Action:
    """Return the policy's action."""
    return action_by(view, lambda turn, left: bool(_KNOCKING[turn, left]), lambda view: ordered_throws(view)[0])


def action_by(view: View, calls: Callable[[int, int], bool], throw: Callable[[View], Card]) -> Action:
    """Return the action of a simulated seat that knocks if ``calls`` says so of its finished turns and the points left."""
    match view.phase:
        case phase if phase is LAY_OFF:
            return LayOff()
        case phase if phase is UPCARD:
            return Take() if _wants(view) else Pass()
        case phase if phase is LAST_TAKE:
            return Take() if "take" in view.may else Pass()
        case phase if phase in (DISCARD, LAST_KNOCK):
            return _end(view, calls) or Discard(throw(view))
        case _:
            return Take() if "take" in view.may and _wants(view) else Draw()


def _wants(view: View) -> bool:
    mine, upcard = np.array([view.cards]), np.array([view.upcard])
    if not completes(mine)[0] >> view.upcard & 1:
        return False
    cards = each_of(np.array([view.cards | 1 << view.upcard]), 11)
    return bool(policy.wants(mine, np.array([deadwood(view.cards)]), upcard, cards)[0])


def _end(view: View, calls: Callable[[int, int], bool]) -> Action | None:
    """Return the action by which a simulated seat ends the hand; None if it continues."""
    if "big_gin" in view.may:
        return BigGin()
    if "knock" not in view.may:
        return None
    card = least_left(view.cards, view.may_discard)
    left, turn = deadwood(view.without(card)), min(view.threw[0].bit_count(), CHANCES - 1)
    return Knock(card) if left == 0 or view.phase is LAST_KNOCK or calls(turn, left) else None


def ordered_throws(view: View) -> Sequence[Card]:
    """Return the cards that may be thrown, the one that the policy throws first."""
    held, cards, *others = throws_of(view)
    costs = policy.throws(held, cards, *others).costs()[0]
    return [int(card) for card in cards[0][np.argsort(costs, kind="stable")] if view.may_discard >> int(card) & 1]


def throws_of(view: View) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the features of a seat's throws: the arguments of :func:`arena.review.policy.throws`."""
    held = np.array([view.cards])
    cards = each_of(held, 11)
    dead, known = np.array([bits(view.pile)]), np.array([view.opponent_holds])
    return held, cards, after_throws(held, cards), dead, known


def least_left(held: Cards, may: Cards) -> Card:
    """Return the throw that leaves the least deadwood; among several the lowest card, as in the rollouts."""
    return min(each(may), key=lambda card: (deadwood(held & ~(1 << card)), card))
