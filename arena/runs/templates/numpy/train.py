"""Trains my-bot against greedy: a cross-entropy search (Rubinstein 1999) over its weights, each tried on the same deals."""

import argparse
import time

import numpy as np
from my_bot import SPREAD, START, WEIGHTS, choose
from numpy.typing import NDArray

from arena.train import Hands

Floats = NDArray[np.float64]
TRIED, KEPT = 64, 12  # vectors of weights in a generation


def play(candidates: Floats, decks: NDArray[np.uint8], seed: int) -> Floats:
    """Return the points of each candidate's weights (m x 14) on the same decks (d x 52), from both seats (m x 2d)."""
    count = len(decks)
    hands = Hands(len(candidates) * 2 * count, opponent="greedy", autoreset=False)
    hands.reset(seed)  # of greedy's choices between equal cards
    hands.deal(np.tile(decks, (2 * len(candidates), 1)), np.tile(np.repeat([0, 1], count), len(candidates)))
    weights = np.repeat(candidates, 2 * count, axis=0)
    points, actions = hands.rewards[:, 0].astype(float), np.zeros(len(hands), np.int64)
    while not hands.done.all():
        rows = np.flatnonzero(~hands.done)
        bits, mask = hands.look()
        actions[rows] = choose(bits[rows], mask[rows], weights[rows])
        points += hands.step(actions)[0][:, 0]
    return points.reshape(len(candidates), 2 * count)


def main() -> None:
    """Train, and save the weights after each generation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generations", type=int, default=40)
    parser.add_argument("--deals", type=int, default=100, help="deals of a generation")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, began = np.random.default_rng(options.seed), time.process_time()

    def deal(count: int) -> NDArray[np.uint8]:
        return chance.permuted(np.tile(np.arange(52, dtype=np.uint8), (count, 1)), axis=1)

    mean, spread = START, SPREAD
    for generation in range(options.generations):
        candidates = mean + spread * chance.standard_normal((TRIED, len(mean)))
        points = play(candidates, deal(options.deals), options.seed + generation).mean(axis=1)
        best = candidates[np.argsort(points)[-KEPT:]]
        noise = 0.2 * (1 - generation / options.generations)  # keeps the search from settling early
        mean, spread = best.mean(axis=0), best.std(axis=0) + noise * SPREAD
        np.savez(WEIGHTS, weights=mean)
        seconds = time.process_time() - began
        print(f"generation {generation + 1}: {points.mean():+.1f} points a hand, {seconds:.0f} s of processor time", flush=True)
    points = play(mean[None], deal(20 * options.deals), options.seed + options.generations)[0]
    error = 1.96 * points.std() / len(points) ** 0.5
    print(f"against greedy, on fresh deals: {points.mean():+.2f} ± {error:.2f} points a hand")


if __name__ == "__main__":
    main()
