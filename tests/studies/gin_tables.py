"""``python tests/studies/gin_tables.py FOLDER``: the tables of arena/stats/README.md, from the hands of studies.pairings.

*Pairs* and *and luck*: how many independent hands one hand is worth, that is, the variance of the mean of two independent hands
divided by that of a pair, and by that of a pair less its share of luck. *This test*: hands to a verdict, the mean over sequences of
deals drawn with replacement from those played, without a limit. *Independent hands*: the same test on hands drawn singly, from both
seats in turn, so without pairs and luck. *Match wins* and *game wins*: the mean number of hands that Wald's sequential test needs
for the same bounds on the wins of independent best-of-five matches, and of games, with hands drawn with replacement from those
played.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from pathlib import Path

import numpy as np
import table_policy
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray
from pairings import DIFFERENT, PATCHES, file_of, key_of, read
from table_policy import PAIRED, SEED, TablePolicy

from arena.gin.rules import Rules
from arena.records import MatchRecord, Result, result
from arena.stats import duels, games, luck
from arena.stats.duels import STRONGER, SequentialTest, Verdict
from arena.stats.wealth import POINTS, Observations, bets
from arena.tournament.formats.tested import LEG

SEQUENCES = 200
ERRORS = (0.05, 0.05)

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Observations]  # from chance and a number of blocks


class StudiedPairing(Struct, frozen=True, kw_only=True):
    """A row of the tables."""

    name: str
    deals: int
    points: float  # points a hand, each capped to 60, less luck
    error: float  # half the width of its 95 % interval
    same: float  # share of deals with the same result in both legs
    pairs: float  # independent hands that one mirrored hand is worth
    luck: float  # the same, with luck subtracted
    mean_luck: float  # in standard errors
    verdict: float  # mean hands to a verdict
    singly: float  # mean hands to a verdict of the same test on independent hands
    match_wins: float  # mean hands to a verdict by match wins
    game_wins: float  # mean hands to a verdict by game wins


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
    matches, games_ = _by_wins([hand.points for hand in first.singles] + [-hand.points for hand in second.singles])
    return StudiedPairing(
        name=f"{one.name} – {two.name.replace(one.name + ' ', '')}",
        deals=len(scores),
        points=float(corrected.mean()),
        error=1.96 * float(corrected.std()) / sqrt(len(scores)),
        same=sum(score.same for score in scores) / len(scores),
        pairs=float(single.var() / 2 / y.var()),
        luck=float(single.var() / 2 / corrected.var()),
        mean_luck=float(lucky.mean() / (lucky.std() / sqrt(len(lucky)))) if lucky.any() else 0.0,
        verdict=hands_to_verdict(SequentialTest(), lambda chance, blocks: _drawn(y, lucky, chance, blocks)),
        singly=hands_to_verdict(SequentialTest(), lambda chance, blocks: _independent(single, chance, blocks)),
        match_wins=matches,
        game_wins=games_,
    )


def multipliers(rows: Sequence[StudiedPairing]) -> Iterator[str]:
    """Yield the table of the gain from pairs and luck."""
    yield "| pairing | deals | points a hand | same | pairs | and luck | mean luck |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        worth = f"{row.pairs:.1f} | {row.luck:.1f} | {row.mean_luck:+.1f} se"
        yield f"| {row.name} | {row.deals} | {row.points:+.2f} ± {row.error:.2f} | {row.same:.0%} | {worth} |"


def verdict_costs(rows: Sequence[StudiedPairing]) -> Iterator[str]:
    """Yield the table of hands to a verdict."""
    yield "| pairing | match wins | game wins | independent hands | this test | of match wins | of independent hands |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        others = f"{row.match_wins:,.0f} | {row.game_wins:,.0f} | {row.singly:,.0f} | {row.verdict:,.0f}"
        yield f"| {row.name} | {others} | 1/{row.match_wins / row.verdict:.1f} | 1/{row.singly / row.verdict:.1f} |"


def _result(record: MatchRecord) -> Result:
    return result(luck.add_luck(record, PAIRED, SEED))


def hands_to_verdict(test: SequentialTest, draw: Draw, sequences: int = SEQUENCES) -> float:
    """Return the mean number of hands to a verdict, without a limit."""
    return float(np.mean([_hands(replace(test, most_hands=10**9), draw, number) for number in range(sequences)]))


def _hands(test: SequentialTest, draw: Draw, seed: int) -> float:
    """Return the hands to a verdict; a sequence that is too short is drawn again, twice as long and with the same beginning."""
    blocks = 512
    while True:
        drawn = draw(np.random.default_rng(seed), blocks)
        judged = test.judge(drawn)
        if judged.verdict is not Verdict.CONTINUE:
            return float(drawn.hands[: judged.blocks].sum())
        blocks *= 2


def _drawn(y: Array, luck: Array, chance: np.random.Generator, blocks: int) -> Observations:
    """Return blocks of deals drawn with replacement."""
    deals = chance.integers(len(y), size=(blocks, LEG))
    return Observations.of_deals(y[deals], luck[deals])


def _independent(single: Array, chance: np.random.Generator, blocks: int) -> Observations:
    """Return blocks of hands drawn one by one, half of them from each seat."""
    half = len(single) // 2
    drawn = chance.integers(half, size=(blocks, 2 * LEG))
    y = (single[drawn[:, :LEG]] + single[half + drawn[:, LEG:]]) / 2
    return Observations.of_deals(y, np.zeros_like(y))


def _by_wins(points: list[int]) -> tuple[float, float]:
    """Return the mean number of hands to a verdict by match wins and by game wins, with the same bounds."""
    rules, played = Rules(), games.gather(points)
    form = games.GameForm(rules.target, rules.best_of)
    here, even = games.chances(played, form), games.mirror(played)
    zero, one = (games.chances(games.tilt_to(even, bound), form) for bound in (STRONGER.m0, STRONGER.m1))
    matches = games.wald(here.match, zero.match, one.match, *ERRORS) * here.match_hands
    return matches, games.wald(here.game, zero.game, one.game, *ERRORS) * here.game_hands


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    rows = [row for one, two in DIFFERENT + PATCHES if (row := study(folder, one, two))]
    print("\n".join([*multipliers(rows), "", *verdict_costs(rows)]))  # noqa: T201


if __name__ == "__main__":
    main()
