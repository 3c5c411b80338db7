"""The luck of the draw, a control variate for points a hand.

The luck of a draw is V of the state after it, less the mean of V over all cards that could have been drawn. Both players' cards and
the discard pile determine which cards are in the stock but nothing of their order, under the two-ended stock too (R2.4), so each is
equally likely. The luck of a draw therefore has mean zero *for any V* and any bots, and subtracting a share of it leaves the
expected score unchanged. How much variance this removes depends on how good V is.

Each V, a :class:`Value`, has a version. Version 1 is a small network, fitted once by self-play (``python
tests/studies/luck.py``), never on the hands of a test. A version never changes, and a run keeps the one with which it began. Luck
is never clipped, because that would shift its mean. Instead a draw is counted only if no possible card could take the luck of the
hand beyond 60 points either way, which is known before the card is. In a hand that counts several times (R2.5), luck does too.

Luck takes about 2 ms a hand, so it is computed once, when a record is stored, and stored with it. A verdict can then be reproduced
to the last bit on another machine, and a later version of V does not change a test that has begun.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import StoreError
from arena.gin.actions import Action, Draw, Phase, read_actions
from arena.gin.cards import Card, bits, each
from arena.gin.deal import Deal
from arena.gin.match import Hand, walk
from arena.gin.rules import Rules
from arena.records import LUCK_VERSION, HandRecord, MatchRecord, dealt_hands
from arena.stats.games import Array
from arena.stats.luck_1 import network, rows

LUCK_BOUND = 60.0  # points: largest absolute luck of a hand


class StockDraw(Struct, frozen=True, eq=False):
    """A draw from the stock; in ``hand_values``, also a take from the discard pile."""

    hand: Hand  # before the draw
    came: Card  # the card that was drawn

    @property
    def is_take(self) -> bool:
        """Tell whether the card came from the discard pile."""
        return self.came in self.hand.pile

    @property
    def possible(self) -> list[Card]:
        """Return the cards that could have come, in card order: those of the stock, but of a take the card alone."""
        return [self.came] if self.is_take else list(each(bits(self.hand.deck[self.hand.top : self.hand.bottom])))

    @property
    def sign(self) -> int:
        """Return 1 if seat 0 drew, -1 if seat 1 did."""
        return 1 if self.hand.seat == 0 else -1


# V: for each draw the worth of the state after it to the player who drew, in points before they are multiplied (R2.5), with each of
# its ``possible`` cards. It must use neither ``came`` nor the order of the stock; otherwise the mean of luck need not be zero.
Value = Callable[[Sequence[StockDraw]], list[Array]]


def add_luck(record: MatchRecord, rules: Rules, seed: str | None, version: int = LUCK_VERSION) -> MatchRecord:
    """Return a record with the luck of every hand; for a hand that a fault ended, that of the draws made.

    Raises: StoreError, for an unknown version.
    """
    known = value(version)

    def with_luck(hand: HandRecord, deal: Deal) -> HandRecord:
        return replace(hand, luck=luck(list(draws(deal, rules, read_actions(hand.actions))), known))

    dealt = dealt_hands(record, rules, seed)
    return replace(record, hands=tuple(with_luck(hand, deal) for hand, deal in dealt))


def luck(draws: Sequence[StockDraw], value: Value) -> float:
    """Return the luck of seat 0 in a hand, in points, within +-60 times the largest multiplier of the rules (R2.5)."""
    if not draws:
        return 0.0
    found = ((draw.sign, draw.possible.index(draw.came), values) for draw, values in zip(draws, value(draws), strict=True))
    multiplier, rules = draws[0].hand.terms.multiplier, draws[0].hand.rules
    return _sum_luck(found) * (min(multiplier, rules.most_multiplier) if multiplier > 1 else 1)


def values_of_inputs(function: Callable[[Array], Array], draws: Sequence[StockDraw]) -> list[Array]:
    """Return V by a ``function`` from rows of ``inputs`` to points, from all rows at once; there is at least one draw."""
    possible = [draw.possible for draw in draws]
    found = function(rows([draw.hand for draw in draws], possible))
    return np.split(found, np.cumsum([len(cards) for cards in possible])[:-1])


def _sum_luck(draws: Iterable[tuple[int, int, Array]]) -> float:
    """Return the luck of seat 0 in a hand that counts once.

    Each draw has its sign, the place of the card drawn, and the values of all possible cards.
    """
    total = 0.0
    for sign, place, values in draws:
        gains = values - values.mean()
        if abs(total) + float(np.abs(gains).max()) <= LUCK_BOUND:
            total += sign * float(gains[place])
    return total


def hand_values(states: Sequence[Hand]) -> tuple[tuple[float, ...], float]:
    """Return the value of a hand to seat 0 from turn to turn, and its luck in the hand, in points, by version 1 of V.

    The value is that before and after each draw from the stock, and after each take from the pile, except the last take of R5.2.
    """
    turns = [
        StockDraw(before, after.drawn)
        for before, after in pairwise(states)
        if after.phase is Phase.DISCARD and after.drawn is not None
    ]
    if not turns:
        return (), 0.0
    multiplier = states[0].terms.multiplier
    worth: list[float] = []
    drawn: list[tuple[int, int, Array]] = []
    for turn, points in zip(turns, values_of_inputs(network, turns), strict=True):
        place = turn.possible.index(turn.came)
        if not turn.is_take:
            worth.append(turn.sign * float(points.mean()))
            drawn.append((turn.sign, place, points))
        worth.append(turn.sign * float(points[place]))
    return tuple(multiplier * points for points in worth), multiplier * _sum_luck(drawn)


def draws(deal: Deal, rules: Rules, actions: tuple[Action, ...]) -> Iterator[StockDraw]:
    """Yield every draw from the stock in a hand. Raises: IllegalActionError."""
    for action, (hand, after) in zip(actions, pairwise(walk(deal, rules, actions)), strict=True):
        if isinstance(action, Draw):
            assert after.drawn is not None
            yield StockDraw(hand, after.drawn)


def value(version: int = LUCK_VERSION) -> Value:
    """Return V of a version. Raises: StoreError, for an unknown one."""
    if version not in VALUES_BY_VERSION:
        raise StoreError(f"luck: version {version}; this arena has {', '.join(map(str, VALUES_BY_VERSION))}: install a newer one")
    return VALUES_BY_VERSION[version]


VALUES_BY_VERSION: Mapping[int, Value] = {1: partial(values_of_inputs, network)}
