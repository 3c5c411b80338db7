"""``python -m arena_bots.training.teach bots/common/taught.json``: trains Professor's networks from Scholar's, by policy iteration.

In each round pupils play by the networks of the round before, against themselves, Scholar and Greedy, in the kernel of
``arena.train``, which has to be compiled: interpreted, this takes days. In each hand a pupil makes one random decision; its
positions from there on, with the points of the hand, and all its possible knocks, with the points that they would score, are
examples. Networks fitted to the examples of the last two rounds play the next one. All random numbers are seeded: the same command
gives the same weights, up to floating-point differences between machines. Four rounds of 140,000 hands take four minutes of
processor time.
"""

import argparse
from ctypes import POINTER, addressof, cast, pointer
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.sdk.network import Network, load, save
from arena.train import Hands, calls, native, school
from arena.train.native import KernelNetwork
from arena.train.rule_tables import terms_of

from ..scholar import LEARNED
from .measure import PAIRED, half_interval

ROUNDS, HANDS, SEED = 4, 140_000, 1000
OPPONENTS = (2.0, 1.0, 0.5)  # relative numbers of hands against itself, Scholar and Greedy
EXAMPLES = 60  # room for so many of each hand on average; more are dropped
CAP = 80  # points of an example are capped to this, either way
KINDS = {"after": (26, 48), "before": (26, 32), "knock": (10, 16)}  # inputs and hidden units, in the kernel's order of kinds
EPOCHS, BATCH, RATE = 5, 1024, 2e-3

Networks = dict[str, Network]
Numbers = NDArray[np.float32]
Examples = NDArray[np.void]


def pupil(networks: Networks, *, explores: bool) -> native.Pupil:
    """Return a player of the kernel that chooses by networks, and records examples if it ``explores``."""
    ordered = (networks[name] for name in KINDS)
    learned = calls.Networks([(one.rows, one.biases, one.weights, one.bias) for one in ordered])
    found = native.Pupil(networks=cast(learned.array, POINTER(KernelNetwork)), explores=explores)
    found.memory = learned  # lives as long as the pupil
    return found


def play(states: NDArray[np.void], players: tuple[native.Pupil | int, ...]) -> Examples:
    """Play ``states`` to their ends in place, with a player for each seat, and return the examples of those that explore."""
    terms, examples = terms_of(PAIRED), np.zeros(len(states) * EXAMPLES, np.dtype(native.Example))
    batch = native.Lesson(
        terms=pointer(terms),
        states=states.ctypes.data_as(POINTER(native.HandState)),
        size=len(states),
        examples=examples.ctypes.data_as(POINTER(native.Example)),
        room=len(examples),
    )
    for seat, player in enumerate(players):
        if isinstance(player, native.Pupil):
            batch.players[seat], batch.pupils[seat] = native.PUPIL, player
        else:
            batch.players[seat] = player
    school.play_all(addressof(batch))
    return examples[: batch.count].copy()


def study(networks: Networks, hands: int, seed: int) -> Examples:
    """Play ``hands`` hands by ``networks``, half of them from each seat, and return the examples."""
    student = pupil(networks, explores=True)
    rivals: list[native.Pupil | int] = [student, pupil(load(LEARNED), explores=False), native.GREEDY]
    found = []
    for number, (rival, share) in enumerate(zip(rivals, OPPONENTS, strict=True)):
        dealt = Hands(int(hands * share / sum(OPPONENTS)), PAIRED)
        dealt.reset(seed + (number << 32))
        half = len(dealt) // 2
        found += [play(dealt.states[:half].copy(), (student, rival)), play(dealt.states[half:].copy(), (rival, student))]
    return np.concatenate(found)


