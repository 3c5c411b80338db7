"""``python tests/studies/gin_tables.py FOLDER``: the tables of arena/stats/README.md, from the hands of studies.pairings.

*Pairs* and *and luck*: how many independent hands one hand is worth, that is, the variance of the mean of two independent hands
divided by that of a pair, and by that of a pair less its share of luck. *This test*: hands that are played for a verdict, to the
end of its round: the mean over sequences of deals drawn with replacement from those played, without a limit. *Independent hands*:
the same test on hands drawn singly, from both seats in turn, so without pairs and luck. *Match wins*: the mean number of hands
that Wald's sequential test needs for the same bounds on the wins of independent best-of-five matches, with hands drawn with
replacement from those played. *Mirrored matches*: the same for pairs of matches on the same deals, whose five results the
pentanomial test counts.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from math import log, sqrt
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
from arena.tournament.formats.tested import LEG, first_round_size, round_ends

SEQUENCES = 200
MATCHES, LONGEST = 4000, 200  # simulated pairs of matches; hands of a game with different deals
ERRORS = (0.05, 0.05)

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Observations]  # from chance and a number of blocks


class StudiedPairing(Struct, frozen=True, kw_only=True):
    """A row of the tables."""

    name: str
    deals: int
    points: float  # points a hand, each held to 40, less luck
    error: float  # half the width of its 95 % interval
    same: float  # share of deals with the same result in both legs
    pairs: float  # independent hands that one mirrored hand is worth
    luck: float  # the same, with luck subtracted
    mean_luck: float  # in standard errors
    verdict: float  # mean hands for a verdict
    singly: float  # mean hands for a verdict of the same test on independent hands
    match_wins: float  # mean hands for a verdict by match wins
    mirrored: float  # mean hands for a verdict by pairs of mirrored matches


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
    both = np.array([[hand.points for hand in first.singles], [-hand.points for hand in second.singles]])
    matches, mirrored = _by_wins(both)
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
        mirrored=mirrored,
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
    yield "| pairing | match wins | mirrored matches | independent hands | this test | times fewer |"
    yield "|---|--:|--:|--:|--:|--:|"
    for row in rows:
        others = f"{row.match_wins:,.0f} | {row.mirrored:,.0f} | {row.singly:,.0f} | {row.verdict:,.0f}"
        times = (row.match_wins / row.verdict, row.mirrored / row.verdict, row.singly / row.verdict)
        yield f"| {row.name} | {others} | {', '.join(f'{one:.1f}' for one in times)} |"


def _result(record: MatchRecord) -> Result:
    return result(luck.add_luck(record, PAIRED, SEED))


def hands_to_verdict(test: SequentialTest, draw: Draw, sequences: int = SEQUENCES) -> float:
    """Return the mean number of hands that are played for a verdict, without a limit."""
    return float(np.mean([_hands(replace(test, most_hands=10**9), draw, number) for number in range(sequences)]))


def _hands(test: SequentialTest, draw: Draw, seed: int) -> float:
    """Return the hands that are played to the end of the round of a verdict.

    A sequence that is too short is drawn again, twice as long and with the same beginning.
    """
    blocks = 512
    while True:
        drawn = draw(np.random.default_rng(seed), blocks)
        judged = test.judge(drawn)
        end = next(end for end in round_ends(10**9, first_round_size(LEG)) if end >= judged.blocks)
        if judged.verdict is not Verdict.CONTINUE and end <= blocks:
            return float(drawn.hands[:end].sum())
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


def _by_wins(points: Array) -> tuple[float, float]:
    """Return the mean hands for a verdict by match wins, and by pairs of mirrored matches; ``points``: by leg and deal."""
    rules, played = Rules(), games.gather(points.astype(int).ravel().tolist())
    form = games.GameForm(rules.target, rules.best_of)
    here, even = games.chances(played, form), games.mirror(played)
    zero, one = (games.chances(games.tilt_to(even, bound), form).match for bound in (STRONGER.m0, STRONGER.m1))
    scores, hands = _mirrored(points, rules, np.random.default_rng(1))
    return games.wald(here.match, zero, one, *ERRORS) * here.match_hands, _pentanomial(scores, zero, one) * float(hands.mean())


def _mirrored(points: Array, rules: Rules, chance: np.random.Generator) -> tuple[Array, Array]:
    """Return the scores and hands of pairs of matches on the same deals, drawn with replacement, a value for each pair."""
    need, legs = rules.best_of // 2 + 1, (2, MATCHES)
    won, score, hands = np.zeros((2, *legs)), np.zeros((2, *legs)), np.zeros(legs)
    game = np.zeros(legs, int)
    drawn = chance.integers(points.shape[1], size=(rules.best_of, LONGEST, MATCHES))  # the deals of a pair, by game and hand
    hand = np.zeros(legs, int)
    while (live := won.max(axis=0) < need).any():
        deals = drawn[game.clip(max=rules.best_of - 1), hand % LONGEST, np.arange(MATCHES)]
        net = np.take_along_axis(points, deals, axis=1) * live
        score += np.maximum([net, -net], 0)
        over = (score >= rules.target).any(axis=0) & live
        won += over * (score >= rules.target)
        hands, game = hands + live, game + over
        score, hand = score * ~over, np.where(over, 0, hand + 1)
    return (won[0] >= need).mean(axis=0), hands.sum(axis=0)


def _pentanomial(scores: Array, zero: float, one: float) -> float:
    """Return the mean number of pairs until the log of the likelihood ratio of the means ``one`` and ``zero`` leaves its bounds.

    It is a random walk with normal steps, which is the limit of the pentanomial test for bounds near to each other.
    """
    variance, upper = float(scores.var()), log((1 - ERRORS[1]) / ERRORS[0])
    drift = (one - zero) * (float(scores.mean()) - (zero + one) / 2) / variance
    step = (one - zero) ** 2 / variance
    return float(upper * np.tanh(upper * drift / step) / drift)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    rows = [row for one, two in DIFFERENT + PATCHES if (row := study(folder, one, two))]
    print("\n".join([*multipliers(rows), "", *verdict_costs(rows)]))  # noqa: T201


if __name__ == "__main__":
    main()
