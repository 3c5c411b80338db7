"""Results without play: what a format asks for is answered by chance, or as if one entrant were always better."""

from collections.abc import Callable, Sequence
from random import Random

from arena.records import Fixture, Result
from arena.tournament.formats.base import Format

Play = Callable[[Fixture], Result]


def by_chance(seed: int, draws: float = 0.2) -> Play:
    """Return play in which anybody can win; the result of a fixture depends on its id and ``seed`` alone."""

    def play(fixture: Fixture) -> Result:
        chance = Random(f"{seed} {fixture.id}")
        winner = None if chance.random() < draws else chance.randrange(2)
        games, points = (chance.randrange(4), chance.randrange(4)), (chance.randrange(99), chance.randrange(99))
        return Result(fixture=fixture, winner=winner, games=games, points=points, hands=20)

    return play


def by_strength(order: Sequence[str]) -> Play:
    """Return play in which the earlier one in ``order`` wins every match."""

    def play(fixture: Fixture) -> Result:
        one, other = fixture.seats
        return won(fixture, int(order.index(one) > order.index(other)))

    return play


def level(fixture: Fixture) -> Result:
    """Return a match that the entrant in seat 0 wins, so that two entrants are level after both legs."""
    return won(fixture, 0)


def won(fixture: Fixture, winner: int) -> Result:
    """Return a match that a seat wins, with three games to one and 100 points to 50."""
    games, points = ((3, 1), (100, 50)) if winner == 0 else ((1, 3), (50, 100))
    return Result(fixture=fixture, winner=winner, games=games, points=points, hands=20)


def rounds(league: Format, field: Sequence[str], play: Play) -> list[list[Result]]:
    """Return the results of each round, up to the end."""
    played: list[list[Result]] = []
    while asked := list(league.fixtures(field, [result for each in played for result in each])):
        played.append([play(fixture) for fixture in asked])
    return played


def all_results(league: Format, field: Sequence[str], play: Play) -> list[Result]:
    """Return the results of a whole tournament."""
    return [result for each in rounds(league, field, play) for result in each]
