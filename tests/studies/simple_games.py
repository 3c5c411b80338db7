"""``python tests/studies/simple_games.py searcher --games 1000 --seed p1``: games to 100 points against OpenSpiel's simple bot.

The simple bot is the kernel's copy, which chose like the original in 15,186 decisions of 15,186 and takes a tenth of its time
(``tests/bots/guests/test_openspiel.py``). Each deal of a game is used twice with the seats swapped, and every game has a bot that
has met nobody yet. Needs the compiled kernel.
"""

import argparse
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.bots.simple_player import SimplePlayer

from arena.gin.deal import Deals
from arena.gin.match import Match
from arena.gin.rulesets import Standard
from arena.sdk import Bot
from arena_bots.training.measure import Share, half_interval, play_match

RULES = Standard(stock="two-ended")


def share_won(make: Callable[[str], Bot], games: int, seed: str) -> Share:
    """Return the share of at least four games that new bots win, with the interval over pairs of games."""
    shares = []
    for number in range(games // 2):
        start = Match.start(RULES, Deals(seed, f"game {number}"))
        first = play_match(start, (make(f"a{number}"), SimplePlayer())) == 0
        second = play_match(start, (SimplePlayer(), make(f"c{number}"))) == 1
        shares.append((first + second) / 2)
    return Share(sum(shares) / len(shares), half_interval(shares), 2 * len(shares))


def main() -> None:
    """Measure the bot that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bot")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", default="strength")
    args = parser.parse_args()
    print(args.bot, share_won(entry_points(group="arena.bots")[args.bot].load(), args.games, args.seed))  # noqa: T201 - output of a command


if __name__ == "__main__":
    main()
