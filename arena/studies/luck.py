"""``python -m arena.studies.luck [--hands N]``: fits the value function of arena.stats.luck by self-play, from nothing.

Bots of several kinds play each other inline by the two-ended stock; after every draw the inputs of V are noted with the points
that the hand brought who drew, held to 60. A network of 32 and 16 units is fitted to them by Adam, and its weights are written
beside the code that reads them. All chance is seeded: the same command gives the same weights, to the machine's arithmetic. A
new fit is a new version: tests of strength that have begun keep the one they began with.
"""

import argparse
from itertools import pairwise, product

import numpy as np
from msgspec import json
from numpy.typing import NDArray

from arena.gin.deal import Deal, Deals
from arena.gin.transcript import read
from arena.records import net
from arena.stats import luck
from arena.stats.pairs import held
from arena.studies import table
from arena.studies.table import PAIRED, SEED, Policy

PLAYERS = (("greedy", 4), ("cautious", 4), ("early-bird", 1), ("two-way", 1), ("challenger", 1))  # and how often, relatively
UNITS = (luck.INPUTS, 32, 16, 1)
EPOCHS, BATCH, RATE = 30, 512, 2e-3
HIDDEN = 10  # one in so many hands is kept from the fit, to tell how good it is

Array = NDArray[np.float64]
Layers = list[tuple[Array, Array]]


def notes(hands: int) -> tuple[Array, Array, Array]:
    """Return inputs after a draw, the points that followed, and the number of the hand."""
    bots = {name: Policy(name).made() for name, _ in PLAYERS}
    share = sum(often * other for (_, often), (_, other) in product(PLAYERS, PLAYERS))
    rows, points, numbers = [], [], []
    for (one, often), (two, other) in product(PLAYERS, PLAYERS):
        key = f"luck/{one}:{two}"
        for played in table.hands((bots[one], bots[two]), key, 0, round(hands * often * other / share)):
            deal = Deal(Deals(SEED, key).deck(played.game, 0), played.dealer)
            brought = held(net(played, 0))
            for draw in luck.draws(deal, PAIRED, read(played.actions)):
                rows.append(draw.inputs[draw.came])
                points.append(draw.sign * brought)
                numbers.append(played.game)
    return np.array(rows), np.array(points, dtype=np.float64), np.array(numbers)


def fit(inputs: Array, points: Array) -> Layers:
    """Return the network of least squared error. Source: Kingma and Ba (2015), Adam; He et al. (2015) for the start."""
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
        for part, slope, (mean, square) in zip(flat, slopes(layers, inputs[rows], points[rows]), moments, strict=True):
            mean += 0.1 * (slope - mean)  # noqa: PLW2901 - in place
            square += 0.001 * (slope**2 - square)  # noqa: PLW2901 - in place
            part -= rate * (mean / (1 - 0.9 ** (step + 1))) / (np.sqrt(square / (1 - 0.999 ** (step + 1))) + 1e-8)  # noqa: PLW2901
    return layers


def slopes(layers: Layers, inputs: Array, points: Array) -> list[Array]:
    """Return how the mean squared error grows with each weight, in the order of the layers; points are counted by tens."""
    seen = [inputs]
    for weights, biases in layers[:-1]:
        seen.append(np.maximum(seen[-1] @ weights + biases, 0.0))
    back = ((seen[-1] @ layers[-1][0] + layers[-1][1])[:, 0] - points / 10)[:, None] * 2 / len(points)
    found: list[Array] = []
    for (weights, _), before in zip(reversed(layers), reversed(seen), strict=True):
        found = [before.T @ back, back.sum(axis=0), *found]
        back = (back @ weights.T) * (before > 0)
    return found


def predicted(layers: Layers, inputs: Array) -> Array:
    """Return points."""
    for weights, biases in layers[:-1]:
        inputs = np.maximum(inputs @ weights + biases, 0.0)
    return np.asarray(10 * (inputs @ layers[-1][0] + layers[-1][1])[:, 0])


def written(layers: Layers) -> bytes:
    """Return the weights as they are shipped: in points, four digits each."""
    last = len(layers) - 1
    scaled = [
        (weights * (10 if place == last else 1), biases * (10 if place == last else 1))
        for place, (weights, biases) in enumerate(layers)
    ]
    return json.encode({"layers": [[np.round(weights, 4).tolist(), np.round(biases, 4).tolist()] for weights, biases in scaled]})


def main() -> None:
    """Fit, tell how good the fit is, and write the weights."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--hands", type=int, default=40_000)
    inputs, points, numbers = notes(asked.parse_args().hands)
    hidden = numbers % HIDDEN == 0
    layers = fit(inputs[~hidden], points[~hidden])
    left = points[hidden] - predicted(layers, inputs[hidden])
    path = table.here(f"luck_{luck.VERSION}.json")
    path.write_bytes(written(layers) + b"\n")
    share = 1 - float(left.var() / points[hidden].var())
    print(f"{path.name}: {len(points)} draws; explains {share:.1%} of the variance of points on draws kept from the fit")  # noqa: T201


if __name__ == "__main__":
    main()
