"""``python tests/studies/scheduling.py``: what it costs that two fixtures on the same deals are never in play at once.

Fixtures take times drawn at random and are handed to workers as the director hands them out: with the rule, and without it in the
order of their deals. It prints the ratio of the times until all are played, mean and range of five draws, whatever the load here.
"""

import heapq
import sys
from collections.abc import Iterator, Sequence
from random import Random
from statistics import mean

from arena.records import Fixture, Result, SingleHand
from arena.tournament.formats.base import Format
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.order import Schedule

DRAWS = 5
CASES: dict[str, tuple[Format, str]] = {
    "round robin of 4, 2 pairs": (RoundRobin(pairs=2), "abcd"),
    "round robin of 10, 5 pairs": (RoundRobin(pairs=5), "abcdefghij"),
    "duel, 2,000 hands": (Duel(hands=2000), "ab"),
    "gauntlet, 2 opponents, 2,000 hands": (Gauntlet(hands=2000), "abcd"),
    "gauntlet, 8 opponents, 20,000 hands": (Gauntlet(), "abcdefghij"),
}


class Unruled(Schedule):
    """Hands out fixtures in the order of their deals, and keeps none back."""

    def __init__(self, fixtures: Iterator[Fixture]) -> None:
        listed = list(fixtures)
        first = {key: number for number, key in reversed(list(enumerate(one.deals for one in listed)))}
        self._in_order = iter(sorted(listed, key=lambda one: first[one.deals]))

    def start(self) -> Fixture | None:
        return next(self._in_order, None)

    def done(self, fixture: Fixture) -> None:
        """Nothing waits for it."""


def rounds(form: Format, field: str, chance: Random) -> Iterator[Sequence[Fixture]]:
    """Yield what a format asks for, round by round, of entrants that are equally strong."""
    played: list[Result] = []
    while asked := list(form.fixtures(tuple(field), played)):
        yield asked
        played += [_played(fixture, chance) for fixture in asked]


def _played(fixture: Fixture, chance: Random) -> Result:
    singles = tuple(SingleHand(round(chance.gauss(0, 25)), 0.0) for _ in range(fixture.hands or 0))
    return Result(fixture=fixture, winner=0, games=(0, 0), points=(0, 0), hands=len(singles), singles=singles)


def makespan(schedule: Schedule, workers: int, seconds: dict[str, float]) -> float:
    """Return when the last fixture ends; twice as many as there are workers are handed out at a time."""
    now, queue = 0.0, list[Fixture]()
    running: list[tuple[float, str, Fixture]] = []
    while True:
        while len(queue) + len(running) < 2 * workers and (fixture := schedule.start()):
            queue.append(fixture)
        while queue and len(running) < workers:
            fixture = queue.pop(0)
            heapq.heappush(running, (now + seconds[fixture.id], fixture.id, fixture))
        if not running:
            return now
        now, _, fixture = heapq.heappop(running)
        schedule.done(fixture)


def ratio(form: Format, field: str, workers: int, seed: int) -> float:
    """Return the time with the rule as a share of that without. Matches differ more in length than batches of 20 hands."""
    chance, ruled, unruled = Random(seed), 0.0, 0.0
    for asked in rounds(form, field, chance):
        seconds = {one.id: chance.lognormvariate(0, 0.5 if one.hands is None else 0.1) for one in asked}
        ruled += makespan(Schedule(iter(asked)), workers, seconds)
        unruled += makespan(Unruled(iter(asked)), workers, seconds)
    return ruled / unruled


if __name__ == "__main__":
    for name, (form, field) in CASES.items():
        for workers in (2, 4, 8):
            ratios = [ratio(form, field, workers, seed) for seed in range(DRAWS)]
            sys.stdout.write(f"{name}: {workers} workers: {mean(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})\n")
            sys.stdout.flush()
