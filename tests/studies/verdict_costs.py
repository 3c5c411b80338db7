"""``python tests/studies/verdict_costs.py [--sequences N] [--only TEXT]``: what a verdict costs, for VERDICTS.md.

All numbers are hands that are played, for bounds 0 and 0.5 points a hand at errors of 0.05, asked once for the better bot and once
for the other. *This test*: to the end of the round of the verdict, the mean over sequences of deals drawn with replacement from
the recorded ones, without a limit. In brackets, how many times as many other tests take. *Mirrored*: pairs of best-of-five
matches on the same deals, by the pentanomial test as shipped; *normal*: the same by normal steps whose variance is known, which is
no test of a few pairs. *Matches*: Wald's test of the wins of independent
matches. *Single hands*: this test on hands drawn singly, from both seats in turn, so without pairs and luck.
"""

import argparse
from collections.abc import Callable, Iterator
from math import log

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray
from recorded_hands import Array, Meetings, meetings, recorded_points

from arena.gin.rules import Rules
from arena.stats import games
from arena.stats.duels import NOT_WEAKER, STRONGER, SequentialTest, Verdict
from arena.stats.pentanomial import EMPTY, SCORES, Sample, with_mean
from arena.stats.wealth import Observations
from arena.tournament.formats.growing_rounds import first_round_size, round_ends
from arena.tournament.formats.tested import LEG

PAIRINGS = (
    ("greedy – cautious", "greedy-cautious"),
    ("card-counter – greedy", "greedy-card-counter"),
    ("card-counter – two-way", "card-counter-two-way"),
    ("early-bird – two-way", "two-way-early-bird"),
    ("challenger – early-bird", "challenger-early-bird"),
    ("early-bird – gin-hunter", "gin-hunter-early-bird"),
    ("gin-hunter – greedy", "greedy-gin-hunter"),
    ("cautious – KNOCK_AT=7", "cautious-cautious_KNOCK_AT=7"),
    ("two-way – LATE_KNOCK=4", "two-way-two-way_LATE_KNOCK=4"),
    ("early-bird – EARLY=2", "early-bird-early-bird_EARLY=2"),
    ("gin-hunter – MELD=8", "gin-hunter-gin-hunter_MELD=8"),
)
SEQUENCES = 200
MATCHES, LONGEST = 20_000, 200  # simulated pairs of matches; hands of a game with different deals
ERRORS = (0.05, 0.05)

Chance = np.random.Generator
Draw = Callable[[Chance, int], Observations]  # from chance and a number of blocks


class Costs(Struct, frozen=True, kw_only=True):
    """Mean hands to a verdict of each test."""

    verdict: float
    mirrored: float
    normal: float
    matches: float
    singly: float

    def __str__(self) -> str:
        """Return the cells of a table."""
        times = [f"{hands:,.0f} ({hands / self.verdict:.1f})" for hands in (self.mirrored, self.normal, self.matches, self.singly)]
        return " | ".join([f"{self.verdict:,.0f}", *times])


def table(sequences: int, only: str) -> Iterator[str]:
    """Yield the costs of "stronger", asked for the better bot of each pairing and for the other."""
    yield "| better – other | points a hand | asked for | this test | mirrored | normal | matches | single hands |"
    yield "|---|--:|---|--:|--:|--:|--:|--:|"
    for name, file in PAIRINGS:
        if only in name:
            sign = 1 if meetings(file).y.mean() > 0 else -1
            for asked, side in (("the better", sign), ("the other", -sign)):
                cells = f"{side * meetings(file).y.mean():+.2f} | {asked} | {costs(file, side, sequences)}"
                yield f"| {name if side == sign else ''} | {cells} |"


def refactors(sequences: int) -> Iterator[str]:
    """Yield the costs of "not weaker"."""
    patch = drawn(-meetings("early-bird-early-bird_EARLY=2"), -0.45)
    for name, draw in (("an unchanged bot", same), ("early-bird EARLY=2, moved to -0.45", patch)):
        yield f"| {name} | {hands_to_verdict(SequentialTest(question=NOT_WEAKER), draw, sequences):,.0f} |"


def costs(file: str, side: int, sequences: int) -> Costs:
    """Return what it costs to ask whether the first bot of recorded hands is stronger, or the second if ``side`` is -1."""
    played = meetings(file) if side == 1 else -meetings(file)
    matches, mirrored, normal = by_wins(side * recorded_points(file))
    return Costs(
        verdict=hands_to_verdict(SequentialTest(), drawn(played), sequences),
        mirrored=mirrored,
        normal=normal,
        matches=matches,
        singly=hands_to_verdict(SequentialTest(), drawn_singly(played.points), sequences),
    )


def hands_to_verdict(test: SequentialTest, draw: Draw, sequences: int) -> float:
    """Return the mean number of hands that are played for a verdict, without a limit."""
    return float(np.mean([_hands(replace(test, most_hands=10**9), draw, number) for number in range(sequences)]))


