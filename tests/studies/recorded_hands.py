"""``python tests/studies/recorded_hands.py [--only TEXT]``: plays the hands that the studies of verdicts draw from.

Each file in ``tests/studies/hands`` has the hands of one bot against another on the same deals from both seats: the points of the
first bot, held to 60, and the luck of its draws, in hundredths of a point. Studies hold them to what a verdict counts. The
pairings have the deals of ``studies.pairings``. The files ``NAME-on-common`` have greedy as opponent, all on the same deals, so
that a bot with a mood can be made of two of them, deal by deal. The command plays what is missing, in ten minutes.
"""

import argparse
from functools import cache
from pathlib import Path

import numpy as np
import table_policy
from msgspec import Struct
from numpy.typing import NDArray
from pairings import file_of, key_of
from table_policy import PAIRED, SEED, TablePolicy

from arena.gin.actions import Action, Discard, LayOff
from arena.gin.cards import Card, each
from arena.gin.melds import deadwood
from arena.gin.view import View
from arena.records import Result, result
from arena.sdk.bot import Bot
from arena.stats.luck import add_luck
from arena.stats.pairs import CAP

FOLDER = Path(__file__).parent / "hands"
COMMON = "common"  # key of the deals on which several bots meet greedy
DEALS = 1600
MOST = 60  # points that a file has of a hand, at most
GREEDY = TablePolicy("greedy")
PAIRINGS = (
    (GREEDY, TablePolicy("cautious")),
    (GREEDY, TablePolicy("card-counter")),
    (GREEDY, TablePolicy("gin-hunter")),
    (TablePolicy("two-way"), TablePolicy("early-bird")),
    (TablePolicy("cautious"), TablePolicy("cautious", "KNOCK_AT", 7)),
    (TablePolicy("two-way"), TablePolicy("two-way", "LATE_KNOCK", 4)),
    (TablePolicy("early-bird"), TablePolicy("early-bird", "EARLY", 2)),
    (TablePolicy("challenger"), TablePolicy("early-bird")),
    (TablePolicy("gin-hunter"), TablePolicy("early-bird")),
    (TablePolicy("gin-hunter"), TablePolicy("gin-hunter", "MELD", 8)),
    (TablePolicy("card-counter"), TablePolicy("two-way")),
)
AGAINST_GREEDY = ("greedy", "card-counter", "gin-hunter", "loser")

Array = NDArray[np.float64]


class Loser(Bot):
    """Plays to lose: keeps what is worth most and melds least, never knocks, and lays nothing."""

    def wants(self, view: View) -> bool:
        """Take nothing."""
        return False

    def throws(self, view: View) -> Card:
        """Return the card whose discard leaves the most deadwood."""
        return max(each(view.may_discard), key=lambda card: deadwood(view.without(card)))

    def discard(self, view: View) -> Action:
        """Discard without a knock."""
        return Discard(self.throws(view))

    def lay_off(self, view: View) -> Action:
        """Lay nothing."""
        return LayOff((), ())


class Meetings(Struct, frozen=True, eq=False):
    """The hands of one bot against another: a row for each seat of the first bot, a column for each deal."""

    points: Array
    luck: Array

    def __neg__(self) -> "Meetings":
        """Return the same hands from the point of view of the other bot."""
        return Meetings(-self.points, -self.luck)

    @property
    def y(self) -> Array:
        """Return the score of each deal."""
        return np.asarray(self.points.mean(axis=0))


@cache
def meetings(name: str) -> Meetings:
    """Return recorded hands, by the name of their file.

    The mean luck of a seat is 0, but in a sample only about 0. To draw from the sample would make a bias of that, so it is
    removed.
    """
    with np.load(FOLDER / f"{name}.npz") as found:
        luck = found["luck"] / 100
        return Meetings(found["points"].astype(float).clip(-CAP, CAP), luck - luck.mean(axis=1, keepdims=True))


def recorded_points(name: str) -> NDArray[np.int64]:
    """Return the points of recorded hands as their file has them, held to ``MOST``."""
    with np.load(FOLDER / f"{name}.npz") as found:
        return np.asarray(found["points"].astype(np.int64))


def against_greedy(name: str) -> Meetings:
    """Return the hands of a bot against greedy."""
    return meetings(f"{name}-on-common")


def record(name: str, one: Bot, two: Bot, key: str) -> None:
    """Play both legs and write the file."""
    first, second = (_leg(bots, key) for bots in ((one, two), (two, one)))
    points = np.array([[hand.points for hand in first.singles], [-hand.points for hand in second.singles]]).clip(-MOST, MOST)
    luck = [[hand.luck or 0.0 for hand in first.singles], [-(hand.luck or 0.0) for hand in second.singles]]
    FOLDER.mkdir(exist_ok=True)
    np.savez_compressed(FOLDER / f"{name}.npz", points=points.astype(np.int8), luck=np.round(100 * np.array(luck)).astype(np.int16))


def _leg(bots: tuple[Bot, Bot], key: str) -> Result:
    played = list(table_policy.hands(bots, key, 0, DEALS))
    return result(add_luck(table_policy.leg(("one", "two"), key, played), PAIRED, SEED))


def _build(name: str) -> Bot:
    return Loser() if name == "loser" else TablePolicy(name).build()


def main() -> None:
    """Play what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only files whose name contains this")
    only = parser.parse_args().only
    for bot in AGAINST_GREEDY:
        if only in (name := f"{bot}-on-common") and not (FOLDER / f"{name}.npz").exists():
            record(name, _build(bot), GREEDY.build(), COMMON)
    for one, two in PAIRINGS:
        name = file_of(Path(), one, two).stem
        if only in name and not (FOLDER / f"{name}.npz").exists():
            record(name, one.build(), two.build(), key_of(one, two))


if __name__ == "__main__":
    main()
