"""A dry run, which counts the fixtures of a format and plays nothing.

The fixtures may depend on results, as those of a duel do. So the format gets simulated results of equal bots: hands drawn at
random from a few that were played for a forecast, each won by a random seat. The dry run thus covers the rounds of a duel as well
as a round robin.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from msgspec import Struct

from arena.gin.score import HandResult
from arena.records import Fixture, Result, SingleHand
from arena.tournament.plan import Plan

MAX_RESULTS = 20_000  # simulated results; a format that has asked for more fixtures is not asked again
MAX_DEALS = 1000
Kind = tuple[tuple[str, str], int | None]  # seats in the order of their names, hands


class DryRun(Struct, frozen=True):
    """The number of fixtures of each kind."""

    kinds: Counter[Kind]
    rounds: int  # how often the format asked; from the second on its fixtures depend on the results
    deals: int  # number of different keys of deals, at most MAX_DEALS; fixtures with the same key are not in play at once

    @property
    def by_results(self) -> bool:
        """Tell whether the fixtures depend on the results."""
        return self.rounds > 1

    @property
    def fixtures(self) -> int:
        """Return the number of fixtures."""
        return self.kinds.total()


def dry_run(plan: Plan, hands: Sequence[HandResult], hands_a_match: float) -> DryRun:
    """Return the fixtures that would be played if all bots were equal and their hands were like ``hands``."""
    kinds: Counter[Kind] = Counter()
    deals: set[str] = set()
    played: list[Result] = []
    rounds, chance = 0, Random(0)  # noqa: S311 - simulated results need no secret
    while kinds.total() <= MAX_RESULTS:
        asked = list(_count(plan.spec.format.fixtures(plan.names, played), kinds, deals))
        if not asked:
            break
        rounds += 1
        played += [_simulate(fixture, hands, hands_a_match, plan, chance) for fixture in asked]
    return DryRun(kinds, rounds=rounds, deals=len(deals))


def first_pairings(plan: Plan) -> list[tuple[str, str]]:
    """Return the pairings of the first fixtures, at most MAX_RESULTS of them, without a bot against itself."""
    seen: dict[tuple[str, str], None] = {}
    for _, fixture in zip(range(MAX_RESULTS), plan.spec.format.fixtures(plan.names, []), strict=False):
        seen.setdefault(_by_name(fixture), None)
    return [pairing for pairing in seen if pairing[0] != pairing[1]]


def _count(fixtures: Iterable[Fixture], kinds: Counter[Kind], deals: set[str]) -> Iterator[Fixture]:
    """Count fixtures and deals, and yield a fixture while ``kinds`` has at most MAX_RESULTS."""
    for total, fixture in enumerate(fixtures, kinds.total() + 1):
        kinds[_by_name(fixture), fixture.hands] += 1
        if len(deals) < MAX_DEALS:
            deals.add(fixture.deals)
        if total <= MAX_RESULTS:
            yield fixture


def _by_name(fixture: Fixture) -> tuple[str, str]:
    one, other = sorted(fixture.seats)
    return one, other


def _simulate(fixture: Fixture, hands: Sequence[HandResult], hands_a_match: float, plan: Plan, chance: Random) -> Result:
    count = fixture.hands or round(hands_a_match)
    nets = [_net(chance.choice(hands), chance) for _ in range(count)]
    points = (sum(net for net in nets if net > 0), -sum(net for net in nets if net < 0))
    winner = None if fixture.hands else int(points[1] > points[0])
    games = (0, 0) if winner is None else (plan.spec.rules.games_to_win, 0) if winner == 0 else (0, plan.spec.rules.games_to_win)
    singles = tuple(SingleHand(net, None, (0, 0)) for net in nets) if fixture.hands else ()
    return Result(fixture=fixture, winner=winner, games=games, points=points, hands=count, singles=singles)


def _net(hand: HandResult, chance: Random) -> int:
    return 0 if hand.winner is None else hand.points * chance.choice((-1, 1))
