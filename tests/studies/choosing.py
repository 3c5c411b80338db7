"""How often each format finds the best bots: ``PYTHONPATH=tests python tests/studies/choosing.py``.

Eight bots are a number of Elo points apart, from one to the next, and enter in random order. Each match is an independent toss with
the chance that the difference gives, so what mirrored deals gain is left out.
"""

import sys
from random import Random

from support.matches.outcomes import Play, all_results, won

from arena.records import Fixture, Result
from arena.stats.standings import by_results
from arena.tournament.formats.base import Format
from arena.tournament.formats.divisions import Divisions
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.formats.stages import SpecStage, Stages
from arena.tournament.formats.swiss import Swiss

BOTS, TOURNAMENTS = 8, 1000
FORMATS: dict[str, Format] = {
    "round robin, 1 pair": RoundRobin(),
    "Swiss, 3 rounds": Swiss(),
    "Swiss, 5 rounds": Swiss(rounds=5),
    "single elimination": Knockout(third_place=True),
    "double elimination": Knockout(elimination="double"),
    "Swiss, 4 rounds, then a knockout of 4": Stages(
        stages=(SpecStage(format=Swiss(rounds=4)), SpecStage(format=Knockout(third_place=True), top=4))
    ),
    "2 divisions, 3 seasons": Divisions(seasons=3),
}


def by_elo(gap: float, chance: Random) -> Play:
    """Return play between bots that are numbered from the best on."""

    def play(fixture: Fixture) -> Result:
        one, other = (int(name[1:]) for name in fixture.seats)
        wins = 1 / (1 + 10 ** (gap * (one - other) / 400))
        return won(fixture, int(chance.random() >= wins))

    return play


def row(league: Format, gap: float) -> str:
    """Return matches, how often the best is first, and the share of the best three among the first three."""
    chance = Random(1)
    matches = first = three = 0
    for _ in range(TOURNAMENTS):
        field = chance.sample([f"b{number}" for number in range(BOTS)], BOTS)
        results = all_results(league, field, by_elo(gap, chance))
        order = [name for place in league.ranking(field, results) or by_results(field, results) for name in place]
        matches += len(results)
        first += order[0] == "b0"
        three += len({*order[:3]} & {"b0", "b1", "b2"})
    return f"{matches / TOURNAMENTS:.0f} | {first / TOURNAMENTS:.0%} | {three / 3 / TOURNAMENTS:.0%}"


if __name__ == "__main__":
    gap = float(sys.argv[1]) if len(sys.argv) > 1 else 50.0
    for name, league in FORMATS.items():
        print(f"| {name} | {row(league, gap)} |")  # noqa: T201 - a script
