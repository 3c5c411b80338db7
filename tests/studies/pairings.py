"""``python tests/studies/pairings.py FOLDER [--deals N] [--only TEXT]``: plays the pairings of the tables in VERDICTS.md.

Each deal is played twice, with the seats swapped and the two-ended stock. A pairing is a file of JSON lines, one line for the two
hands of a deal; the same command resumes where it stopped. Several can run at once on different pairings.
"""

import argparse
from pathlib import Path

import table_policy
from msgspec import Struct, json
from table_policy import TablePolicy

from arena.records import HandRecord

BLOCK = 50  # deals played before they are written

DIFFERENT = (
    (TablePolicy("greedy"), TablePolicy("cautious")),
    (TablePolicy("greedy"), TablePolicy("card-counter")),
    (TablePolicy("card-counter"), TablePolicy("two-way")),
    (TablePolicy("two-way"), TablePolicy("early-bird")),
    (TablePolicy("greedy"), TablePolicy("gin-hunter")),
    (TablePolicy("challenger"), TablePolicy("early-bird")),
    (TablePolicy("scholar"), TablePolicy("challenger")),
)
PATCHES = (
    (TablePolicy("cautious"), TablePolicy("cautious", "KNOCK_AT", 7)),
    (TablePolicy("cautious"), TablePolicy("cautious", "LATE", 6)),
    (TablePolicy("two-way"), TablePolicy("two-way", "LATE_KNOCK", 4)),
    (TablePolicy("early-bird"), TablePolicy("early-bird", "EARLY", 2)),
    (TablePolicy("challenger"), TablePolicy("challenger", "MELD", 30)),
    (TablePolicy("gin-hunter"), TablePolicy("gin-hunter", "MELD", 8)),
)


class BothLegs(Struct, frozen=True, array_like=True):
    """The two hands of a deal: the first bot in seat 0, then in seat 1."""

    first: HandRecord
    second: HandRecord


def file_of(folder: Path, one: TablePolicy, two: TablePolicy) -> Path:
    """Return the file of a pairing."""
    return folder / f"{one.name}-{two.name}.jsonl".replace(" ", "_")


def key_of(one: TablePolicy, two: TablePolicy) -> str:
    """Return the key of a pairing's deals."""
    return f"{one.name}:{two.name}"


def read(path: Path) -> list[BothLegs]:
    """Return the deals of a pairing played so far; none if the file does not exist."""
    lines = path.read_bytes().splitlines() if path.is_file() else []
    return [json.decode(line, type=BothLegs) for line in lines]


def play(folder: Path, one: TablePolicy, two: TablePolicy, deals: int) -> None:
    """Play the remaining deals of a pairing, up to ``deals`` in total."""
    path = file_of(folder, one, two)
    a, b, played = one.build(), two.build(), len(read(path))
    with path.open("ab") as out:
        for first in range(played, deals, BLOCK):
            count = min(BLOCK, deals - first)
            legs = [table_policy.hands(bots, key_of(one, two), first, count) for bots in ((a, b), (b, a))]
            out.write(b"".join(json.encode(BothLegs(*hands)) + b"\n" for hands in zip(*legs, strict=True)))
            out.flush()


def main() -> None:
    """Play the pairings that the command line selects."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--only", default="", help="only pairings whose file name contains this")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for one, two in DIFFERENT + PATCHES:
        if options.only in file_of(options.folder, one, two).name:
            play(options.folder, one, two, options.deals)


if __name__ == "__main__":
    main()