def _hands(test: SequentialTest, draw: Draw, seed: int) -> float:
    """Return the hands that are played to the end of the round of a verdict.

    A sequence that is too short is drawn again, twice as long and with the same beginning.
    """
    blocks = 512
    while True:
        found = draw(np.random.default_rng(seed), blocks)
        judged = test.judge(found)
        end = next(end for end in round_ends(10**9, first_round_size(LEG)) if end >= judged.blocks)
        if judged.verdict is not Verdict.CONTINUE and end <= blocks:
            return float(found.hands[:end].sum())
        blocks *= 2


def drawn(played: Meetings, mean: float | None = None) -> Draw:
    """Return blocks of deals drawn from those of two bots without moods, shifted to a mean; None: as they are."""
    shift = 0.0 if mean is None else mean - played.y.mean()
    y, luck = played.y + shift, played.luck.mean(axis=0)

    def draw(chance: Chance, blocks: int) -> Observations:
        deals = chance.integers(len(y), size=(blocks, LEG))
        return Observations.of_deals(y[deals], luck[deals])

    return draw


def drawn_singly(points: Array) -> Draw:
    """Return blocks of hands drawn one by one, half of them from each seat."""

    def draw(chance: Chance, blocks: int) -> Observations:
        deals = chance.integers(points.shape[1], size=(2, blocks, LEG))
        y = (points[0, deals[0]] + points[1, deals[1]]) / 2
        return Observations.of_deals(y, np.zeros_like(y))

    return draw


def same(_: Chance, blocks: int) -> Observations:
    """Return blocks of a bot against its copy, all of them 0."""
    return Observations.zeros(blocks, LEG)


def by_wins(points: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return the mean hands for a verdict by match wins, by mirrored matches, and by these with normal steps.

    ``points``: a row for each leg, a column for each deal.
    """
    rules, played = Rules(), games.gather(points.ravel().tolist())
    form = games.GameForm(rules.target, rules.best_of)
    here, even = games.chances(played, form), games.mirror(played)
    zero, one = (games.chances(games.tilt_to(even, bound), form).match for bound in (STRONGER.m0, STRONGER.m1))
    scores, hands = _mirrored(points, rules, np.random.default_rng(1))
    middle, variance = float(scores.mean()) - (zero + one) / 2, float(scores.var())
    normal = _walk((one - zero) * middle / variance, (one - zero) ** 2 / variance)
    mirrored = _walk(*_steps(scores, zero, one))
    matches = games.wald(here.match, zero, one, *ERRORS) * here.match_hands
    return matches, mirrored * float(hands.mean()), normal * float(hands.mean())


def _mirrored(points: NDArray[np.int64], rules: Rules, chance: Chance) -> tuple[Array, Array]:
    """Return the scores and hands of pairs of matches on the same deals, drawn with replacement, a value for each pair."""
    need, legs = rules.best_of // 2 + 1, (2, MATCHES)
    won, score, hands = np.zeros((2, *legs)), np.zeros((2, *legs)), np.zeros(legs)
    game, hand = np.zeros(legs, int), np.zeros(legs, int)
    # the deals of a pair, by game and hand
    deals = chance.integers(points.shape[1], size=(rules.best_of, LONGEST, MATCHES), dtype=np.int16)
    while (live := won.max(axis=0) < need).any():
        dealt = deals[game.clip(max=rules.best_of - 1), hand % LONGEST, np.arange(MATCHES)]
        net = np.take_along_axis(points, dealt.astype(int), axis=1) * live
        score += np.maximum([net, -net], 0)
        over = (score >= rules.target).any(axis=0) & live
        won += over * (score >= rules.target)
        hands, game = hands + live, game + over
        score, hand = score * ~over, np.where(over, 0, hand + 1)
    return (won[0] >= need).mean(axis=0), hands.sum(axis=0)


def _steps(scores: Array, zero: float, one: float) -> tuple[float, float]:
    """Return mean and variance of what a pair adds to the shipped log likelihood ratio of two mean scores, after many pairs."""
    shares = np.array([(scores == score).mean() for score in SCORES]) + EMPTY / MATCHES
    shares /= shares.sum()
    null, other = (np.array(with_mean(Sample(tuple(shares.tolist())), mean).chances) for mean in (zero, one))
    steps = np.log(other / null)
    drift = float(shares @ steps)
    return drift, float(shares @ (steps - drift) ** 2)


def _walk(drift: float, variance: float) -> float:
    """Return the mean number of normal steps until a log likelihood ratio is at one of its bounds."""
    upper = log((1 - ERRORS[1]) / ERRORS[0])
    return float(upper * np.tanh(upper * drift / variance) / drift)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequences", type=int, default=SEQUENCES)
    parser.add_argument("--only", default="", help="only pairings whose name contains this")
    options = parser.parse_args()
    for line in refactors(options.sequences):
        print(line, flush=True)  # noqa: T201
    for line in table(options.sequences, options.only):
        print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
