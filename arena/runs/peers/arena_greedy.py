"""``python -m arena.runs.peers.arena_greedy HANDS``: arena's bot ``greedy`` against itself."""

import sys

from arena.runs.peers.spent import print_spent
from arena.sdk.loop import bot_class
from arena.sdk.selfplay import selfplay


def play(hands: int) -> int:
    """Play hands and return their decisions."""
    make = bot_class("arena_bots.greedy:Greedy")
    return selfplay((make("0"), make("1")), hands)


if __name__ == "__main__":
    print_spent(play, int(sys.argv[1]))
