"""``python -m arena.studies.pairings FOLDER [--deals N] [--only TEXT]``: plays the pairings that the tables are made from.

Each deal is played twice, with the seats swapped, by the two-ended stock. A pairing is a file of JSON lines, a line for the two
hands of a deal; the same command goes on where it was stopped. Several may run at once, on different pairings.
"""

import argparse
from pathlib import Path

from msgspec import Struct, json

from arena.records import HandRecord
from arena.studies import table
from arena.studies.table import Policy

BLOCK = 50  # deals played before they are filed

DIFFERENT = (
    (Policy("greedy"), Policy("cautious")),
    (Policy("greedy"), Policy("card-counter")),
    (Policy("card-counter"), Policy("two-way")),
    (Policy("two-way"), Policy("early-bird")),
    (Policy("greedy"), Policy("gin-hunter")),
    (Policy("challenger"), Policy("early-bird")),
    (Policy("scholar"), Policy("challenger")),
)
PATCHES = (
    (Policy("cautious"), Policy("cautious", "KNOCK_AT", 7)),
    (Policy("cautious"), Policy("cautious", "LATE", 6)),
    (Policy("two-way"), Policy("two-way", "LATE_KNOCK", 4)),
    (Policy("early-bird"), Policy("early-bird", "EARLY", 2)),
    (Policy("challenger"), Policy("challenger", "MELD", 30)),
    (Policy("gin-hunter"), Policy("gin-hunter", "MELD", 8)),
)


class Twice(Struct, frozen=True, array_like=True):
    """A deal played by both: the first bot in seat 0, then in seat 1."""

    first: HandRecord
    second: HandRecord


def file_of(folder: Path, one: Policy, two: Policy) -> Path:
    """Return where a pairing's hands stand."""
    return folder / f"{one.name}-{two.name}.jsonl".replace(" ", "_")


def key_of(one: Policy, two: Policy) -> str:
    """Return the key of a pairing's deals."""
    return f"{one.name}:{two.name}"


def read(path: Path) -> list[Twice]:
    """Return the deals of a pairing that have been played; none, if there is no such file."""
    lines = path.read_bytes().splitlines() if path.is_file() else []
    return [json.decode(line, type=Twice) for line in lines]


def play(folder: Path, one: Policy, two: Policy, deals: int) -> None:
    """Play a pairing on, up to so many deals."""
    path = file_of(folder, one, two)
    a, b, played = one.made(), two.made(), len(read(path))
    with path.open("ab") as out:
        for first in range(played, deals, BLOCK):
            count = min(BLOCK, deals - first)
            legs = [table.hands(bots, key_of(one, two), first, count) for bots in ((a, b), (b, a))]
            out.write(b"".join(json.encode(Twice(*hands)) + b"\n" for hands in zip(*legs, strict=True)))
            out.flush()


def main() -> None:
    """Play what the command line names."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--deals", type=int, default=2000)
    asked.add_argument("--only", default="", help="pairings whose file name holds this")
    wanted = asked.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    for one, two in DIFFERENT + PATCHES:
        if wanted.only in file_of(wanted.folder, one, two).name:
            play(wanted.folder, one, two, wanted.deals)


if __name__ == "__main__":
    main()
