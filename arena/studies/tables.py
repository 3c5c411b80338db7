"""``python -m arena.studies.tables FOLDER``: the tables of arena/stats/README.md, from the hands of arena.studies.pairings.

*Pairs*, *and luck*: how many independent hands one hand is worth: the variance of a mean of two independent hands by that of a
pair, and of a pair less its share of luck. *This test*: hands to a verdict, the mean over sequences of deals drawn anew, with
replacement, from those that were played; the test runs on each as it would in a duel, with no limit. *By match wins*: hands that
Wald's sequential test takes on average for a verdict between the same bounds on the wins of independent best-of-five matches,
if each hand is drawn anew from those that were played.
"""

import argparse
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.gin.rules import Rules
from arena.records import MatchRecord, Result, result
from arena.stats import duels, games, luck
from arena.stats.sequential import LUCK_SHARE, STRONGER, SequentialTest
from arena.studies import table
from arena.studies.pairings import DIFFERENT, PATCHES, file_of, key_of, read
from arena.studies.table import PAIRED, SEED, Policy

SEQUENCES = 200
ERRORS = (0.05, 0.05)

Array = NDArray[np.float64]


class Pairing(Struct, frozen=True, kw_only=True):
    """What a pairing's hands say."""

    name: str
    deals: int
    points: float  # a hand, each held to 60
    error: float  # half of its 95 % interval, luck taken off
    same: float  # share of deals that went the same way in both legs
    pairs: float  # multiplier of mirrored deals
    luck: float  # with luck taken off too
    mean_luck: float  # in its standard errors
    verdict: float  # hands to a verdict
    match_wins: float  # hands to one by match wins


def study(folder: Path, one: Policy, two: Policy) -> Pairing | None:
    """Return what a pairing's hands say; None, if it has none."""
    played = read(file_of(folder, one, two))
    if not played:
        return None
    names, key = (one.name, two.name), key_of(one, two)
    first = _measured(table.leg(names, key, [twice.first for twice in played]))
    second = _measured(table.leg((two.name, one.name), key, [twice.second for twice in played]))
    scores = list(duels.deals(first, second))
    y, lucky = np.array([score.y for score in scores]), np.array([score.luck for score in scores])
    single = np.array([duels.net(hand) for hand in first.singles] + [-duels.net(hand) for hand in second.singles])
    corrected = y - LUCK_SHARE * lucky
    return Pairing(
        name=f"{one.name} – {two.name.replace(one.name + ' ', '')}",
        deals=len(scores),
        points=float(corrected.mean()),
        error=1.96 * float(corrected.std()) / sqrt(len(scores)),
        same=sum(score.same for score in scores) / len(scores),
        pairs=float(single.var() / 2 / y.var()),
        luck=float(single.var() / 2 / corrected.var()),
        mean_luck=float(lucky.mean() / (lucky.std() / sqrt(len(lucky)))) if lucky.any() else 0.0,
        verdict=_verdict(y, lucky),
        match_wins=_match_wins([hand.points for hand in first.singles] + [-hand.points for hand in second.singles]),
    )


def multipliers(rows: Sequence[Pairing]) -> Iterator[str]:
    """Yield the table of what pairs and luck give."""
    yield "| pairing | deals | points a hand | same | pairs | and luck | mean luck |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        worth = f"{row.pairs:.1f} | {row.luck:.1f} | {row.mean_luck:+.1f} se"
        yield f"| {row.name} | {row.deals} | {row.points:+.2f} ± {row.error:.2f} | {row.same:.0%} | {worth} |"


def promises(rows: Sequence[Pairing]) -> Iterator[str]:
    """Yield the table of what a verdict costs."""
    yield "| pairing | by match wins | this test | times fewer |"
    yield "|---|--:|--:|--:|"
    for row in rows:
        yield f"| {row.name} | {row.match_wins:,.0f} | {row.verdict:,.0f} | {row.match_wins / row.verdict:.1f} |"


def _measured(record: MatchRecord) -> Result:
    return result(luck.measured(record, PAIRED, SEED))


def _verdict(y: Array, lucky: Array) -> float:
    """Return the mean number of hands to a verdict of STRONGER."""
    chance, hands = np.random.default_rng(1), 0
    for _ in range(SEQUENCES):
        test = SequentialTest(question=STRONGER, most_hands=10**9)
        while not test.over:
            deal = chance.integers(len(y))
            test = test.add(float(y[deal]), luck=float(lucky[deal]))
        hands += test.hands
    return hands / SEQUENCES


def _match_wins(points: list[int]) -> float:
    """Return the mean number of hands to the same verdict by match wins."""
    rules, played = Rules(), games.gather(points)
    form = (rules.target, rules.best_of)
    here, even = games.chances(played, *form), games.mirrored(played)
    zero, one = (games.chances(games.tilted(even, bound), *form).match for bound in (STRONGER.m0, STRONGER.m1))
    return games.wald(here.match, zero, one, *ERRORS) * here.match_hands


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    folder = asked.parse_args().folder
    rows = [row for one, two in DIFFERENT + PATCHES if (row := study(folder, one, two))]
    print("\n".join([*multipliers(rows), "", *promises(rows)]))  # noqa: T201


if __name__ == "__main__":
    main()
