"""``python tests/studies/verdict_study.py [TABLE ...] [--runs N]``: the tables on verdicts in arena/stats/README.md.

Real hands (``recorded_hands.py``) are drawn in blocks, as a duel plays them, and judged by the classes that arena ships. A bot
with a mood is made of two bots: in some of its processes it plays the hands of the one, in all others those of the other. The
share of processes is chosen so that the mean is exactly at a bound, where errors are most likely. The largest evidence within
20,000 hands counts, which covers stopping by hand at any moment.
"""

import argparse
from collections.abc import Callable, Iterator
from math import log
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from recorded_hands import Array, Meetings, against_greedy, meetings

from arena.stats.pairs import CAP
from arena.stats.sequential.betting import NOT_WEAKER, STRONGER, Question, SequentialTest
from arena.stats.sequential.scales import POINTS, Scale
from arena.stats.sequential.wealth import Bets, Direction, Observations, bets, path
from arena.studies.tables import hands_to_verdict
from arena.tournament.formats.tested import LEG

BOUND = -0.5  # of "not weaker"
MOST_HANDS = 20_000
BLOCKS = MOST_HANDS // (2 * LEG)
PROVED = log(20)
Chance = np.random.Generator
Draw = Callable[[Chance, int], Observations]  # from chance and a number of blocks
SetOff = Literal["process", "deal", "cards"]


class MoodyBot(Struct, frozen=True, kw_only=True):
    """A bot against greedy that plays to lose in some of its processes."""

    good: str  # how it plays otherwise
    gain: float = 0.0  # points a hand that are added to that
    by: SetOff = "process"  # what sets off the mood: the process; the deal, so that it is in both legs; or its own cards of a hand

    @property
    def name(self) -> str:
        """Return the bot as a table names it, with the share of processes in which it plays to lose."""
        gained = f" {self.gain:+g}" if self.gain else ""
        how = {"process": "", "deal": ", set off by the deal", "cards": ", set off by its cards"}[self.by]
        return f"{self.good}{gained}, {self.share:.2%}{how}"

    @property
    def share(self) -> float:
        """Return the share of bad processes with which the mean is at the bound."""
        well, badly = self._well().points.mean(), against_greedy("loser").points.mean()
        return float((well - BOUND) / (well - badly))

    def draw(self, chance: Chance, blocks: int) -> Observations:
        """Return blocks of a duel with greedy."""
        well, badly = self._well(), against_greedy("loser")
        deals = chance.integers(well.points.shape[1], size=(blocks, LEG))
        bad = self._moods(chance, blocks)
        points = np.where(bad, badly.points[:, deals], well.points[:, deals])
        luck = np.where(bad, badly.luck[:, deals], well.luck[:, deals])
        return Observations.of_deals(points.mean(axis=0), luck.mean(axis=0))

    def _moods(self, chance: Chance, blocks: int) -> NDArray[np.bool_]:
        """Return whether each hand is played to lose, by leg, block and deal."""
        shape = {"process": (2, blocks, 1), "deal": (1, blocks, 1), "cards": (2, blocks, LEG)}[self.by]
        return np.broadcast_to(chance.random(shape) < self.share, (2, blocks, LEG))

    def _well(self) -> Meetings:
        well = against_greedy(self.good)
        return Meetings((well.points + self.gain).clip(-CAP, CAP), well.luck)


MOODS = (
    MoodyBot(good="greedy"),
    MoodyBot(good="greedy", gain=0.7),
    MoodyBot(good="card-counter"),
    MoodyBot(good="greedy", gain=2.6),
    MoodyBot(good="gin-hunter"),
    MoodyBot(good="greedy", gain=14.0),
    MoodyBot(good="greedy", by="deal"),
    MoodyBot(good="greedy", gain=0.7, by="deal"),
    MoodyBot(good="gin-hunter", by="deal"),
)
HONEST: dict[str, Callable[[], Meetings]] = {
    "greedy – cautious": lambda: meetings("greedy-cautious"),
    "greedy – card-counter": lambda: meetings("greedy-card-counter"),
    "two-way – early-bird": lambda: meetings("two-way-early-bird"),
    "greedy – gin-hunter": lambda: meetings("greedy-gin-hunter"),
    "cautious – KNOCK_AT=7": lambda: meetings("cautious-cautious_KNOCK_AT=7"),
}


def honest(played: Meetings, mean: float | None = None) -> Draw:
    """Return blocks of deals drawn from those of two bots without moods, shifted to a mean; None: as they are."""
    shift = 0.0 if mean is None else mean - played.y.mean()
    y, luck = played.y + shift, played.luck.mean(axis=0)

    def draw(chance: Chance, blocks: int) -> Observations:
        deals = chance.integers(len(y), size=(blocks, LEG))
        return Observations.of_deals(y[deals], luck[deals])

    return draw


