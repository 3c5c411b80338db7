"""``python tests/studies/second_legs.py FOLDER``: the tables on legs played second in VERDICTS.md.

Pairs of legs are drawn from hands that bots have played on the same deals from both seats (:mod:`studies.pairings`), and
compared by the classes that reports use. A cheat has a constant gain in each hand of the leg that it plays second. In a terrible
mood a bot plays a whole leg as one that acts at random; a coin decides so in each process.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pairings
from msgspec import Struct
from numpy.typing import NDArray
from table_policy import TablePolicy

from arena.records import net
from arena.stats.pairs import Pair, cap
from arena.stats.second_leg_test import THRESHOLD, SecondLegsBuilder

DEALS = 1200  # of each pairing
ENTRANT, TERRIBLE, OPPONENTS = "greedy", "random-kind", ("cautious", "card-counter", "gin-hunter")
HANDS = 50  # of a leg, about as many as in a short match
LOOK = 5  # pairs between two looks at the evidence
LEVELS = (10.0, 100.0, THRESHOLD)
HONEST_RUNS, HONEST_PAIRS = 2000, 400
CHEAT_RUNS, CHEAT_PAIRS = 200, 4000

Points = NDArray[np.int64]


class StudiedPlayer(Struct, frozen=True, kw_only=True):
    """How an entrant plays."""

    name: str
    mood: float = 0.0  # share of processes in which it plays terribly
    both: bool = False  # whether the deals set off the mood, and so in both legs
    gain: float = 0.0  # points a hand in the leg that it plays second
    share: float = 1.0  # of the pairs in which it has this gain


HONEST = (
    StudiedPlayer(name="no mood"),
    *(StudiedPlayer(name=f"a terrible mood in {mood:.0%} of processes", mood=mood) for mood in (0.01, 0.05, 0.2)),
    StudiedPlayer(name="the same in 20% of pairs, set off by the deals", mood=0.2, both=True),
)
CHEATS = (
    *(StudiedPlayer(name=f"+{gain:g}", gain=gain) for gain in (1, 2.5, 5, 10)),
    StudiedPlayer(name="+10 in 20% of the pairs", gain=10, share=0.2),
    StudiedPlayer(name="+10 against one of eight opponents", gain=10, share=1 / 8),
    StudiedPlayer(name="+40 in 2% of the pairs", gain=40, share=0.02),
    StudiedPlayer(name="+5, and a terrible mood in 5% of processes", gain=5, mood=0.05),
)


class PlayedHands(Struct, frozen=True, kw_only=True):
    """The points of the entrant in hands that were played: a row for each deal, a column for each seat."""

    own: Points
    terrible: Points

    def pairs(self, player: StudiedPlayer, count: int, chance: np.random.Generator) -> Iterator[Pair]:
        """Yield pairs of legs of a player."""
        deals, seats = chance.integers(0, len(self.own), (count, HANDS)), chance.integers(0, 2, (count, 1))
        moods = chance.random((2, count)) < player.mood
        if player.both:
            moods[1] = moods[0]
        first, second = (
            np.where(mood, self._terrible(seat, chance), self.own[deals, seat].sum(axis=1))
            for seat, mood in zip((seats, 1 - seats), moods, strict=True)
        )
        second += round(player.gain * HANDS) * (chance.random(count) < player.share)
        return map(_pair, first.tolist(), second.tolist())

    def _terrible(self, seats: Points, chance: np.random.Generator) -> Points:
        """Return the points in a leg in each of some seats."""
        drawn = chance.integers(0, len(self.terrible), (len(seats), HANDS))
        return np.asarray(self.terrible[drawn, seats].sum(axis=1))


def _pair(first: int, second: int) -> Pair:
    """Return a pair of legs in which the entrant has scored these points."""
    return Pair(
        entrant="entrant",
        opponent="opponent",
        deals="entrant:opponent/0",
        batch=True,
        legs=2,
        matches=(0, 0),
        games=(0, 0),
        points=(0, 0),
        capped_points=first + second,
        hands=2 * HANDS,
        by_leg=((first, HANDS), (second, HANDS)),
    )


def evidence(pairs: Iterator[Pair]) -> Iterator[tuple[int, float]]:
    """Yield how many hands were played and the evidence against the entrant then, whenever somebody looks."""
    builder = SecondLegsBuilder()
    for number, pair in enumerate(pairs, 1):
        builder.add(pair)
        if number % LOOK == 0:
            found = builder.gains()["entrant"]
            yield found.hands, found.evidence


def false_alarms(hands: PlayedHands, player: StudiedPlayer, seed: int) -> str:
    """Return a row: the share of runs in which the evidence ever reached each level."""
    chance = np.random.default_rng(seed)
    most = [max(one for _, one in evidence(hands.pairs(player, HONEST_PAIRS, chance))) for _ in range(HONEST_RUNS)]
    return " | ".join([player.name, *(f"{np.mean(np.array(most) >= level):.2%}" for level in LEVELS)])


def costs(hands: PlayedHands, player: StudiedPlayer, seed: int) -> str:
    """Return a cell: the hands until an entrant was flagged, their median and how many were enough in 95 % of runs."""
    chance, most = np.random.default_rng(seed), 2 * HANDS * CHEAT_PAIRS
    runs = (evidence(hands.pairs(player, CHEAT_PAIRS, chance)) for _ in range(CHEAT_RUNS))
    flagged = [next((played for played, found in run if found >= THRESHOLD), most) for run in runs]
    shown = (f"{value:,.0f}" if value < most else f"over {most:,}" for value in np.quantile(flagged, [0.5, 0.95]))
    return ", ".join(shown)


def hands_against(folder: Path, opponent: str) -> PlayedHands:
    """Return the hands of the entrant and of the terrible bot against an opponent; what is missing is played."""
    return PlayedHands(own=_points(folder, ENTRANT, opponent), terrible=_points(folder, TERRIBLE, opponent))


def _points(folder: Path, name: str, opponent: str) -> Points:
    one, other = TablePolicy(name), TablePolicy(opponent)
    pairings.play(folder, one, other, DEALS)
    both = pairings.read(pairings.file_of(folder, one, other))
    return np.array([(cap(net(legs.first, 0)), cap(net(legs.second, 1))) for legs in both])


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    against = [hands_against(folder, opponent) for opponent in OPPONENTS]
    for seed, player in enumerate(HONEST):
        _write(false_alarms(against[0], player, seed))
    for seed, player in enumerate(CHEATS):
        _write(" | ".join([player.name, *(costs(hands, player, seed) for hands in against)]))


def _write(row: str) -> None:
    sys.stdout.write(f"| {row} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
