"""The observations of a player in hands whose cards are open, to which its habits are fitted."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from arena.gin.actions import DISCARD, DRAW, UPCARD, BigGin, Discard, Knock
from arena.gin.cards import Card, Cards, bits
from arena.gin.facts import Seat
from arena.gin.melds import best_throws
from arena.review.hand_walks import HandStep
from arena.review.rollouts import own_actions
from arena.review.sights import Sight, sight


class Observation(Struct, frozen=True):
    """A position as one seat saw it, and the ten cards of the other seat, the observed player."""

    sight: Sight
    held: Cards


class KnockChance(Struct, frozen=True):
    """A turn at which a player could knock."""

    turn: int  # number of turns that it had finished
    left: int  # least deadwood that a knock would leave, in points, at least 1
    knocked: bool


class SeenThrow(Struct, frozen=True):
    """A throw of a player whose cards are open."""

    held: Cards  # its eleven cards
    dead: Cards  # the discard pile before it
    known: Cards  # the other seat's cards that the player knew of
    thrown: Card
    returned: Card | None  # the card that it took in this turn, which it may not throw; None: it drew from the stock
    scholars: bool  # scholar would discard the same card, and not knock


class Behaviour(Struct, frozen=True):
    """The observations of a player."""

    hands: Sequence[Observation]
    knocks: Sequence[KnockChance]
    throws: Sequence[SeenThrow]


def behaviour(several: Iterable[tuple[Sequence[HandStep], Seat]]) -> Behaviour:
    """Return the observations of a player in some hands, each given by its decisions and the player's seat."""
    hands = list(several)
    return Behaviour(
        [one for played, seat in hands for one in observations(played, seat)],
        [one for played, seat in hands for one in knock_chances(played, seat)],
        [one for played, seat in hands for one in throws(played, seat)],
    )


def observations(several: Sequence[HandStep], seat: Seat) -> Iterator[Observation]:
    """Yield what the other seat knew, and the cards of ``seat``, at each decision of the other before it draws."""
    for step in several:
        if step.seat != seat and step.hand.phase in (UPCARD, DRAW):
            yield Observation(sight(step.view), step.hand.cards[seat])


def knock_chances(several: Sequence[HandStep], seat: Seat) -> Iterator[KnockChance]:
    """Yield each turn at which ``seat`` could knock, but not with gin."""
    for step in several:
        may = step.view.may_knock if step.seat == seat and step.hand.phase is DISCARD else 0
        if may:
            left, _ = best_throws(step.view.cards, may)
            if left:
                yield KnockChance(step.view.threw[0].bit_count(), left, isinstance(step.action, Knock | BigGin))


def throws(several: Sequence[HandStep], seat: Seat) -> Iterator[SeenThrow]:
    """Yield the throws of ``seat``, without those of knocks."""
    thrown = [(step, step.action) for step in several if step.seat == seat and isinstance(step.action, Discard)]
    scholars = own_actions([step for step, _ in thrown], as_scholar=True)
    for (step, action), same in zip(thrown, scholars, strict=True):
        view = step.view
        forbidden = view.cards & ~view.may_discard
        returned = forbidden.bit_length() - 1 if forbidden else None
        yield SeenThrow(view.cards, bits(view.pile), view.opponent_holds, action.card, returned, action == same)
