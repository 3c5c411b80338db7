"""``python tests/studies/responses.py [--generations N] [--hands N] [--fresh N]``: what a response to Professor wins, at least.

The response is Professor with other values of its parameters, as in ``arena exploit``, but all hands are played in the kernel, a
hundred times as fast: each parameter is a term that is added to the networks. The values are found by the cross-entropy method, all
candidates of a generation on the same deals, each from both seats, and measured on fresh deals.
"""

import argparse

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.sdk import Parameter
from arena.sdk.network import Network, load
from arena_bots.common.taught import LEARNED
from arena_bots.professor import EARLY, Professor
from arena_bots.training import teach

NAMES = ("early", "late", "greed", "fear", "haste")  # parameters of Professor
DEADWOOD, TURN, DANGER = 0, 1, 13  # inputs of the networks; the turn is one of the network of knocks
FAR = 1e4  # so that a hidden unit with a linear term is never below 0
CANDIDATES, ELITE = 9, 3  # of a generation
FIRST_WIDTH = 0.15  # of the values, in shares of their ranges
SEED = 51

Floats = NDArray[np.float64]


def with_terms(values: Floats) -> teach.Networks:
    """Return Professor's networks with its parameters at some ``values``, in the order of NAMES."""
    early, late, greed, fear, haste = map(float, values)
    networks = load(LEARNED)
    after = with_unit(networks["after"], {DEADWOOD: -haste, DANGER: -fear}, FAR, 1.0)
    before = with_unit(networks["before"], {DEADWOOD: -haste}, FAR, 1.0)
    knock = networks["knock"]
    for turn, sign in ((EARLY, 1), (EARLY - 1, -1)):  # both together are 1 before turn EARLY, and then 0
        knock = with_unit(knock, {TURN: -1.0}, turn, sign * (early - late))
    return {
        "after": replace(after, bias=after.bias - FAR),
        "before": replace(before, bias=before.bias - FAR - greed),
        "knock": replace(knock, bias=knock.bias + late),
    }


def with_unit(network: Network, inputs: dict[int, float], bias: float, weight: float) -> Network:
    """Return a network with one more hidden unit."""
    row = tuple(inputs.get(place, 0.0) for place in range(len(network.rows[0])))
    return Network((*network.rows, row), (*network.biases, bias), (*network.weights, weight), network.bias)


def main() -> None:
    """Search a response, and print what it wins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generations", type=int, default=8)
    parser.add_argument("--hands", type=int, default=4000, help="of each candidate")
    parser.add_argument("--fresh", type=int, default=40_000, help="of the response, at the end")
    args = parser.parse_args()
    rival, chance = teach.pupil(load(LEARNED), explores=False), np.random.default_rng(SEED)
    ranges = [getattr(Professor, name) for name in NAMES]
    assert all(isinstance(one, Parameter) for one in ranges)
    width: Floats = FIRST_WIDTH * np.array([one.high - one.low for one in ranges])
    best: Floats = np.zeros(len(NAMES))
    for generation in range(args.generations):
        tried = best + width * chance.normal(size=(CANDIDATES, len(NAMES)))
        tried[0] = best
        won = [teach.measure(with_terms(values), rival, args.hands, SEED + 1 + generation)[0] for values in tried]
        elite = tried[np.argsort(won)[-ELITE:]]
        best, width = elite.mean(axis=0), (width + elite.std(axis=0)) / 2
        print(generation, f"{max(won):+.2f} at most,", values_text(best), flush=True)  # noqa: T201
    points, error = teach.measure(with_terms(best), rival, args.fresh, SEED)
    print(f"{values_text(best)}: {points:+.2f} ± {error:.2f} points a hand, {args.fresh:,} fresh hands")  # noqa: T201


def values_text(values: Floats) -> str:
    """Return the values with their names."""
    return ", ".join(f"{name}={value:.2f}" for name, value in zip(NAMES, values, strict=True))


if __name__ == "__main__":
    main()
