"""A dry run: which fixtures a format asks for, without playing them.

A format may ask by results, as a duel does. It gets simulated results of equal bots: hands drawn at random from the calibration,
each won by a random seat. So the dry run covers the rounds of a duel as well as a league.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from msgspec import Struct

from arena.gin.score import HandResult
from arena.records import Fixture, Result, SingleHand
from arena.tournament.plan import Plan

MAX_RESULTS = 20_000  # simulated results; a format that asks for more fixtures at once is not asked again
MAX_DEALS = 1000
Kind = tuple[tuple[str, str], int | None]  # seats in the order of their names, hands


class DryRun(Struct, frozen=True):
    """The number of fixtures of each kind."""

    kinds: Counter[Kind]
    by_results: bool  # the format asked more than once, so its fixtures depend on the results
    deals: int  # different ones, counted up to MAX_DEALS: no more fixtures are in play at once

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
    # kinds counts all fixtures, played only those up to MAX_RESULTS
    while kinds.total() == len(played):
        asked = list(_asked(plan.spec.format.fixtures(plan.names, played), kinds, deals))
        if not asked:
            break
        rounds += 1
        played += [_simulated(fixture, hands, hands_a_match, plan, chance) for fixture in asked]
    return DryRun(kinds, by_results=rounds > 1, deals=len(deals))


def first(plan: Plan) -> list[tuple[str, str]]:
    """Return the pairings of the first fixtures, at most MAX_RESULTS of them, without a bot against itself."""
    seen: dict[tuple[str, str], None] = {}
    for _, fixture in zip(range(MAX_RESULTS), plan.spec.format.fixtures(plan.names, []), strict=False):
        seen.setdefault(_by_name(fixture), None)
    return [pairing for pairing in seen if pairing[0] != pairing[1]]


def _asked(fixtures: Iterable[Fixture], kinds: Counter[Kind], deals: set[str]) -> Iterator[Fixture]:
    """Count fixtures and deals, and yield the first MAX_RESULTS."""
    for fixture in fixtures:
        kinds[_by_name(fixture), fixture.hands] += 1
        if len(deals) < MAX_DEALS:
            deals.add(fixture.deals)
        if kinds.total() <= MAX_RESULTS:
            yield fixture


def _by_name(fixture: Fixture) -> tuple[str, str]:
    one, other = sorted(fixture.seats)
    return one, other


def _simulated(fixture: Fixture, hands: Sequence[HandResult], hands_a_match: float, plan: Plan, chance: Random) -> Result:
    count = fixture.hands or round(hands_a_match)
    nets = [_net(chance.choice(hands), chance) for _ in range(count)]
    points = (sum(net for net in nets if net > 0), -sum(net for net in nets if net < 0))
    winner = None if fixture.hands else int(points[1] > points[0])
    games = (0, 0) if winner is None else (plan.spec.rules.games_to_win, 0) if winner == 0 else (0, plan.spec.rules.games_to_win)
    singles = tuple(SingleHand(net, None, (0, 0)) for net in nets) if fixture.hands else ()
    return Result(fixture=fixture, winner=winner, games=games, points=points, hands=count, singles=singles)


def _net(hand: HandResult, chance: Random) -> int:
    return 0 if hand.winner is None else hand.points * chance.choice((-1, 1))
