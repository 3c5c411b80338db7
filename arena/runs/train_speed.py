"""How fast the kernel of ``arena.train`` is, in processor time; ``python -m arena.runs.train_speed HANDS`` plays hands."""

import sys
import time
import warnings
from collections.abc import Iterator

from arena.runs.engine_speed import Figure, of_selfplay
from arena.runs.selfplay import print_spent
from arena.train.hands import Hands

ROWS = 1024 if Hands.compiled else 16
SECONDS = 1.0  # of processor time for each figure


def of_training() -> Iterator[Figure]:
    """Yield how fast the kernel plays whole hands, and single steps with masks and observations, beside the engine."""
    how = "compiled" if Hands.compiled else "interpreted"
    engine = next(of_selfplay())
    played = _hands_a_second()
    yield engine
    yield Figure("train_hands", played, "hands/s", f"greedy against itself in the {how} kernel")
    yield Figure("train_hands_to_engine", played / engine.value, "times", "the kernel to the engine, whole hands")
    yield Figure("train_steps", _steps_a_second(), "steps/s", f"mask, observation and step of a batch of {ROWS}")


def play_greedy(hands: int) -> int:
    """Play at least this number of hands of greedy against itself, in whole batches, and return their decisions."""
    batch, decisions = _batch(), 0
    for _ in range(-(-hands // ROWS)):
        batch.finish("greedy", "greedy")
        decisions += batch.decisions
    return decisions


def _hands_a_second() -> float:
    batch, played, start = _batch(), 0, time.process_time()
    while time.process_time() - start < SECONDS:
        batch.finish("greedy", "greedy")
        played += ROWS
    return played / (time.process_time() - start)


def _steps_a_second() -> float:
    """Measure without the choice of the actions, which is the learner's."""
    batch, spent, steps = _batch(), 0.0, 0
    while spent < SECONDS:
        actions = batch.choose("random")
        start = time.process_time()
        batch.look()
        batch.step(actions)
        spent += time.process_time() - start
        steps += ROWS
    return steps / spent


def _batch() -> Hands:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the figures name an interpreted kernel
        batch = Hands(ROWS)
    batch.reset(1)
    return batch


if __name__ == "__main__":
    print_spent(play_greedy, int(sys.argv[1]))
