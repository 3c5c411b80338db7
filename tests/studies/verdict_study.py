"""``python tests/studies/verdict_study.py [TABLE ...] [--runs N]``: the tables on verdicts in VERDICTS.md.

Real hands (``recorded_hands.py``) are drawn in blocks, as a duel plays them, and judged by the classes that arena ships. A bot
with a mood is made of two bots: in some of its processes it plays the hands of the one, in all others those of the other. The
share of processes is chosen so that the mean is exactly at a bound, where errors are most likely. The largest evidence within
20,000 hands counts, which covers stopping by hand at any moment.
"""

import argparse
from collections.abc import Callable, Iterator
from functools import cache
from math import exp, log
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray
from recorded_hands import DEALS, Array, Meetings, against_greedy, meetings
from verdict_costs import drawn, same

from arena.stats.confidence_sequence import bisect
from arena.stats.duels import NOT_WEAKER, Judgement, Question, SequentialTest, Verdict
from arena.stats.pairs import CAP
from arena.stats.scales import DIFFERENCES, POINTS, Scale
from arena.stats.wealth import Bets, Direction, Observations, bets, path
from arena.tournament.formats.tested import LEG

BOUND = -0.5  # of "not weaker"
MOST_HANDS = 20_000
BLOCKS = MOST_HANDS // (2 * LEG)
PROVED = log(20)
Chance = np.random.Generator
Draw = Callable[[Chance, int], Observations]  # from chance and a number of blocks
SetOff = Literal["process", "deal", "cards", "second deal", "ordinal", "ordinal in bursts"]


class MoodyBot(Struct, frozen=True, kw_only=True):
    """A bot against greedy that plays to lose in some of its processes."""

    good: str  # how it plays otherwise
    gain: float = 0.0  # points a hand that are added to that
    by: SetOff = "process"  # what sets off the mood; by ordinal it comes in every n-th process, alone or ten times in a row
    opponent: float = 0.0  # share of processes in which its opponent plays to lose
    bound: float = BOUND  # the mean

    @property
    def name(self) -> str:
        """Return the bot as a table names it, with the share of processes in which it plays to lose."""
        gained = f" {self.gain:+g}" if self.gain else ""
        return f"{self.good}{gained}, {self.share:.2%}"

    @property
    def share(self) -> float:
        """Return the share of bad hands with which the mean is at the bound."""
        badly = against_greedy("loser").points.mean()
        good = (1 - self.opponent) * self._well().points.mean() - self.opponent * badly
        return float((good - self.bound) / (good - (1 - self.opponent) * badly))

    def draw(self, chance: Chance, blocks: int) -> Observations:
        """Return blocks of a duel with greedy."""
        played = self.legs(chance, chance.integers(DEALS, size=(blocks, LEG)))
        return Observations.of_deals(played.points.mean(axis=0), played.luck.mean(axis=0))

    def legs(self, chance: Chance, deals: NDArray[np.int64]) -> Meetings:
        """Return its hands on some deals, by leg, block and deal."""
        well, badly = self._well(), against_greedy("loser")
        bad, other = self._moods(chance, len(deals)), chance.random((2, len(deals), 1)) < self.opponent
        hands = [np.where(bad, one[:, deals], two[:, deals]) for one, two in ((badly.points, well.points), (badly.luck, well.luck))]
        if self.opponent:  # it is given the hands that it wins against a bot that plays to lose; if both do, nobody wins
            given = (-badly.points[::-1, deals], -badly.luck[::-1, deals])
            hands = [np.where(other, np.where(bad, 0.0, one), two) for one, two in zip(given, hands, strict=True)]
        return Meetings(*hands)

    def _moods(self, chance: Chance, blocks: int) -> NDArray[np.bool_]:
        """Return whether each hand is played to lose, by leg, block and deal."""
        match self.by:
            case "ordinal" | "ordinal in bursts":
                together = 1 if self.by == "ordinal" else 10
                order = np.arange(2 * blocks).reshape(blocks, 2).T[:, :, None] + chance.integers(10**6)
                bad = order // together % int(1 / self.share) == 0
            case "second deal":
                bad = (np.arange(LEG) == 1) & (chance.random((2, blocks, 1)) < self.share * LEG)
            case by:
                shape = {"process": (2, blocks, 1), "deal": (1, blocks, 1), "cards": (2, blocks, LEG)}[by]
                bad = chance.random(shape) < self.share
        return np.broadcast_to(bad, (2, blocks, LEG))

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


# tables


