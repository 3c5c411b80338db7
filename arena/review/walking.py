"""Walks through a played hand, decision by decision, with what each seat saw."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import DISCARD, DRAW, UPCARD, Action, BigGin, Discard, Knock
from arena.gin.cards import bits
from arena.gin.deal import Deal, Seat
from arena.gin.hand import Hand
from arena.gin.match import Scoreline
from arena.gin.melds import deadwood
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.view import View
from arena.review.fitting import Behaviour, KnockChance, Observation, SeenThrow
from arena.review.sights import sight

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


def behaviour(several: Iterable[tuple[Sequence[HandStep], Seat]]) -> Behaviour:
    """Return the behaviour of a player in the decisions of some hands, in each of which it has a seat."""
    hands = list(several)
    return Behaviour(
        [one for played, seat in hands for one in observations(played, seat)],
        [one for played, seat in hands for one in knock_chances(played, seat)],
        [one for played, seat in hands for one in throws(played, seat)],
    )


def observations(several: Sequence[HandStep], seat: Seat) -> Iterator[Observation]:
    """Yield the cards of ``seat`` at each decision of the other before it draws."""
    for step in several:
        if step.seat != seat and step.hand.phase in (UPCARD, DRAW):
            yield Observation(sight(step.view), step.hand.cards[seat])


def knock_chances(several: Sequence[HandStep], seat: Seat) -> Iterator[KnockChance]:
    """Yield each turn at which ``seat`` could knock with deadwood."""
    for step in several:
        may = step.view.may_knock if step.seat == seat and step.hand.phase is DISCARD else 0
        if may:
            left = min(deadwood(step.view.without(card)) for card in range(52) if may >> card & 1)
            if left:
                yield KnockChance(step.view.threw[0].bit_count(), left, isinstance(step.action, Knock | BigGin))


def throws(several: Sequence[HandStep], seat: Seat) -> Iterator[SeenThrow]:
    """Yield the throws of ``seat`` with which it did not knock."""
    for step in several:
        if step.seat == seat and isinstance(step.action, Discard):
            view = step.view
            forbidden = view.cards & ~view.may_discard
            returned = forbidden.bit_length() - 1 if forbidden else None
            yield SeenThrow(view.cards, bits(view.pile), view.opponent_holds, step.action.card, returned)
