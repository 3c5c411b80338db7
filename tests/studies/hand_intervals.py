"""``python tests/studies/hand_intervals.py [TABLE ...] [--runs N]``: how right intervals of points a hand are.

Hands against greedy (``recorded_hands.py``) are drawn in pairs of legs, each leg a process of its own. Bots have moods by
process: they win 4 points a hand more or less by a coin (*style*), or they play to lose in a share of their processes.

*Match*: legs of two deals. *Holds* is the share of intervals that hold the mean, *half* the mean half of an interval, *differ*
the
share of matches in which a bot is called stronger, with which a mean of 0 is not compatible. In brackets stands the same where a
leg is a process that plays half the match. *Exploit*: how often the bot loses less than the stated bound, which should be at most
one time in twenty, and the mean of the bound. *Placement*: the ratings of a bot after 4,000 hands against 15 anchors, in legs of
ten.
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np
from msgspec import Struct
from recorded_hands import DEALS, Array, against_greedy

from arena.records import Fixture, Result, SingleHand
from arena.reports.points_history import EntrantLine
from arena.stats.confidence_sequence import estimate
from arena.stats.margin import Margin, half_of_one, of_blocks
from arena.stats.pairs import CAP
from arena.stats.scales import POINTS
from arena.stats.wealth import Observations, bets
from arena.tournament.formats.placement import Placement
from arena.tournament.formats.tested import LEG

Chance = np.random.Generator
HANDS = (200, 1000)
STYLE = 4.0  # points a hand


class Bot(Struct, frozen=True):
    """A bot against greedy, with a mood in some of its processes."""

    name: str
    good: str = "card-counter"
    style: float = 0.0  # points a hand that a process wins more or less
    loses: float = 0.0  # share of processes in which it plays to lose
    both: bool = False  # its opponent has the same mood; then neither is better

    @property
    def mean(self) -> float:
        """Return its points a hand, for the recorded deals."""
        if self.both:
            return 0.0
        well = (self._well(self.style).mean() + self._well(-self.style).mean()) / 2
        return float((1 - self.loses) * well + self.loses * against_greedy("loser").points.mean())

    def hands(self, chance: Chance, blocks: int, leg: int) -> Array:
        """Return the points of hands, by seat, block and deal."""
        deals, shape = chance.integers(DEALS, size=(blocks, leg)), (2, blocks, 1)
        badly = against_greedy("loser").points[:, deals]
        well = np.where(chance.random(shape) < 0.5, self._well(self.style)[:, deals], self._well(-self.style)[:, deals])
        bad, other = chance.random(shape) < self.loses, chance.random(shape) < (self.loses if self.both else 0.0)
        return np.where(bad & other, 0.0, np.where(bad, badly, np.where(other, -badly, well)))

    def _well(self, more: float) -> Array:
        points = against_greedy(self.good).points
        centred = points - points.mean()
        return np.asarray(centred * (CAP / np.abs(centred).max()) if self.both else (points + more).clip(-CAP, CAP))


BOTS = (
    Bot("no mood"),
    Bot("style", style=STYLE),
    Bot("both lose in 50 %", loses=0.5, both=True),
    Bot("loses in 5 %", loses=0.05),
    Bot("loses in 1 %", loses=0.01),
)


def of_match(bot: Bot, hands: int, leg: int, run: int) -> Margin:
    """Return the interval of a match."""
    played = bot.hands(np.random.default_rng([4, run]), hands // (2 * leg), leg)
    scores = played.mean(axis=0) if played.shape[1] > 1 else played.mean(axis=0).T  # then a deal counts as a block
    found = of_blocks(scores.tolist())
    assert found
    return found


def match_table(runs: int) -> Iterator[str]:
    """Yield the table of matches."""
    yield "| hands | bot | holds | half | differ |"
    yield "|--:|---|--:|--:|--:|"
    for hands in HANDS:
        for bot in BOTS:
            both = [[of_match(bot, hands, leg, run) for run in range(runs)] for leg in (LEG, hands // 2)]
            holds = [np.mean([one.low <= bot.mean <= one.high for one in found]) for found in both]
            halves = [np.mean([one.half for one in found]) for found in both]
            differ = [np.mean([one.decides for one in found]) for found in both]
            cells = (f"{holds[0]:.3f} ({holds[1]:.3f})", f"{halves[0]:.1f} ({halves[1]:.1f})", f"{differ[0]:.2f} ({differ[1]:.2f})")
            yield f"| {hands:,} | {bot.name} | {' | '.join(cells)} |"


def exploit_table(runs: int) -> Iterator[str]:
    """Yield the table of bounds on what a bot loses."""
    yield "| hands | response | wins | bound | wrong |"
    yield "|--:|---|--:|--:|--:|"
    for hands in HANDS:
        for bot in (Bot("no mood", "gin-hunter"), *BOTS[1:]):
            bounds = [_bound(bot.hands(np.random.default_rng([5, run]), hands // (2 * LEG), LEG)) for run in range(runs)]
            wrong = np.mean([bound > bot.mean for bound in bounds])
            yield f"| {hands:,} | {bot.name} | {bot.mean:+.2f} | {np.mean(bounds):+.2f} | {wrong:.3f} |"


def _bound(played: Array) -> float:
    scores = played.mean(axis=0)
    return estimate(bets(Observations.of_deals(scores, np.zeros_like(scores)), POINTS), POINTS).low


RATED = Placement(ratings=tuple(float(rating) for rating in range(-30, 13, 3)))
FIELD = ("mine", *(f"anchor{place}" for place in range(len(RATED.ratings))))
SCATTER, LUCK = 13.0, 12.0  # points a hand: without luck, and of luck


class Placed(Struct, frozen=True):
    """A bot that is rated, with a mood in some of its processes."""

    name: str
    rating: float
    style: float = 0.0
    loses: float = 0.0  # share of processes in which it wins 30 points a hand less

    def rate(self, run: int) -> Margin:
        """Return its rating after the hands of a placement."""
        chance, results = np.random.default_rng([6, run]), list[Result]()
        while fixtures := list(RATED.fixtures(FIELD, results)):
            results += [self._play(one, chance) for one in fixtures]
        found = RATED.rating(FIELD, results)
        assert found
        return found

    def _play(self, fixture: Fixture, chance: Chance) -> Result:
        seat = fixture.seats.index(FIELD[0])
        gap = self.rating - RATED.ratings[FIELD.index(fixture.seats[1 - seat]) - 1]
        mood = chance.choice([-self.style, self.style]) - 30 * ((chance.random() < self.loses) - self.loses)
        hands = fixture.hands or 0
        luck, rest = chance.normal(0, LUCK, hands), chance.normal(0, SCATTER, hands)
        won = np.round((1, -1)[seat] * (gap + mood) + luck + rest).astype(int).tolist()
        singles = tuple(SingleHand(points, one) for points, one in zip(won, luck.tolist(), strict=True))
        return Result(fixture=fixture, winner=None, games=(0, 0), points=(0, 0), hands=hands, singles=singles)


def placement_table(runs: int) -> Iterator[str]:
    """Yield the table of placements."""
    yield "| bot | holds | half |"
    yield "|---|--:|--:|"
    for bot in (Placed("no mood", -8.5), Placed("style", -8.5, STYLE), Placed("loses in 5 %", 3.0, loses=0.05)):
        found = [bot.rate(run) for run in range(runs)]
        holds = np.mean([one.low <= bot.rating <= one.high for one in found])
        yield f"| {bot.name} | {holds:.3f} | {np.mean([one.half for one in found]):.2f} |"


MET, MATCHES = 4, 6  # opponents of a line, and matches against each
PAIRED = ((2, 4), (3, 12), (20, 20))  # compared pairs of legs against one opponent, of the older and the newer version


def line_table(runs: int) -> Iterator[str]:
    """Yield the table of lines of points a hand."""
    yield "| matches | moods of matches | holds |"
    yield "|--:|--:|--:|"
    for mood in (0.0, STYLE):
        holds = np.mean([_holds_of_line(np.random.default_rng([7, run]), mood) for run in range(runs)])
        yield f"| {MET * MATCHES} | {mood:g} | {holds:.3f} |"


def _holds_of_line(chance: Chance, mood: float) -> bool:
    line, strengths = EntrantLine(), chance.normal(0, 4, MET)
    hands = chance.integers(20, 80, (MET, MATCHES))
    for opponent in range(MET):
        for number in hands[opponent].tolist():
            mean = strengths[opponent] + chance.choice([-mood, mood])
            line.add(str(opponent), round(chance.normal(mean * number, 18 * number**0.5)), number)
    last, true = line.points()[-1], float((strengths * hands.sum(axis=1)).sum() / hands.sum())
    return last.half is not None and abs(last.points_a_hand - true) <= last.half


def difference_table(runs: int) -> Iterator[str]:
    """Yield the table of differences between two versions, or of requested and drawn matches, against one of four opponents."""
    yield "| pairs | holds |"
    yield "|---|--:|"
    for sizes in PAIRED:
        holds = np.mean([_holds_of_difference(np.random.default_rng([8, run]), sizes) for run in range(runs)])
        yield f"| {sizes[0]} and {sizes[1]} | {holds:.3f} |"


def _holds_of_difference(chance: Chance, sizes: tuple[int, int]) -> bool:
    samples = [chance.normal(0, 6, size) for _ in range(MET) for size in sizes]
    one = half_of_one([(value, 1.0) for value in sample.tolist()] for sample in samples)
    assert one
    return bool(abs(samples[0].mean() - samples[1].mean()) <= one * (1 / sizes[0] + 1 / sizes[1]) ** 0.5)


TABLES: dict[str, Callable[[int], Iterator[str]]] = {
    "match": match_table,
    "exploit": exploit_table,
    "placement": placement_table,
    "lines": line_table,
    "differences": difference_table,
}


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="all, if none is named")
    parser.add_argument("--runs", type=int, default=400)
    options = parser.parse_args()
    for name in options.tables or TABLES:
        for line in TABLES[name](options.runs):
            print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
