"""``python -m arena.sdk.selfplay module:Class [HANDS]``: play a bot against itself in one process, to time or profile it."""

import sys
import time

from arena.gin.deal import Deals
from arena.gin.match import Batch, Hand
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.sdk.bot import Bot


def selfplay(bots: tuple[Bot, Bot], hands: int) -> int:
    """Play ``hands`` hands, each from 0-0, and return the number of decisions."""
    batch = Batch(Rules(), Deals("selfplay", "selfplay"), hands)
    decisions = 0
    while not batch.over:
        standing, hand = batch.standing, Hand.start(batch.deal(), batch.rules)
        while hand.result is None:
            hand = hand.play(bots[hand.seat].answer(see(hand, standing)))
            decisions += 1
        batch = batch.add(hand.result)
    return decisions


if __name__ == "__main__":
    from arena.sdk.loop import bot_class

    make = bot_class(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    selfplay((make("warm"), make("up")), 50)
    start = time.perf_counter()
    decided = selfplay((make("0"), make("1")), count)
    print(f"{count / (time.perf_counter() - start):.0f} hands a second, {decided / count:.1f} decisions a hand")  # noqa: T201
