"""The luck of the draw: what the cards that came from the stock were worth beyond those that could have come.

For each draw: V of the state after the card that came, less the mean of V over all cards that could have come. Whoever knows both
players' cards and the discard pile knows which cards lie in the stock and nothing of their order, under the two-ended stock too
(R2.4): each is as likely to come next. So a draw's luck has mean nought, *whatever V is* and whatever the bots do, and taking a
share of it off a score changes no expectation: a control variate. How much variance goes with it depends on how good V is.

V is small, versioned and frozen: it was fitted once by self-play (``python -m arena.studies.luck``), never on what is tested.
Luck is never clipped, which would shift the mean; a draw is corrected only if it could not lead beyond 60 points, and that is
known before the card is.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files

import numpy as np
from msgspec import Struct, json
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.gin.actions import Action, Draw
from arena.gin.cards import VALUES, Card, Cards, bits, each
from arena.gin.deal import Deal, Deals
from arena.gin.hand import Hand
from arena.gin.melds import completes, deadwood
from arena.gin.rules import Rules
from arena.gin.transcript import read
from arena.records import HandRecord, MatchRecord
from arena.stats.sequential import LUCK_BOUND

VERSION = 1  # of V, its weights and its inputs
INPUTS = 10

Array = NDArray[np.float64]
Value = Callable[[Array], Array]  # rows of inputs to points for who drew


class Weights(Struct, frozen=True):
    """A network of two hidden layers of rectified sums."""

    layers: tuple[tuple[tuple[tuple[float, ...], ...], tuple[float, ...]], ...]  # of each: a row an input, and the biases


class Chance(Struct, frozen=True, eq=False):
    """A draw: what could have come, and what came."""

    inputs: Array  # a row for each card of the stock
    came: int  # the row of the card that came
    sign: int  # 1: seat 0 drew


def measured(record: MatchRecord, rules: Rules, seed: str) -> MatchRecord:
    """Return a record with the luck of every hand in it; a hand that a fault ended has that of the draws that were made."""
    deals = Deals(seed, record.fixture.deals)
    value = frozen()
    return replace(record, hands=tuple(replace(hand, luck=luck(_draws_of(hand, deals, rules), value)) for hand in record.hands))


def luck(draws: list[Chance], value: Value) -> float:
    """Return the luck of seat 0 in a hand, in points; within 60 either way."""
    if not draws:
        return 0.0
    values = np.split(value(np.concatenate([draw.inputs for draw in draws])), np.cumsum([len(draw.inputs) for draw in draws])[:-1])
    total = 0.0
    for draw, could in zip(draws, values, strict=True):
        gains = could - could.mean()
        if abs(total) + float(np.abs(gains).max()) <= LUCK_BOUND:
            total += draw.sign * float(gains[draw.came])
    return total


def draws(deal: Deal, rules: Rules, actions: tuple[Action, ...]) -> Iterator[Chance]:
    """Yield every draw from the stock in a hand. Raises: IllegalAction."""
    hand = Hand.start(deal, rules)
    for action in actions:
        after = hand.play(action)
        if isinstance(action, Draw):
            assert after.drawn is not None
            yield _chance(hand, after.drawn)
        hand = after


def frozen() -> Value:
    """Return the value function that is shipped."""
    layers = _layers()

    def value(inputs: Array) -> Array:
        for weights, biases in layers[:-1]:
            inputs = np.maximum(inputs @ weights + biases, 0.0)
        weights, biases = layers[-1]
        return np.asarray((inputs @ weights + biases)[:, 0])

    return value


def inputs(hand: Hand, card: Card) -> tuple[float, ...]:
    """Return what V sees, if ``card`` comes to the seat that is to draw and it then throws what leaves least deadwood."""
    return _Sight(hand).row(card)


class _Sight:
    """A draw that is about to be made; what does not hang on the card is looked up once."""

    def __init__(self, hand: Hand) -> None:
        self.held, self.theirs = hand.cards[hand.seat], hand.cards[1 - hand.seat]
        self.stock = bits(hand.deck[hand.top : hand.bottom])
        self.now, self.their_deadwood = deadwood(self.held), deadwood(self.theirs)
        self.spare, self.nine = _best_throw(self.held)
        self.joins, self.helps = completes(self.held), completes(self.theirs)
        self.limit = hand.rules.knock_limit
        self.turn = hand.threw[hand.seat].bit_count()
        self.left = hand.stock - 1

    def row(self, card: Card) -> tuple[float, ...]:
        thrown, points = self._throw(card)
        kept = self.held ^ 1 << card ^ 1 << thrown
        live = self.stock & ~(1 << card)
        outs = (self.joins if thrown == card else completes(kept)) & live
        gain = self.their_deadwood - points
        knock = 0 < points <= self.limit
        return (
            points / 20,
            self.their_deadwood / 20,
            self.left / 20,
            outs.bit_count() / 5,
            (self.helps & live).bit_count() / 5,
            float(points == 0),
            float(knock),
            (gain / 20 if gain > 0 else -1.0) if knock else 0.0,  # undercut
            float(self.helps >> thrown & 1),
            self.turn / 10,
        )

    def _throw(self, card: Card) -> tuple[Card, int]:
        """Return the card that is thrown after ``card`` came, and the deadwood left."""
        if self.joins >> card & 1:
            return _best_throw(self.held | 1 << card)
        instead = self.nine + VALUES[card]  # it makes no meld, so it is worth itself wherever it stays
        return (card, self.now) if self.now <= instead else (self.spare, instead)


def _best_throw(held: Cards) -> tuple[Card, int]:
    """Return the card without which least deadwood is left, and that; of several the dearest, then the first."""
    left, _, card = min((deadwood(held ^ 1 << card), -VALUES[card], card) for card in each(held))
    return card, left


def _chance(hand: Hand, came: Card) -> Chance:
    sight = _Sight(hand)
    could = list(each(sight.stock))
    return Chance(np.array([sight.row(card) for card in could]), could.index(came), 1 if hand.seat == 0 else -1)


def _draws_of(hand: HandRecord, deals: Deals, rules: Rules) -> list[Chance]:
    return list(draws(Deal(deals.deck(hand.game, hand.hand), hand.dealer), rules, read(hand.actions)))


@cache  # the weights are read once
def _layers() -> tuple[tuple[Array, Array], ...]:
    read_weights = json.decode(files("arena.stats").joinpath(f"luck_{VERSION}.json").read_bytes(), type=Weights)
    return tuple((np.array(weights), np.array(biases)) for weights, biases in read_weights.layers)
