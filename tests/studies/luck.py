"""``python tests/studies/luck.py [--hands N]``: fits the value function V of arena.stats.luck by self-play.

Several bots play each other with the two-ended stock. Each draw gives a sample: the inputs of V, and the points of the hand for
the player who drew, capped to 60. A network with layers of 32 and 16 units is fitted to the samples by Adam, and its weights are
written next to the code that reads them. All random numbers are seeded, so the same command gives the same weights up to rounding.
A new fit is a new version of V; a test that has begun keeps its version.
"""

import argparse
from itertools import pairwise, product

import numpy as np
import table_policy
from msgspec import json
from numpy.typing import NDArray
from table_policy import PAIRED, SEED, TablePolicy

from arena.gin.actions import read_actions
from arena.gin.deal import Deal, Deals
from arena.records import LUCK_VERSION, net
from arena.stats import luck, luck_1
from arena.stats.pairs import cap

PLAYERS = (("greedy", 4), ("cautious", 4), ("early-bird", 1), ("two-way", 1), ("challenger", 1))  # with relative frequency
UNITS = (luck_1.INPUTS, 32, 16, 1)
EPOCHS, BATCH, RATE = 30, 512, 2e-3
HOLDOUT = 10  # one hand in HOLDOUT is left out of the fit, to validate it

Array = NDArray[np.float64]
Layers = list[tuple[Array, Array]]


def samples(hands: int) -> tuple[Array, Array, Array]:
    """Return the inputs after every draw, the points of the hand for the player who drew, and the number of the hand."""
    bots = {name: TablePolicy(name).build() for name, _ in PLAYERS}
    share = sum(often * other for (_, often), (_, other) in product(PLAYERS, PLAYERS))
    rows, points, numbers = [], [], []
    for (one, often), (two, other) in product(PLAYERS, PLAYERS):
        key = f"luck/{one}:{two}"
        for played in table_policy.hands((bots[one], bots[two]), key, 0, round(hands * often * other / share)):
            deal = Deal(Deals(SEED, key).deck(played.game, 0), played.dealer)
            won = cap(net(played, 0))
            for draw in luck.draws(deal, PAIRED, read_actions(played.actions)):
                rows.append(luck_1.inputs(draw.hand, draw.came))
                points.append(draw.sign * won)
                numbers.append(played.game)
    return np.array(rows), np.array(points, dtype=np.float64), np.array(numbers)


def fit(inputs: Array, points: Array) -> Layers:
    """Return the network of least squared error. Sources: Kingma and Ba (2015), Adam; He et al. (2015), initial weights."""
    chance = np.random.default_rng(1)
    layers = [(chance.normal(0, np.sqrt(2 / a), (a, b)), np.zeros(b)) for a, b in pairwise(UNITS)]
    flat = [part for layer in layers for part in layer]
    moments = [(np.zeros_like(part), np.zeros_like(part)) for part in flat]
    steps = EPOCHS * (len(inputs) // BATCH)
    for step in range(steps):
        if step % (len(inputs) // BATCH) == 0:
            order = chance.permutation(len(inputs))
        rows = order[step % (len(inputs) // BATCH) * BATCH :][:BATCH]
        rate = RATE * (1 - step / steps)
        for part, gradient, (mean, square) in zip(flat, gradients(layers, inputs[rows], points[rows]), moments, strict=True):
            mean += 0.1 * (gradient - mean)  # noqa: PLW2901 - in place
            square += 0.001 * (gradient**2 - square)  # noqa: PLW2901 - in place
            part -= rate * (mean / (1 - 0.9 ** (step + 1))) / (np.sqrt(square / (1 - 0.999 ** (step + 1))) + 1e-8)  # noqa: PLW2901
    return layers


def gradients(layers: Layers, inputs: Array, points: Array) -> list[Array]:
    """Return the gradient of the mean squared error by backpropagation, in the order of the layers; the unit is 10 points."""
    outputs = [inputs]
    for weights, biases in layers[:-1]:
        outputs.append(np.maximum(outputs[-1] @ weights + biases, 0.0))
    back = ((outputs[-1] @ layers[-1][0] + layers[-1][1])[:, 0] - points / 10)[:, None] * 2 / len(points)
    gradient: list[Array] = []
    for (weights, _), before in zip(reversed(layers), reversed(outputs), strict=True):
        gradient = [before.T @ back, back.sum(axis=0), *gradient]
        back = (back @ weights.T) * (before > 0)
    return gradient


def predicted(layers: Layers, inputs: Array) -> Array:
    """Return the predicted points."""
    for weights, biases in layers[:-1]:
        inputs = np.maximum(inputs @ weights + biases, 0.0)
    return np.asarray(10 * (inputs @ layers[-1][0] + layers[-1][1])[:, 0])


def to_json(layers: Layers) -> bytes:
    """Return the weights as JSON, scaled to points and rounded to four digits."""
    last = len(layers) - 1
    scaled = [
        (weights * (10 if place == last else 1), biases * (10 if place == last else 1))
        for place, (weights, biases) in enumerate(layers)
    ]
    return json.encode({"layers": [[np.round(weights, 4).tolist(), np.round(biases, 4).tolist()] for weights, biases in scaled]})


def main() -> None:
    """Fit, validate and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=40_000)
    inputs, points, numbers = samples(parser.parse_args().hands)
    held_out = numbers % HOLDOUT == 0
    layers = fit(inputs[~held_out], points[~held_out])
    residuals = points[held_out] - predicted(layers, inputs[held_out])
    path = table_policy.data_file(f"luck_{LUCK_VERSION}.json")
    path.write_bytes(to_json(layers) + b"\n")
    share = 1 - float(residuals.var() / points[held_out].var())
    print(f"{path.name}: {len(points)} draws; explains {share:.1%} of the variance of points on held-out draws")  # noqa: T201


if __name__ == "__main__":
    main()
