"""``python -m arena.runs.selfplay HANDS``: how fast arena's bot ``greedy`` plays itself, in one process and without a referee."""

import sys
import time
from collections.abc import Callable

from msgspec import Struct
from msgspec.json import encode

from arena.sdk.loop import bot_class
from arena.sdk.selfplay import selfplay


class Spent(Struct, frozen=True):
    """Work that was done."""

    hands: int
    decisions: int
    seconds: float  # of processor time


def print_spent(play: Callable[[int], int], hands: int) -> None:
    """Play a number of hands by ``play``, which returns their decisions, and print what was spent; a few hands before warm up."""
    play(1 + hands // 20)
    start = time.process_time()
    decisions = play(hands)
    sys.stdout.buffer.write(encode(Spent(hands, decisions, time.process_time() - start)) + b"\n")


def play_greedy(hands: int) -> int:
    """Play hands and return their decisions."""
    make = bot_class("arena_bots.greedy:Greedy")
    return selfplay((make("0"), make("1")), hands)


if __name__ == "__main__":
    print_spent(play_greedy, int(sys.argv[1]))
