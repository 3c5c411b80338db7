"""A tournament played on paper: which fixtures a format asks for, before anything is known of the bots.

A format may ask by results, as a duel does; it is told results that hands of the calibration, drawn by chance and given to either
seat by the toss of a coin, would have had: those of equals.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from msgspec import Struct

from arena.gin.score import HandResult
from arena.records import Fixture, Result, Single
from arena.tournament.plan import Plan

MOST = 20_000  # fixtures of which results are made up; a format that asks for more at once is not asked again
Kind = tuple[tuple[str, str], int | None]  # seats in the order of their names, hands


class Schedule(Struct, frozen=True):
    """How many fixtures of each kind."""

    kinds: Counter[Kind]
    by_results: bool  # whether the format asked again: another course of play asks for other fixtures

    @property
    def fixtures(self) -> int:
        """Return how many there are."""
        return self.kinds.total()


def schedule(plan: Plan, hands: Sequence[HandResult], hands_a_match: float) -> Schedule:
    """Return what would be played, if all bots were equal and their hands ended like these."""
    kinds: Counter[Kind] = Counter()
    played: list[Result] = []
    rounds, chance = 0, Random(0)  # noqa: S311 - made-up results are no secret
    while kinds.total() == len(played):  # until there are too many to make up results for
        asked = list(_asked(plan.spec.format.fixtures(plan.names, played), kinds))
        if not asked:
            break
        rounds += 1
        played += [_made_up(fixture, hands, hands_a_match, plan, chance) for fixture in asked]
    return Schedule(kinds, by_results=rounds > 1)


def first(plan: Plan) -> list[tuple[str, str]]:
    """Return who meets whom in the first fixtures that are asked for, as far as they are few."""
    seen: dict[tuple[str, str], None] = {}
    for _, fixture in zip(range(MOST), plan.spec.format.fixtures(plan.names, []), strict=False):
        seen.setdefault(_by_name(fixture), None)
    return [pairing for pairing in seen if pairing[0] != pairing[1]]


def _asked(fixtures: Iterable[Fixture], kinds: Counter[Kind]) -> Iterator[Fixture]:
    """Count fixtures, and yield those for which results can be made up."""
    for fixture in fixtures:
        kinds[_by_name(fixture), fixture.hands] += 1
        if kinds.total() <= MOST:
            yield fixture


def _by_name(fixture: Fixture) -> tuple[str, str]:
    one, other = sorted(fixture.seats)
    return one, other


def _made_up(fixture: Fixture, hands: Sequence[HandResult], hands_a_match: float, plan: Plan, chance: Random) -> Result:
    count = fixture.hands or round(hands_a_match)
    nets = [_net(chance.choice(hands), chance) for _ in range(count)]
    points = (sum(net for net in nets if net > 0), -sum(net for net in nets if net < 0))
    winner = None if fixture.hands else int(points[1] > points[0])
    games = (0, 0) if winner is None else (plan.spec.rules.games_to_win, 0) if winner == 0 else (0, plan.spec.rules.games_to_win)
    singles = tuple(Single(net, None, (0, 0)) for net in nets) if fixture.hands else ()
    return Result(fixture=fixture, winner=winner, games=games, points=points, hands=count, singles=singles)


def _net(hand: HandResult, chance: Random) -> int:
    return 0 if hand.winner is None else hand.points * chance.choice((-1, 1))
