"""Prints numbers of a review, and whether the kernel is compiled, as JSON.

``PYTHONPATH=tests python -m support.kernel.review_numbers`` is the command.
"""

import sys

import numpy as np
from msgspec import json
from support.bots.self_play import self_play

from arena.gin.rules import Rules
from arena.results.confirming import scholars_prices
from arena.review import fitting, habits
from arena.review.observations import behaviour
from arena.review.reviewer import Reviewer
from arena.train.calls import COMPILED
from arena_bots.greedy import Greedy


def numbers() -> list[float]:
    """Return numbers that depend on walks, fitted habits, rollouts by the policy and by scholar."""
    hands = list(self_play((Greedy("a"), Greedy("b")), 4, "numbers"))
    seen = behaviour((played, 1) for played in hands)
    other = fitting.fit(seen, habits.usual_habits(), np.random.Generator(np.random.PCG64(1)))
    step = next(step for step in hands[0] if step.seat == 0 and "discard" in step.view.may)
    [priced] = Reviewer(Rules(), "numbers", 8).prices(hands[:1], 0, other)
    best = next(one.best for one in priced if one.turn == step.turn)
    return [
        *other.throwing,
        *(number for row in (*other.weights, *other.evidence) for number in row),
        *(number for one in priced for number in (one.total.points, one.worth)),
        *(one.points for one in scholars_prices([(step, best)], Rules(), "numbers", other)),
    ]


if __name__ == "__main__":
    sys.stdout.write(json.encode({"compiled": COMPILED, "numbers": numbers()}).decode())