class Found(Struct, frozen=True):
    """The largest evidence of each run, as logs: that the mean is above, and that it is below the true one."""

    above: Array
    below: Array

    @property
    def better(self) -> float:
        """Return the share of runs that ever prove that the mean is above the true one."""
        return float((self.above >= PROVED).mean())

    @property
    def worse(self) -> float:
        """Return the share of runs that ever prove that the mean is below the true one."""
        return float((self.below >= PROVED).mean())

    @property
    def covered(self) -> float:
        """Return the share of runs whose 95 % interval has the true mean at every look."""
        return float((np.maximum(self.above, self.below) < log(40)).mean())


def largest(draw: Draw, mean: float, runs: int, scale: Scale = POINTS, blocks: int = BLOCKS) -> Found:
    """Return the largest evidence of some runs against a mean, from both sides."""
    found = [_largest(bets(draw(np.random.default_rng(seed), blocks), scale), scale, mean) for seed in range(runs)]
    return Found(*np.array(found).T)


def _largest(placed: Bets, scale: Scale, mean: float) -> tuple[float, float]:
    sides: tuple[Direction, Direction] = (1, -1)
    above, below = (float(path(placed, scale, mean, side).max()) for side in sides)
    return above, below


# --- tables


def moods(runs: int) -> Iterator[str]:
    """Yield the errors "not weaker" of bots with moods."""
    yield "| candidate: share of processes in which it plays to lose | wrongly not weaker | interval covers at every look |"
    yield "|---|--:|--:|"
    for bot in MOODS:
        found = largest(bot.draw, BOUND, runs)
        yield f"| {bot.name} | {found.better:.3f} | {found.covered:.3f} |"


def honest_pairings(runs: int) -> Iterator[str]:
    """Yield the errors of pairings without moods whose mean is moved to a bound."""
    yield "| pairing, moved to a bound | wrongly better | wrongly not as good | interval covers at every look |"
    yield "|---|--:|--:|--:|"
    for name, played in HONEST.items():
        found = largest(honest(played(), BOUND), BOUND, runs)
        yield f"| {name} | {found.better:.3f} | {found.worse:.3f} | {found.covered:.3f} |"


def same(_: Chance, blocks: int) -> Observations:
    """Return blocks of a bot against its copy, all of them 0."""
    return Observations.of_deals(np.zeros((blocks, LEG)), np.zeros((blocks, LEG)))


COSTS: tuple[tuple[str, Question, Callable[[], Draw]], ...] = (
    ("stronger: greedy – cautious", STRONGER, lambda: honest(meetings("greedy-cautious"))),
    ("stronger: greedy – card-counter", STRONGER, lambda: honest(meetings("greedy-card-counter"))),
    ("stronger: two-way – early-bird", STRONGER, lambda: honest(meetings("two-way-early-bird"))),
    ("stronger: greedy – gin-hunter", STRONGER, lambda: honest(meetings("greedy-gin-hunter"))),
    ("stronger: cautious – KNOCK_AT=7", STRONGER, lambda: honest(meetings("cautious-cautious_KNOCK_AT=7"))),
    ("stronger: two-way – LATE_KNOCK=4", STRONGER, lambda: honest(meetings("two-way-two-way_LATE_KNOCK=4"))),
    ("not weaker: an unchanged refactor", NOT_WEAKER, lambda: same),
    ("not weaker: early-bird EARLY=2, at -0.45", NOT_WEAKER, lambda: honest(-meetings("early-bird-early-bird_EARLY=2"), -0.45)),
)


def costs(_: int) -> Iterator[str]:
    """Yield the hands to a verdict."""
    yield "| question | hands to a verdict | process starts |"
    yield "|---|--:|--:|"
    for name, question, draw in COSTS:
        hands = hands_to_verdict(SequentialTest(question=question), draw())
        yield f"| {name} | {hands:,.0f} | {2 * hands / LEG:,.0f} |"


TABLES: dict[str, Callable[[int], Iterator[str]]] = {"moods": moods, "honest": honest_pairings, "costs": costs}


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="all, if none is named")
    parser.add_argument("--runs", type=int, default=2000)
    options = parser.parse_args()
    for name in options.tables or TABLES:
        print(f"\n{name}, {options.runs} runs")
        for line in TABLES[name](options.runs):
            print(line, flush=True)


if __name__ == "__main__":
    main()
