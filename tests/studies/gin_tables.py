"""``python tests/studies/gin_tables.py FOLDER``: the gain from pairs and luck, from the hands of studies.pairings.

*Pairs* and *and luck*: how many independent hands one hand is worth, that is, the variance of the mean of two independent hands
divided by that of a pair, and by that of a pair less its share of luck.
"""

import argparse
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path

import numpy as np
import table_policy
from msgspec import Struct
from pairings import DIFFERENT, PATCHES, file_of, key_of, read
from table_policy import PAIRED, SEED, TablePolicy

from arena.records import MatchRecord, Result, result
from arena.stats import duels, luck
from arena.stats.scales import POINTS
from arena.stats.wealth import Observations, bets


class StudiedPairing(Struct, frozen=True, kw_only=True):
    """A row of the table."""

    name: str
    deals: int
    points: float  # points a hand, each held to 40, less luck
    error: float  # half the width of its 95 % interval
    same: float  # share of deals with the same result in both legs
    pairs: float  # independent hands that one mirrored hand is worth
    luck: float  # the same, with luck subtracted
    mean_luck: float  # in standard errors


def study(folder: Path, one: TablePolicy, two: TablePolicy) -> StudiedPairing | None:
    """Return the row of a pairing; None if no hands of it have been played."""
    played = read(file_of(folder, one, two))
    if not played:
        return None
    names, key = (one.name, two.name), key_of(one, two)
    first = _result(table_policy.leg(names, key, [legs.first for legs in played]))
    second = _result(table_policy.leg((two.name, one.name), key, [legs.second for legs in played]))
    scores = duels.block(first, second).deals
    y, lucky = np.array([score.y for score in scores]), np.array([score.luck for score in scores])
    single = np.array([duels.net(hand) for hand in first.singles] + [-duels.net(hand) for hand in second.singles])
    corrected = bets(Observations.of_deals(y[:, None], lucky[:, None]), POINTS).score
    return StudiedPairing(
        name=f"{one.name} – {two.name.replace(one.name + ' ', '')}",
        deals=len(scores),
        points=float(corrected.mean()),
        error=1.96 * float(corrected.std()) / sqrt(len(scores)),
        same=sum(score.same for score in scores) / len(scores),
        pairs=float(single.var() / 2 / y.var()),
        luck=float(single.var() / 2 / corrected.var()),
        mean_luck=float(lucky.mean() / (lucky.std() / sqrt(len(lucky)))) if lucky.any() else 0.0,
    )


def multipliers(rows: Sequence[StudiedPairing]) -> Iterator[str]:
    """Yield the table of the gain from pairs and luck."""
    yield "| pairing | deals | points a hand | same | pairs | and luck | mean luck |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        worth = f"{row.pairs:.1f} | {row.luck:.1f} | {row.mean_luck:+.1f} se"
        yield f"| {row.name} | {row.deals} | {row.points:+.2f} ± {row.error:.2f} | {row.same:.0%} | {worth} |"


def _result(record: MatchRecord) -> Result:
    return result(luck.add_luck(record, PAIRED, SEED))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    rows = [row for one, two in DIFFERENT + PATCHES if (row := study(folder, one, two))]
    print("\n".join(multipliers(rows)))  # noqa: T201


if __name__ == "__main__":
    main()
