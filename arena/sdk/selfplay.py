"""``python -m arena.sdk.selfplay module:Class [HANDS]``: play a bot against itself in one process, to time or profile it."""

import sys
import time
from typing import NoReturn

from arena.gin.actions import IllegalActionError
from arena.gin.deal import Deals
from arena.gin.match import Batch, Hand
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.sdk.bot import Bot
from arena.sdk.mistakes import BotError

USAGE = "expected python -m arena.sdk.selfplay module:Class [HANDS], as mine:Mine or mine.py:Mine"
MOST_HANDS = 10_000_000


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


def main(target: str = "", hands: str = "1000", *more: str) -> None:
    """Play and show how fast, or show in one line what was mistyped or answered; other errors of the bot keep their traceback."""
    from arena.sdk.loading import bot_class  # noqa: PLC0415 - a bot's tests import ``selfplay`` alone

    if target.startswith("-") or not all(target.rpartition(":")):
        _refuse(f"found {repr(target) if target else 'no bot'}; {USAGE}")
    if more:
        _refuse(f"found {more[0]!r} after the hands; {USAGE}")
    if not hands.isdecimal() or not 1 <= int(hands[:20]) <= MOST_HANDS:
        _refuse(f"hands: found {hands!r}; expected a whole number from 1 to {MOST_HANDS:,}")
    try:
        make = bot_class(target)
        selfplay((make("warm"), make("up")), 50)
        start = time.perf_counter()
        decided = selfplay((make("0"), make("1")), int(hands))
    except (BotError, ImportError) as error:
        _refuse(str(error))
    except IllegalActionError as error:
        _refuse(f"an illegal answer: {error}")
    print(f"{int(hands) / (time.perf_counter() - start):.0f} hands a second, {decided / int(hands):.1f} decisions a hand")  # noqa: T201


def _refuse(what: str) -> NoReturn:
    sys.stderr.write(f"selfplay: {what}\n")
    raise SystemExit(2)


if __name__ == "__main__":
    main(*sys.argv[1:])
