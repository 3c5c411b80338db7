"""``python -m arena_bots.training.learn bots/scholar.json``: trains Scholar's networks from the start, by policy iteration.

In each round a Student plays by the networks of the previous round with some random actions, half of its hands against itself. Each
position that it reaches is an example, with the points of the hand, and so is each possible knock of either player, with the points
that it would score against the other's true cards. Networks fitted to the examples of this round and the one before play the next
round; those of the first round, which no trained network played, are used only once. All random numbers are seeded: the same
command gives the same weights, up to floating-point differences between machines.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from arena.gin.deal import Deals
from arena.gin.match import Batch, Hand, Phase
from arena.gin.seeing import see
from arena.gin.view import View
from arena.sdk import Bot, Card, Knock, LayOff, deadwood
from arena.sdk.bot import least_left
from arena.sdk.network import Network, save
from arena.sdk.odds import completes

from ..challenger import Challenger
from ..common.values import knock_position, position
from ..early_bird import EarlyBird
from ..scholar import Scholar
from .measure import PAIRED, points_for

ROUNDS, HANDS = 5, 16_000
EXPLORATION = 0.12  # share of discards that are a random one of the best four; half of it for draws and knocks
CAP = 60  # points of an example are capped to this, either way
UNITS = {"after": 32, "before": 24, "knock": 12}  # hidden units
EPOCHS, BATCH, RATE = 12, 512, 2e-3

Numbers = NDArray[np.float64]


class Examples(Struct):
    """Training data of one network: inputs, and the points that followed."""

    inputs: list[list[float]] = field(default_factory=list)
    points: list[float] = field(default_factory=list)

    def add(self, inputs: list[float], points: float) -> None:
        """Add one position, its points capped."""
        self.inputs.append(inputs)
        self.points.append(max(-CAP, min(CAP, points)))


Dataset = dict[str, Examples]


class Student(Scholar):
    """A Scholar that explores and records the positions of the current hand."""

    def __init__(self, seed: str, networks: dict[str, Network], chance: Random) -> None:
        super().__init__(seed, networks)
        self.chance = chance
        self.reached: list[tuple[str, list[float]]] = []

    def wants(self, view: View) -> bool:
        """Decide as Scholar, or sometimes the opposite."""
        taken = super().wants(view)
        if completes(view.cards) >> view.upcard & 1 and self.chance.random() < EXPLORATION / 2:
            taken = not taken
        if not taken:
            self.reached.append(("before", position(view, view.cards, None)))
        return taken

    def throws(self, view: View) -> Card:
        """Discard as Scholar, or sometimes a random one of the best four."""
        best = [card for _, card in self.throw_values(view, view.cards, view.may_discard)[:4]]
        card = self.chance.choice(best) if self.chance.random() < EXPLORATION else best[0]
        self.reached.append(("after", position(view, view.without(card), card)))
        return card

    def knocks(self, view: View, left: int) -> bool:
        """Knock as Scholar, or sometimes do not."""
        return super().knocks(view, left) and self.chance.random() >= EXPLORATION / 2


def beginner() -> dict[str, Network]:
    """Return networks that discard for the seven best draws, take any meld and knock in the first three turns."""
    throw = [0.0] * 21
    throw[2], throw[13] = -1.0, -4.0  # of the mean of the seven best draws, and of the danger
    knock = [0.0] * 8
    knock[1] = -1.0  # of the turn
    return {
        "after": Network((tuple(throw),), (100.0,), (1.0,), -100.0),
        "before": Network(((0.0,) * 21,), (0.0,), (0.0,), -1000.0),
        "knock": Network((tuple(knock),), (3.0,), (1000.0,), -500.0),
    }


def study(networks: dict[str, Network], hands: int, seed: str) -> Dataset:
    """Return the examples of ``hands`` hands played by ``networks``."""
    chance = Random(seed)  # noqa: S311 - for play, not for secrets
    dataset = {name: Examples() for name in networks}
    student, twin = Student(seed, networks, chance), Student(seed, networks, chance)
    others: list[Bot] = [twin, twin, EarlyBird(seed), Challenger(seed)]
    batch = Batch(PAIRED, Deals(seed, "learn"), hands)
    while not batch.over:
        both = (student, chance.choice(others))
        batch = _play_and_learn(batch, both if chance.random() < 0.5 else both[::-1], dataset)
    return dataset


def _play_and_learn(batch: Batch, bots: tuple[Bot, Bot], dataset: Dataset) -> Batch:
    hand = Hand.start(batch.deal(), batch.rules)
    while hand.result is None:
        view = see(hand, batch.standing)
        if hand.phase is Phase.DISCARD and "knock" in view.may:
            _try_knock(hand, view, dataset["knock"])
        hand = hand.play(bots[hand.seat].answer(view))
    for seat, bot in enumerate(bots):
        if isinstance(bot, Student):
            for name, inputs in bot.reached:
                dataset[name].add(inputs, points_for(seat, hand.result))
            bot.reached.clear()
    return batch.add(hand.result)


def _try_knock(hand: Hand, view: View, examples: Examples) -> None:
    """Add the points that a knock would score now; gin is always called, so it gives no example."""
    card = least_left(view)
    left = deadwood(view.without(card))
    if left:
        result = hand.play(Knock(card)).play(LayOff()).result
        assert result
        examples.add(knock_position(view, left), points_for(hand.seat, result))


def fit(examples: list[Examples], units: int) -> Network:
    """Fit a network of ``units`` hidden units by least squares, with Adam (Kingma and Ba, 2015)."""
    inputs = np.array([row for dataset in examples for row in dataset.inputs], dtype=np.float64)
    points = np.array([value for dataset in examples for value in dataset.points], dtype=np.float64)
    mean, deviation = inputs.mean(axis=0), inputs.std(axis=0) + 1e-3
    inputs -= mean
    inputs /= deviation
    chance = np.random.default_rng(0)
    fitted = Layers(
        chance.normal(0, inputs.shape[1] ** -0.5, (inputs.shape[1], units)),
        np.zeros(units),
        chance.normal(0, units**-0.5, units),
        np.zeros(1),
    )
    step = adam(fitted, EPOCHS * (len(points) // BATCH))
    for chosen in _batches(len(points), chance):
        step(gradient(fitted, inputs[chosen], points[chosen] / CAP))
    rows = fitted.rows / deviation[:, None]
    return Network(
        tuple(tuple(row) for row in rows.T.round(6).tolist()),
        tuple((fitted.biases - mean @ rows).round(6).tolist()),
        tuple((fitted.weights * CAP).round(6).tolist()),
        round(float(fitted.bias[0]) * CAP, 6),
    )


class Layers(Struct):
    """A network as arrays, or the gradient of its error."""

    rows: Numbers
    biases: Numbers
    weights: Numbers
    bias: Numbers

    def all(self) -> tuple[Numbers, ...]:
        """Return the arrays, in the same order for a network and its gradient."""
        return self.rows, self.biases, self.weights, self.bias


def gradient(layers: Layers, inputs: Numbers, wanted: Numbers) -> Layers:
    """Return the gradient of the mean squared error."""
    sums = inputs @ layers.rows + layers.biases
    hidden = np.maximum(sums, 0)
    error = (hidden @ layers.weights + layers.bias - wanted) * 2 / len(wanted)
    back = np.outer(error, layers.weights) * (sums > 0)
    return Layers(inputs.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(keepdims=True))


def adam(layers: Layers, steps: int) -> Callable[[Layers], None]:
    """Return a function that moves ``layers`` against a gradient, with a step size that falls to 0."""
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
    """Train, and write the networks after every round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--hands", type=int, default=HANDS)
    parser.add_argument("--seed", default="school")
    args = parser.parse_args()
    networks, before = beginner(), None
    for number in range(args.rounds):
        dataset = study(networks, args.hands, f"{args.seed}/{number}")
        examples = [dataset] if before is None or number == 1 else [before, dataset]
        networks = {name: fit([one[name] for one in examples], units) for name, units in UNITS.items()}
        before = dataset
        save(args.file, networks)


if __name__ == "__main__":
    main()
