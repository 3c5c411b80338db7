"""What was seen of a player in hands whose cards are open: the material to which its habits are fitted."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from arena.gin.actions import DISCARD, DRAW, UPCARD, BigGin, Discard, Knock
from arena.gin.cards import Card, Cards, bits
from arena.gin.deal import Seat
from arena.gin.melds import best_throws
from arena.review.sights import Sight, sight
from arena.review.walking import HandStep


class Observation(Struct, frozen=True):
    """A position, and the ten cards that the other seat had."""

    sight: Sight
    held: Cards


class KnockChance(Struct, frozen=True):
    """A turn at which a player could knock."""

    turn: int  # that it had finished
    left: int  # points of deadwood of the knock, at least 1
    knocked: bool


class SeenThrow(Struct, frozen=True):
    """A throw of a player whose cards are open."""

    held: Cards  # eleven
    dead: Cards  # the discard pile before it
    known: Cards  # the other seat's cards that the player knew of
    thrown: Card
    returned: Card | None  # what may not be thrown, because it was just taken


class Behaviour(Struct, frozen=True):
    """What was seen of a player."""

    hands: Sequence[Observation]
    knocks: Sequence[KnockChance]
    throws: Sequence[SeenThrow]


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
            left, _ = best_throws(step.view.cards, may)
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
