"""Walks through a played hand, decision by decision, with what each seat saw."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import UPCARD, Action
from arena.gin.deal import Deal, Seat
from arena.gin.hand import Hand
from arena.gin.match import Scoreline
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.view import View

NOWHERE = Scoreline(0, 0, (0, 0), (0, 0))  # prices are points, whatever the score


class DealtActions(Struct, frozen=True):
    """A hand that was played."""

    deal: Deal
    actions: tuple[Action, ...]


class HandStep(Struct, frozen=True):
    """A decision of a hand."""

    turn: int  # number of the action in the hand, counted from 1 as ``arena replay`` does
    seat: Seat
    hand: Hand  # before the action
    view: View
    action: Action


def steps(played: DealtActions, rules: Rules) -> Iterator[HandStep]:
    """Yield the decisions of a hand. Raises: IllegalActionError."""
    hand = Hand.start(played.deal, rules)
    for turn, action in enumerate(played.actions, 1):
        yield HandStep(turn, hand.seat, hand, see(hand, NOWHERE), action)
        hand = hand.play(action)


def step_of(view: View, action: Action) -> HandStep:
    """Return a decision as its seat sees it, without what is hidden, for the pricing of ``action``.

    The limit of takes (R5.3) counts each card once that was taken.
    """
    seen = replace(view, game=0, hand=0, score=(0, 0), games=(0, 0))
    hand = Hand(
        view.rules,
        (),
        dealer=0 if view.dealer else 1,
        phase=view.phase,
        seat=0,
        cards=(view.cards, 0),
        pile=view.pile,
        drawn=view.drawn,
        taken=view.drawn is not None and bool(view.took[0] >> view.drawn & 1),
        passes=int(view.phase is UPCARD and view.dealer),
        takes=sum(cards.bit_count() for cards in view.took),
        took=view.took,
        threw=view.threw,
    )
    return HandStep(0, 0, hand, seen, action)