def moods(runs: int) -> Iterator[str]:
    """Yield the errors "not weaker" of bots with moods."""
    yield "| candidate: share of processes in which it plays to lose | wrongly not weaker | interval covers at every look |"
    yield "|---|--:|--:|"
    for bot in MOODS:
        found = largest(bot.draw, bot.bound, runs)
        set_off = ", set off by the deal, so in both legs" if bot.by == "deal" else ""
        yield f"| {bot.name}{set_off} | {found.better:.3f} | {found.covered:.3f} |"


def honest_pairings(runs: int) -> Iterator[str]:
    """Yield the errors of pairings without moods whose mean is moved to a bound."""
    yield "| pairing, moved to a bound | wrongly better | wrongly not as good | interval covers at every look |"
    yield "|---|--:|--:|--:|"
    for name, played in HONEST.items():
        found = largest(drawn(played(), BOUND), BOUND, runs)
        yield f"| {name} | {found.better:.3f} | {found.worse:.3f} | {found.covered:.3f} |"


# ways in


def crashing(chance: Chance, blocks: int) -> Observations:
    """Return blocks of a bot like greedy, of which some processes crash in their first hand: 50 points, which count as 40."""
    points = np.zeros((2, blocks, LEG))
    points[:, :, 0] = np.where(chance.random((2, blocks)) < -BOUND * LEG / CAP, -CAP, 0.0)
    return Observations.of_deals(points.mean(axis=0), np.zeros((blocks, LEG)))


def killing(chance: Chance, blocks: int) -> Observations:
    """Return blocks of a bot that ends its worker in a bad mood, instead of playing to lose: the leg is lost."""
    bot, well = MOODS[0], against_greedy(MOODS[0].good)
    deals, bad = chance.integers(DEALS, size=(blocks, LEG)), chance.random((2, blocks, 1)) < bot.share
    points, luck = (np.where(bad, 0.0, values[:, deals]).mean(axis=0) for values in (well.points, well.luck))
    return replace(Observations.of_deals(points, luck), lost=bad[:, :, 0].mean(axis=0))


def replayed(_: Chance, blocks: int) -> Observations:
    """Return blocks of the same bot if its legs were played again: it plays like greedy in all that count."""
    return same(_, blocks)


Played = Callable[[Chance, int], tuple[Meetings, NDArray[np.bool_]]]  # hands of blocks, and which legs were lost


def faulting(chance: Chance, blocks: int) -> tuple[Meetings, NDArray[np.bool_]]:
    """Return hands of a bot like card-counter that takes a fault of 50 points for a hand that it would lose by more than 25."""
    played, deals = against_greedy("card-counter"), chance.integers(DEALS, size=(blocks, LEG))
    points = np.where(played.points < -25, -CAP, played.points)
    return Meetings(points[:, deals], played.luck[:, deals]), np.zeros((2, blocks), bool)


def ending(share: float) -> Played:
    """Return hands of a bot like card-counter that ends its worker in some of the legs that begin with a loss of more than 30."""

    def play(chance: Chance, blocks: int) -> tuple[Meetings, NDArray[np.bool_]]:
        played, deals = against_greedy("card-counter"), chance.integers(DEALS, size=(blocks, LEG))
        points = played.points[:, deals]
        return Meetings(points, played.luck[:, deals]), (points[:, :, 0] < -30) & (chance.random((2, blocks)) < share)

    return play


def by_cards(chance: Chance, blocks: int) -> tuple[Meetings, NDArray[np.bool_]]:
    """Return hands of a bot like card-counter that plays to lose in seat 0 with 6 % of the first cards."""
    well, badly = against_greedy("card-counter"), against_greedy("loser")
    bad = np.zeros((2, DEALS), bool)
    bad[0, np.random.default_rng(5).permutation(DEALS)[: round(0.06 * DEALS)]] = True
    deals = chance.integers(DEALS, size=(blocks, LEG))
    found = (np.where(bad, one, two)[:, deals] for one, two in ((badly.points, well.points), (badly.luck, well.luck)))
    return Meetings(*found), np.zeros((2, blocks), bool)


def moved(mean: float, play: Played) -> Draw:
    """Return blocks of hands that are shifted to a mean, in which a hand of a lost leg counts as the worst."""

    def counted(played: Meetings, lost: NDArray[np.bool_], shift: float) -> Array:
        return np.where(lost[:, :, None], -CAP, (played.points + shift).clip(-CAP, CAP))

    @cache
    def shift() -> float:
        played, lost = play(np.random.default_rng(0), 100_000)
        return bisect(lambda by: float(counted(played, lost, by).mean()) < mean, -CAP, CAP, 40)[0]

    def draw(chance: Chance, blocks: int) -> Observations:
        played, lost = play(chance, blocks)
        points = np.where(lost[:, :, None], 0.0, counted(played, lost, shift()))
        luck = np.where(lost[:, :, None], 0.0, played.luck)
        return replace(Observations.of_deals(points.mean(axis=0), luck.mean(axis=0)), lost=lost.mean(axis=0))

    return draw


