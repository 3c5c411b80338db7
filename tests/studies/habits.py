"""``python tests/studies/habits.py [--hands N]``: fits the usual habits of players, for reviews of bots whose own are not known.

Eight bots of the ladder play each other and themselves. What was fitted to one half of the hands is compared with the other half:
the mean deadwood of the opponent at each turn, as it was and as it is sampled.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import table_policy
from msgspec import json
from msgspec.structs import replace
from table_policy import PAIRED, SEED, TablePolicy

from arena.gin.actions import read_actions
from arena.gin.deal import Deal, Deals
from arena.review import fitting, habits, likelihood, worlds
from arena.review.habits import COLUMNS, KNOCKS, TURNS, Habits
from arena.review.hand_walks import HandStep, steps
from arena.review.likelihood import FACTS
from arena.review.observations import Observation, behaviour
from arena.review.worlds import FIRST_STEPS, Walk
from arena.train import deadwoods
from arena.train.native import DEAREST_FIRST, KNOWN_PAIR, OUTS, PAIR

BOTS = ("card-counter", "cautious", "challenger", "early-bird", "gin-hunter", "greedy", "scholar", "two-way")
FITTED = 8000  # most positions of the fit
SHOWN = 8000  # most positions of the comparison
PASSES = 2  # the first one begins with random hands
WALKS = 4  # of each position in the comparison


def played(count: int) -> Iterator[list[HandStep]]:
    """Yield the decisions of about ``count`` hands, as many of each two bots."""
    bots = {name: TablePolicy(name).build() for name in BOTS}
    pairs = list(combinations_with_replacement(BOTS, 2))
    for one, two in pairs:
        key = f"habits/{one}:{two}"
        for hand in table_policy.hands((bots[one], bots[two]), key, 0, -(-count // len(pairs))):
            deal = Deal(Deals(SEED, key).deck(hand.game, 0), hand.dealer)
            yield list(steps(deal, PAIRED, read_actions(hand.actions)))


def flat() -> Habits:
    """Return habits to begin a fit with: random hands, the throws of the policy, and a knock as soon as possible."""
    thousandths = (-1000, OUTS, -PAIR, -KNOWN_PAIR, DEAREST_FIRST, 0, 0)
    weights = tuple(some / 1000 for some in thousandths)
    return Habits(((0.0,) * COLUMNS,) * TURNS, ((0.0,) * len(FACTS),) * 2, ((1.0,) * KNOCKS,) * TURNS, weights)


def shown(found: Habits, seen: Sequence[Observation], random: np.random.Generator) -> Iterator[str]:
    """Yield the mean deadwood at each turn, actual and sampled."""
    walk = Walk([one.sight for one in seen], found, WALKS, [random] * len(seen))
    walk.go(FIRST_STEPS)
    turns = likelihood.turns([one.sight for one in seen])
    actual, sampled = deadwoods(np.array([one.held for one in seen])), deadwoods(walk.held).reshape(-1, WALKS).mean(axis=1)
    for turn in np.unique(turns):
        of_turn = turns == turn
        yield f"turn {turn:2}: {actual[of_turn].mean():5.1f} actual, {sampled[of_turn].mean():5.1f} sampled, {of_turn.sum()} times"


def _some(several: Sequence[Observation], most: int, random: np.random.Generator) -> list[Observation]:
    return [several[place] for place in random.permutation(len(several))[:most]]


def main() -> None:
    """Fit, compare and write the habits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=4320)
    hands = list(played(parser.parse_args().hands))
    fitted, others = (behaviour((steps, seat) for steps in half for seat in (0, 1)) for half in (hands[::2], hands[1::2]))
    random = np.random.Generator(np.random.PCG64(habits.HABITS_VERSION))
    some, compared = _some(fitted.hands, FITTED, random), _some(others.hands, SHOWN, random)
    found = flat()
    for _ in range(PASSES):
        found = fitting.fit(replace(fitted, hands=some), found, random)
    path = Path(worlds.__file__).with_name(f"habits_{habits.HABITS_VERSION}.json")
    path.write_bytes(json.encode(found) + b"\n")
    for line in shown(found, compared, random):
        print(line)  # noqa: T201
    print(f"{path.name}: {len(some)} positions of {len(hands)} hands")  # noqa: T201


if __name__ == "__main__":
    main()
