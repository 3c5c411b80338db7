"""``python -m arena.results.convert``: the log of another program as a file for ``arena import``."""

import argparse
import sys
from functools import partial
from pathlib import Path

from arena.errors import ArenaError, of_system
from arena.results.convert import eaai, openspiel
from arena.results.convert.foreign import convert

READERS = {"openspiel": openspiel.read, "eaai": eaai.read}


def main(arguments: list[str]) -> str:
    """Convert a log, and return what is said of it. Exits with code 2, if the user has to correct something."""
    parser = argparse.ArgumentParser("python -m arena.results.convert", description=__doc__.partition(": ")[2])
    parser.add_argument("kind", choices=READERS, help="the program that wrote the log")
    parser.add_argument("log", type=Path, help="the log")
    parser.add_argument("hands", type=Path, help="the file to write, hands.jsonl")
    parser.add_argument("--names", nargs=2, default=("player-0", "player-1"), metavar="NAME", help="of players 0 and 1")
    given = parser.parse_args(arguments)
    try:
        found = convert(READERS[given.kind], given.log, given.hands, tuple(given.names), partial(print, file=sys.stderr))
    except (ArenaError, OSError) as error:
        parser.exit(2, f"{of_system(error) or error}\n")
    return f"Written to {given.hands}: {found.hands} hands; {found.left_out} are left out."


if __name__ == "__main__":
    print(main(sys.argv[1:]))  # noqa: T201 - the result of a program