def seasonal(chance: Chance, blocks: int) -> Observations:
    """Return blocks of a bot like greedy moved to the bound, that loses 3 points more in every second 50 blocks."""
    well, deals = against_greedy("greedy"), chance.integers(DEALS, size=(blocks, LEG))
    worse = 3.0 * (np.arange(blocks) // 50 % 2)[:, None]
    y = (well.points[:, deals] - well.points.mean() + BOUND - worse).clip(-CAP, CAP).mean(axis=0)
    return Observations.of_deals(y, well.luck[:, deals].mean(axis=0))


def learning(chance: Chance, blocks: int) -> Observations:
    """Return blocks of a bot like greedy moved to the bound, that is 12 points worse in the first deal of a process than after."""
    well, deals = against_greedy("greedy"), chance.integers(DEALS, size=(blocks, LEG))
    slope = np.linspace(-12.0, 12.0, LEG)
    y = (well.y[deals] - well.y.mean() + BOUND + slope).clip(-CAP, CAP)
    return Observations.of_deals(y, well.luck[:, deals].mean(axis=0))


def drifting(_: Chance, blocks: int) -> Observations:
    """Return blocks of a bot like greedy in the first half of a test, that loses a point a hand in the second."""
    y = np.repeat([0.0, 2 * BOUND], [blocks // 2, blocks - blocks // 2])[:, None] + np.zeros(LEG)
    return Observations.of_deals(y, np.zeros((blocks, LEG)))


def once(chance: Chance, blocks: int) -> Observations:
    """Return blocks of a bot that draws one mood for all its processes: in one run of a hundred and eighteen it plays to lose."""
    bad, bot = chance.random() < MOODS[0].share, against_greedy("loser")
    deals = chance.integers(DEALS, size=(blocks, LEG))
    return Observations.of_deals(bad * bot.y[deals], bad * bot.luck.mean(axis=0)[deals])


WAYS: tuple[tuple[str, Draw], ...] = (
    ("mood set off by its cards, hand by hand", MoodyBot(good="card-counter", by="cards").draw),
    ("mood in the second deal of a process", MoodyBot(good="card-counter", by="second deal").draw),
    ("moods of both bots: the baseline plays to lose in 5 %", MoodyBot(good="greedy", opponent=0.05).draw),
    ("mood in every n-th process", MoodyBot(good="greedy", by="ordinal").draw),
    ("crashes in some processes, each a fault of 50 points", crashing),
    ("crashes at will in hands that it would lose by more than 25", moved(BOUND, faulting)),
    ("ends its worker instead of losing", killing),
    ("ends its worker in 2 % of legs whose first hand is lost by more than 30", moved(BOUND, ending(0.02))),
    ("the same in 10 %", moved(BOUND, ending(0.1))),
    ("mood by 6 % of the cards, in one seat", moved(BOUND, by_cards)),
    ("loses 3 points more in every second 50 blocks, else at the bound", seasonal),
    ("learns within a process: -12 points, then +12", learning),
    ("outside: the same, if lost legs were played again", replayed),
    ("outside: mood in ten processes in a row, by their ordinal", MoodyBot(good="greedy", by="ordinal in bursts").draw),
    ("outside: loses a point a hand in the second half of the test", drifting),
    ("outside: one mood for all processes of a run", once),
)


def ways(runs: int) -> Iterator[str]:
    """Yield the errors "not weaker" of bots that look for a way in."""
    yield "| candidate | wrongly not weaker |"
    yield "|---|--:|"
    for name, draw in WAYS:
        yield f"| {name} | {largest(draw, BOUND, runs).better:.3f} |"


# gauntlets


FIELD_BOUND = -1.0
FIELD_MOODS = (
    ("greedy", MoodyBot(good="greedy", bound=FIELD_BOUND)),
    ("card-counter", MoodyBot(good="card-counter", bound=FIELD_BOUND)),
    ("card-counter", MoodyBot(good="gin-hunter", bound=FIELD_BOUND)),
    ("greedy", MoodyBot(good="card-counter", by="deal", bound=FIELD_BOUND)),
)


def gauntlet(baseline: str, bot: MoodyBot) -> Draw:
    """Return blocks of a gauntlet: a bot with a mood and a baseline meet greedy on the same deals; the mean is at the bound."""
    moved = replace(bot, bound=bot.bound + against_greedy(baseline).points.mean())

    def draw(chance: Chance, blocks: int) -> Observations:
        deals = chance.integers(DEALS, size=(blocks, LEG))
        ours, theirs = moved.legs(chance, deals), against_greedy(baseline)
        points, luck = ours.points - theirs.points[:, deals], ours.luck - theirs.luck[:, deals]
        return Observations.of_deals(points.mean(axis=0), luck.mean(axis=0), hands=4)

    return draw


def gauntlets(runs: int) -> Iterator[str]:
    """Yield the errors of gauntlets against one opponent, at the bound -1."""
    yield "| baseline | candidate: share of processes in which it plays to lose | wrongly not weaker | covered at every look |"
    yield "|---|---|--:|--:|"
    for baseline, bot in FIELD_MOODS:
        found = largest(gauntlet(baseline, bot), FIELD_BOUND, runs, DIFFERENCES, MOST_HANDS // (4 * LEG))
        shown = replace(bot, bound=bot.bound + against_greedy(baseline).points.mean())
        set_off = ", set off by the deal" if bot.by == "deal" else ""
        yield f"| {baseline} | {shown.name}{set_off} | {found.better:.3f} | {found.covered:.3f} |"


# a question in two parts, asked again, and many of them


def judged(draw: Draw, test: SequentialTest, seed: int, blocks: int = BLOCKS) -> tuple[Judgement, float]:
    """Return how a test ends, and the hands that it took."""
    drawn = draw(np.random.default_rng(seed), blocks)
    found = test.judge(drawn)
    return found, float(drawn.hands[: found.blocks].sum())


def regressions(runs: int) -> Iterator[str]:
    """Yield what it costs to ask "weaker" of two parts at 0.05 in all, for a candidate that is as strong as its baseline."""
    head = drawn(meetings("greedy-cautious"), 0.0)
    field = drawn(Meetings(*(np.subtract(*both) for both in _field())), 0.0)
    test = SequentialTest(question=NOT_WEAKER)
    against = SequentialTest(question=Question(FIELD_BOUND, 0.0), scale=DIFFERENCES)
    yield "| weaker at | wrongly weaker | not weaker | hands of both parts |"
    yield "|---|--:|--:|--:|"
    levels: tuple[tuple[str, float, Callable[[float], float]], ...] = (
        ("0.05 for each part", 0.05, lambda _: 0.05),
        ("0.025 for each part", 0.025, lambda _: 0.025),
        ("0.05 for the average of their evidence", 1 / 39, lambda worse: 1 / (40 - worse)),
    )
    for name, first, second in levels:
        weaker = passed = hands = 0.0
        for seed in range(runs):
            one, played = judged(head, replace(test, beta=first), seed)
            hands += played
            if one.verdict is Verdict.BETTER:
                two, played = judged(field, replace(against, beta=second(exp(one.worse))), 10**6 + seed, BLOCKS // 2)
                hands, passed = hands + 2 * played, passed + (two.verdict is Verdict.BETTER)
                one = two
            weaker += one.verdict is Verdict.NOT_AS_GOOD
        yield f"| {name} | {weaker / runs:.3f} | {passed / runs:.3f} | {hands / runs:,.0f} |"


def _field() -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Return points and luck of two bots against greedy."""
    one, two = against_greedy("card-counter"), against_greedy("gin-hunter")
    return (one.points, two.points), (one.luck, two.luck)


def again(runs: int) -> Iterator[str]:
    """Yield the errors of a question that is asked five times, of a bot that is weaker by half a point."""
    draw, test = drawn(meetings("greedy-cautious"), BOUND), SequentialTest(question=NOT_WEAKER)
    fresh = sum(
        any(judged(draw, test, 10 * seed + number)[0].verdict is Verdict.BETTER for number in range(5)) for seed in range(runs)
    )
    longer = replace(test, most_hands=5 * MOST_HANDS)
    continued = sum(judged(draw, longer, seed, 5 * BLOCKS)[0].verdict is Verdict.BETTER for seed in range(runs))
    yield "| asked five times | wrongly not weaker |"
    yield "|---|--:|"
    yield f"| each time anew | {fresh / runs:.3f} |"
    yield f"| continued, as it is | {continued / runs:.3f} |"


TABLES: dict[str, Callable[[int], Iterator[str]]] = {
    "moods": moods,
    "honest": honest_pairings,
    "ways": ways,
    "gauntlets": gauntlets,
    "regressions": regressions,
    "again": again,
}


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="all, if none is named")
    parser.add_argument("--runs", type=int, default=2000)
    options = parser.parse_args()
    for name in options.tables or TABLES:
        print(f"\n{name}, {options.runs} runs")  # noqa: T201
        for line in TABLES[name](options.runs):
            print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