def measure(networks: Networks, rival: native.Pupil | int, hands: int, seed: int = 7) -> tuple[float, float]:
    """Return the points a hand against a player of the kernel, and half the 95 % interval; each deal is played from both seats."""
    student, dealt = pupil(networks, explores=False), Hands(hands // 2, PAIRED)
    dealt.reset(seed)
    first, second = dealt.states.copy(), dealt.states.copy()
    play(first, (student, rival))
    play(second, (rival, student))
    points = [np.where(one["winner"] < 0, 0, np.where(one["winner"] == 0, 1, -1) * one["points"]) for one in (first, second)]
    means = (points[0] - points[1]) / 2
    return float(means.mean()), half_interval(means.tolist())


class Weights(Struct):
    """The arrays of a network that is being fitted, with the moments of their gradients."""

    values: list[Any]
    means: list[Any]
    squares: list[Any]
    steps: int = 0

    def step(self, gradients: list[Any], rate: float) -> None:
        """Move against a gradient; Adam (Kingma and Ba, 2015)."""
        self.steps += 1
        for value, mean, square, change in zip(self.values, self.means, self.squares, gradients, strict=True):
            mean[:] += 0.1 * (change - mean)
            square[:] += 0.001 * (change * change - square)
            value[:] -= rate * mean / (1 - 0.9**self.steps) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)


def fit(given: Numbers, points: Numbers, units: int) -> Network:
    """Fit a network of ``units`` hidden units by least squares."""
    mean, deviation = given.mean(0), given.std(0) + 1e-3
    inputs, wanted = (given - mean) / deviation, (np.clip(points, -CAP, CAP) / CAP).astype(np.float32)
    chance, width = np.random.default_rng(0), inputs.shape[1]
    first = [chance.normal(0, width**-0.5, (width, units)), np.zeros(units), chance.normal(0, units**-0.5, units), np.zeros(1)]
    values = [one.astype(np.float32) for one in first]
    weights = Weights(values, [np.zeros_like(one) for one in values], [np.zeros_like(one) for one in values])
    total = EPOCHS * (len(wanted) // BATCH)
    for _ in range(EPOCHS):
        order = chance.permutation(len(wanted))
        for start in range(0, len(wanted) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            weights.step(gradient(values, inputs[chosen], wanted[chosen]), RATE * (1 - weights.steps / total))
    rows = (values[0] / deviation[:, None]).astype(float)
    return Network(
        tuple(map(tuple, rows.T.round(6).tolist())),
        tuple((values[1] - mean @ rows).round(6).tolist()),
        tuple((values[2] * CAP).astype(float).round(6).tolist()),
        round(float(values[3][0]) * CAP, 6),
    )


def gradient(values: list[Any], inputs: Numbers, wanted: Numbers) -> list[Any]:
    """Return the gradient of the mean squared error."""
    rows, biases, weights, bias = values
    sums = inputs @ rows + biases
    hidden = np.maximum(sums, 0)
    error = (hidden @ weights + bias - wanted) * (2 / len(wanted))
    back = np.outer(error, weights) * (sums > 0)
    return [inputs.T @ back, back.sum(0), hidden.T @ error, error.sum(keepdims=True)]


def main() -> None:
    """Train, and write the networks after every round; or measure those of a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--hands", type=int, default=HANDS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--measure", type=int, metavar="HANDS", help="instead: play this number of hands against Greedy and Scholar"
    )
    args = parser.parse_args()
    if args.measure:
        for name, rival in (("greedy", native.GREEDY), ("scholar", pupil(load(LEARNED), explores=False))):
            print("{:+.2f} ± {:.2f} against".format(*measure(load(args.file), rival, args.measure)), name)  # noqa: T201 - a script
        return
    networks, rounds = load(LEARNED), list[Examples]()
    for number in range(args.rounds):
        rounds = [*rounds[-1:], study(networks, args.hands, args.seed + number)]
        examples = np.concatenate(rounds)
        networks = {}
        for kind, (name, (inputs, units)) in enumerate(KINDS.items()):
            of_kind = examples[examples["kind"] == kind]
            networks[name] = fit(of_kind["inputs"][:, :inputs], of_kind["points"], units)
        save(args.file, networks)


if __name__ == "__main__":
    main()
