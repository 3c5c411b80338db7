"""The decisions of a played hand, with what each seat saw."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import Action
from arena.gin.deal import Deal
from arena.gin.facts import Seat
from arena.gin.match import Hand, Scoreline, walk
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.view import View
from arena.train.engine import hand_of, state_of

NOWHERE = Scoreline()  # prices are points, whatever the score


class HandStep(Struct, frozen=True):
    """A decision of a hand."""

    turn: int  # number of the action in the hand, counted from 1 as ``arena replay`` does
    seat: Seat
    hand: Hand  # before the action
    view: View
    action: Action


def steps(deal: Deal, rules: Rules, actions: Sequence[Action]) -> Iterator[HandStep]:
    """Yield the decisions of a hand. Raises: IllegalActionError."""
    for turn, (hand, action) in enumerate(zip(walk(deal, rules, actions), actions, strict=False), 1):
        yield HandStep(turn, hand.seat, hand, see(hand, NOWHERE), action)


def step_of(view: View, action: Action) -> HandStep:
    """Return a decision as its seat sees it, without hidden cards, to price ``action``. A card taken twice counts once (R5.3)."""
    seen = replace(view, game=0, hand=0, score=(0, 0), games=(0, 0))
    hand = hand_of(state_of(view, theirs=0)[0], view.rules)
    return HandStep(turn=0, seat=0, hand=hand, view=seen, action=action)
