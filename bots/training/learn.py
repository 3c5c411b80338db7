"""``python -m arena_bots.training.learn bots/scholar.json``: teaches Scholar, from nothing, by policy iteration.

In each round a Student plays with the networks of the round before, now and then something else, half of its hands
against itself. Every position it reached is noted with the points that the hand brought in the end; every chance to knock, with
the points that the knock would have brought against the cards the opponent really held. Networks fitted to these
notes and those of the round before play the next round. All chance is seeded: the same command gives the same weights, to the
precision of the machine's arithmetic.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from arena.gin.deal import Deals
from arena.gin.hand import Hand, Phase
from arena.gin.match import Batch
from arena.gin.view import View, see
from arena.sdk import Bot, Card, Knock, LayOff, deadwood
from arena.sdk.bot import least_left
from arena.sdk.network import Network, save
from arena.sdk.odds import completes

from ..challenger import Challenger
from ..early_bird import EarlyBird
from ..scholar import Scholar, knock_position, position
from .measure import PAIRED, to

ROUNDS, HANDS = 5, 16_000
CURIOSITY = 0.12  # share of throws among the best four that chance decides; half of it for draws and knocks
HELD_TO = 60  # points: one hand shall not teach more than that
UNITS = {"after": 32, "before": 24, "knock": 12}
EPOCHS, BATCH, RATE = 12, 512, 2e-3

Numbers = NDArray[np.float64]


class Notes(Struct):
    """What one network is to learn: positions, and the points they brought."""

    inputs: list[list[float]] = field(default_factory=list)
    points: list[float] = field(default_factory=list)

    def add(self, inputs: list[float], points: float) -> None:
        """Note one position."""
        self.inputs.append(inputs)
        self.points.append(max(-HELD_TO, min(HELD_TO, points)))


Lessons = dict[str, Notes]


class Student(Scholar):
    """A scholar that tries things out and remembers the positions of this hand."""

    def __init__(self, seed: str, networks: dict[str, Network], chance: Random) -> None:
        super().__init__(seed, networks)
        self.chance = chance
        self.reached: list[tuple[str, list[float]]] = []

    def wants(self, view: View) -> bool:
        """Take as a scholar would, or sometimes not."""
        taken = super().wants(view)
        if completes(view.cards) >> view.upcard & 1 and self.chance.random() < CURIOSITY / 2:
            taken = not taken
        if not taken:
            self.reached.append(("before", position(view, view.cards, None)))
        return taken

    def throws(self, view: View) -> Card:
        """Throw as a scholar would, or sometimes another of the best four."""
        best = [card for _, card in self.throw_values(view, view.cards, view.may_discard)[:4]]
        card = self.chance.choice(best) if self.chance.random() < CURIOSITY else best[0]
        self.reached.append(("after", position(view, view.without(card), card)))
        return card

    def knocks(self, view: View, left: int) -> bool:
        """Knock as a scholar would, or sometimes not."""
        return super().knocks(view, left) and self.chance.random() >= CURIOSITY / 2


def beginner() -> dict[str, Network]:
    """Return networks that throw for the seven best draws, take any meld and knock in the first three turns."""
    throw = [0.0] * 21
    throw[2], throw[13] = -1.0, -4.0  # seven best draws, danger
    knock = [0.0] * 8
    knock[1] = -1.0  # turn
    return {
        "after": Network((tuple(throw),), (100.0,), (1.0,), -100.0),
        "before": Network(((0.0,) * 21,), (0.0,), (0.0,), -1000.0),
        "knock": Network((tuple(knock),), (3.0,), (1000.0,), -500.0),
    }


def study(networks: dict[str, Network], hands: int, seed: str) -> Lessons:
    """Return what so many hands teach who plays by ``networks``."""
    chance = Random(seed)  # noqa: S311 - for play, not for secrets
    lessons = {name: Notes() for name in networks}
    student, twin = Student(seed, networks, chance), Student(seed, networks, chance)
    others: list[Bot] = [twin, twin, EarlyBird(seed), Challenger(seed)]
    batch = Batch(PAIRED, Deals(seed, "learn"), hands)
    while not batch.over:
        both = (student, chance.choice(others))
        batch = _learn_from(batch, both if chance.random() < 0.5 else both[::-1], lessons)
    return lessons


def _learn_from(batch: Batch, bots: tuple[Bot, Bot], lessons: Lessons) -> Batch:
    hand = Hand.start(batch.deal(), batch.rules)
    while hand.result is None:
        view = see(hand, batch.standing)
        if hand.phase is Phase.DISCARD and "knock" in view.may:
            _try_knock(hand, view, lessons["knock"])
        hand = hand.play(bots[hand.seat].answer(view))
    for seat, bot in enumerate(bots):
        if isinstance(bot, Student):
            for name, inputs in bot.reached:
                lessons[name].add(inputs, to(seat, hand.result))
            bot.reached.clear()
    return batch.add(hand.result)


def _try_knock(hand: Hand, view: View, notes: Notes) -> None:
    """Note what a knock would bring now; gin is no question."""
    card = least_left(view)
    left = deadwood(view.without(card))
    if left:
        result = hand.play(Knock(card)).play(LayOff()).result
        assert result
        notes.add(knock_position(view, left), to(hand.seat, result))


def fit(notes: list[Notes], units: int) -> Network:
    """Return the network of so many units that comes closest to some notes, in squares; Adam (Kingma and Ba, 2015)."""
    inputs = np.array([one for note in notes for one in note.inputs], dtype=np.float64)
    points = np.array([one for note in notes for one in note.points], dtype=np.float64)
    middle, spread = inputs.mean(axis=0), inputs.std(axis=0) + 1e-3
    inputs -= middle
    inputs /= spread
    chance = np.random.default_rng(0)
    fitted = Layers(
        chance.normal(0, inputs.shape[1] ** -0.5, (inputs.shape[1], units)),
        np.zeros(units),
        chance.normal(0, units**-0.5, units),
        np.zeros(1),
    )
    step = adam(fitted, EPOCHS * (len(points) // BATCH))
    for chosen in _batches(len(points), chance):
        step(slope(fitted, inputs[chosen], points[chosen] / HELD_TO))
    rows = fitted.rows / spread[:, None]
    return Network(
        tuple(tuple(row) for row in rows.T.round(6).tolist()),
        tuple((fitted.biases - middle @ rows).round(6).tolist()),
        tuple((fitted.weights * HELD_TO).round(6).tolist()),
        round(float(fitted.bias[0]) * HELD_TO, 6),
    )


class Layers(Struct):
    """A network as arrays, or the slope of its error in each of its weights."""

    rows: Numbers
    biases: Numbers
    weights: Numbers
    bias: Numbers

    def all(self) -> tuple[Numbers, ...]:
        """Return the arrays, in one order for a network and its slope."""
        return self.rows, self.biases, self.weights, self.bias


def slope(layers: Layers, inputs: Numbers, wanted: Numbers) -> Layers:
    """Return the slope of the mean squared error."""
    sums = inputs @ layers.rows + layers.biases
    hidden = np.maximum(sums, 0)
    error = (hidden @ layers.weights + layers.bias - wanted) * 2 / len(wanted)
    back = np.outer(error, layers.weights) * (sums > 0)
    return Layers(inputs.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(keepdims=True))


def adam(layers: Layers, steps: int) -> Callable[[Layers], None]:
    """Return a function that moves ``layers`` against a slope, by steps that shrink to nothing."""
    means = [np.zeros_like(one) for one in layers.all()]
    squares = [np.zeros_like(one) for one in layers.all()]
    done = 0

    def step(by: Layers) -> None:
        nonlocal done
        rate = RATE * (1 - done / steps)
        done += 1
        for weights, mean, square, change in zip(layers.all(), means, squares, by.all(), strict=True):
            mean[:] += 0.1 * (change - mean)
            square[:] += 0.001 * (change**2 - square)
            weights[:] -= rate * mean / (1 - 0.9**done) / (np.sqrt(square / (1 - 0.999**done)) + 1e-8)

    return step


def _batches(count: int, chance: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    for _ in range(EPOCHS):
        order = chance.permutation(count)
        for start in range(0, count - BATCH + 1, BATCH):
            yield order[start : start + BATCH]


def main() -> None:
    """Teach, and write the networks after every round."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("file", type=Path)
    asked.add_argument("--rounds", type=int, default=ROUNDS)
    asked.add_argument("--hands", type=int, default=HANDS)
    asked.add_argument("--seed", default="school")
    args = asked.parse_args()
    networks, before = beginner(), None
    for number in range(args.rounds):
        lessons = study(networks, args.hands, f"{args.seed}/{number}")
        fresh = [lessons] if before is None or number == 1 else [before, lessons]
        networks = {name: fit([one[name] for one in fresh], units) for name, units in UNITS.items()}
        before = lessons
        save(args.file, networks)


if __name__ == "__main__":
    main()
