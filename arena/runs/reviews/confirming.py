"""Prices marked decisions again, by rollouts of the strongest bot.

The policy of the rollouts is quick and prefers its own way to play. So a mark also needs the points by a stronger player, which
continues after the chosen action and after the better one. The worlds are new, so this price has no luck of the choice.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
from msgspec.structs import replace

from arena.gin.actions import Action
from arena.gin.hand import Hand
from arena.review import estimates
from arena.review.estimates import Price
from arena.review.habit_play import HabitPlayer
from arena.review.habits import Habits
from arena.review.sights import sight
from arena.review.vectors import Ints
from arena.review.walking import NOWHERE, HandStep
from arena.review.worlds import SAMPLES, Worlds, random_numbers, sample
from arena.runs.reviews.cache import CONFIRMING_VERSION
from arena.sdk import Bot
from arena.sdk.importing import bot_class
from arena.sdk.simulate import playout

STRONGEST = "arena_bots.scholar:Scholar"
WALKS = 12


class Confirmer:
    """Prices decisions by rollouts of the strongest bot; ``seed`` decides which worlds are sampled for each position."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def price(self, step: HandStep, better: Action, opponent: Habits) -> Price:
        """Return what another action gains, if the other seat plays by its habits."""
        random = random_numbers(CONFIRMING_VERSION, self._seed, step.view)
        worlds = sample([sight(step.view)], [opponent], WALKS, [random])[0]
        gains = [self._gain(hand, better, step, opponent, number) for number, hand in enumerate(_hands(step, worlds))]
        return estimates.price(np.array(gains).reshape(-1, SAMPLES).mean(axis=1))

    def _gain(self, hand: Hand, better: Action, step: HandStep, opponent: Habits, number: int) -> float:
        gained, lost = (self._points(hand.play(action), step.seat, opponent, number) for action in (better, step.action))
        return gained - lost

    def _points(self, hand: Hand, seat: int, opponent: Habits, number: int) -> float:
        other = HabitPlayer(opponent, np.random.Generator(np.random.PCG64(number))).answer
        mine = _strongest().answer
        result = playout(hand, *((other, mine) if seat else (mine, other)), NOWHERE)
        return result.points if result.winner == seat else -result.points


@cache
def _strongest() -> Bot:
    return bot_class(STRONGEST)()


def _hands(step: HandStep, worlds: Worlds) -> Iterator[Hand]:
    """Yield the hand with the hidden cards of each world."""
    return (_hand(step, int(theirs), order) for theirs, order in zip(worlds.theirs, worlds.stock, strict=True))


def _hand(step: HandStep, theirs: int, order: Ints) -> Hand:
    hand, mine = step.hand, step.view.cards
    deck = (*hand.deck[: hand.top], *order.tolist(), *hand.deck[hand.bottom :])
    return replace(hand, deck=deck, cards=(theirs, mine) if step.seat else (mine, theirs))
