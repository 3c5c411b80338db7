"""``python tests/studies/reviews.py [--against BOT] [--beside BOT] [BOT ...]``: whether error rates say what play says.

Every bot plays the same deals against one opponent. What it scores less than the bot ``--beside``, by play on all deals, is
compared with how much higher its error rate is, on the first of these deals. ``own-play`` is the policy of the rollouts, whose
error rate is zero: beside it, the mean difference between both columns is by how much the reviewer favours its own policy. The
opponent's habits are fitted to hands that are not reviewed. Names are those of the roster and of ``PLANTED``; ± is one standard
error.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from time import process_time

import numpy as np
import planted
import table_policy
from msgspec import Struct
from table_policy import PAIRED, SEED, TablePolicy

from arena.gin.actions import read_actions
from arena.gin.deal import Deal, Deals
from arena.records import HandRecord, net
from arena.review import fitting, habits
from arena.review.arrays import Floats
from arena.review.habits import Habits
from arena.review.hand_walks import HandStep, steps
from arena.review.observations import behaviour
from arena.review.prices import Price
from arena.review.reviewer import Reviewer
from arena.review.summary import KINDS, decision_price, errors_by_kind, mean
from arena.sdk import Bot

KEY = "reviews"  # of the deals
LADDER = ("random-kind", "cautious", "greedy", "card-counter", "two-way", "scholar", "challenger", "gin-hunter", "early-bird")
PLANTED: dict[str, Callable[[str], Bot]] = {
    "own-play": planted.OwnPlay,
    "plain": planted.Plain,
    "throws-badly": planted.ThrowsBadly,
    "takes-too-much": planted.TakesTooMuch,
    "never-lays-off": planted.NeverLaysOff,
    "takes-first": planted.TakesFirst,
    "breaks-pairs": planted.BreaksPairs,
    "knocks-low": planted.KnocksLow,
}
FITTED = 120  # hands
TOGETHER = 20  # hands reviewed together


class Sizes(Struct, frozen=True):
    """How much is measured."""

    played: int  # hands of each bot
    reviewed: int  # of these
    walks: int  # of each decision


class StudiedBot(Struct, frozen=True, eq=False):
    """What one bot scored and what its review says."""

    name: str
    points: Floats  # of each hand
    errors: Floats  # (reviewed hands x kinds)
    seconds: float  # of processor time to review a hand


def studied(name: str, against: str, sizes: Sizes) -> StudiedBot:
    """Play and review one bot."""
    hands = list(table_policy.hands((_built(name), _built(against)), KEY, 0, sizes.played))
    habit, reviewer, begun = _fitted(hands[-FITTED:]), Reviewer(PAIRED, KEY, sizes.walks, errors_only=True), process_time()
    parts = (hands[first : first + TOGETHER] for first in range(0, sizes.reviewed, TOGETHER))
    priced = (one for part in parts for one in reviewer.prices([*map(_steps, part)], 0, habit))
    errors = np.array([[*errors_by_kind([*map(decision_price, decisions)]).values()] for decisions in priced])[: sizes.reviewed]
    return StudiedBot(name, np.array([net(hand, 0) for hand in hands]), errors, (process_time() - begun) / sizes.reviewed)


def _built(name: str) -> Bot:
    return PLANTED[name](SEED) if name in PLANTED else TablePolicy(name).build()


def _fitted(hands: Sequence[HandRecord]) -> Habits:
    seen = behaviour((_steps(hand), 1) for hand in hands)
    return fitting.fit(seen, habits.usual_habits(), np.random.Generator(np.random.PCG64(habits.HABITS_VERSION)))


def _steps(hand: HandRecord) -> list[HandStep]:
    deal = Deal(Deals(SEED, KEY).deck(hand.game, 0), hand.dealer)
    return list(steps(deal, PAIRED, read_actions(hand.actions)))


class Compared(Struct, frozen=True):
    """A bot beside another, in points a hand."""

    name: str
    lost: Price  # by play
    error: Price
    kinds: tuple[float, ...]
    seconds: float

    @property
    def line(self) -> str:
        """Return the row of the table."""
        beyond = self.error.points - self.lost.points
        kinds = " ".join(f"{part:6.2f}" for part in self.kinds)
        return f"{self.name:15} {_said(self.lost)} {_said(self.error)} {beyond:6.2f}  {kinds} {self.seconds:6.2f}"


def compared(one: StudiedBot, other: StudiedBot) -> Compared:
    """Return what a bot loses beside another on the same deals, by play and by its error rate."""
    more = one.errors - other.errors
    lost, error = _over_hands((other.points - one.points).tolist()), _over_hands(more.sum(axis=1).tolist())
    return Compared(one.name, lost, error, tuple(more.mean(axis=0).tolist()), one.seconds)


def _over_hands(values: list[float]) -> Price:
    """Return the mean of several hands."""
    found = mean(values)
    assert found.se is not None
    return Price(found.points, found.se)


def _said(price: Price) -> str:
    return f"{price.points:6.2f} ± {price.se:.2f}"


def rank_correlation(one: Floats, other: Floats) -> float:
    """Return the correlation of the ranks of different values (Spearman, 1904)."""
    apart = one.argsort().argsort() - other.argsort().argsort()
    return float(1 - 6 * (apart**2).sum() / (len(one) * (len(one) ** 2 - 1)))


def lines(rows: Sequence[Compared]) -> Iterator[str]:
    """Yield the table."""
    yield f"{'bot':15} {'by play':>13} {'by errors':>13} {'beyond':>6}  {' '.join(f'{kind:>6.6}' for kind in KINDS)} {'s/hand':>6}"
    yield from (row.line for row in rows)
    lost, errors = np.array([(row.lost.points, row.error.points) for row in rows]).T
    if len(rows) > 1:
        yield f"rank correlation {rank_correlation(lost, errors):.2f}; beyond, on average: {(errors - lost).mean():.2f}"


def main() -> None:
    """Play, review and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bots", nargs="*", default=LADDER)
    parser.add_argument("--against", default="greedy")
    parser.add_argument("--beside", default="own-play")
    parser.add_argument("--played", type=int, default=3000)
    parser.add_argument("--reviewed", type=int, default=600)
    parser.add_argument("--walks", type=int, default=16)
    asked = parser.parse_args()
    sizes = Sizes(asked.played, asked.reviewed, asked.walks)
    with ProcessPoolExecutor() as pool:
        beside, *rest = pool.map(partial(studied, against=asked.against, sizes=sizes), (asked.beside, *asked.bots))
    for line in lines([compared(one, beside) for one in rest]):
        print(line)  # noqa: T201


if __name__ == "__main__":
    main()
