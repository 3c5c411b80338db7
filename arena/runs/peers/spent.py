"""What a program of this package measured, as the line that it prints."""

import sys
import time
from collections.abc import Callable

from msgspec import Struct
from msgspec.json import encode


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
