"""``python tests/studies/helping.py [--leagues N] [--rounds N]``: help between two bots: how soon it is noted, what it is worth.

Leagues of eight bots are simulated (``simulated.py``); in half of them two bots have one author. Nobody helps, or one gives the
other points in every hand of their meetings. Printed is in how many leagues a note was made in any round, how many rounds it took,
and how often the bot that is helped stands first at the end. Honest bots do not play alike: between every two is an amount of their
own.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from msgspec import Struct
from simulated import AIMS, FIELDS, Array, SimulatedLeague

SIZE = 8
STYLES = 1.65  # points a hand: standard deviation of what one scores more against another, as between the bots of this repository


class Noted(Struct, frozen=True):
    """What was noted in a league."""

    after: int | None  # rounds; None: nothing
    first: bool  # whether the first bot stands first


def no_styles(chance: np.random.Generator) -> Array:
    """Return what each bot scores more against each other: nothing."""
    del chance
    return np.zeros((SIZE, SIZE))


def styles(chance: np.random.Generator) -> Array:
    """Return a normal amount for every two."""
    return np.triu(chance.normal(0, STYLES, (SIZE, SIZE)), 1)


def cycle(chance: np.random.Generator) -> Array:
    """Return a circle of three kinds of bots, each 6 points a hand better against the next."""
    kinds = chance.integers(0, 3, SIZE)
    return np.where((kinds[:, None] - kinds[None, :]) % 3 == 1, 6.0, 0.0)


HONEST: Mapping[str, tuple[str, Callable[[np.random.Generator], Array]]] = {
    "equal, alike": ("equal", no_styles),
    "equal": ("equal", styles),
    "normal, 2.5 apart": ("normal, 2.5 apart", styles),
    "normal, 2.5 apart, in a circle": ("normal, 2.5 apart", cycle),
}


def simulate(kind: str, aim: str, rounds: int, chance: np.random.Generator, *, help_of: float, one_author: bool) -> Noted:
    """Play a league in which the second bot gives the first this many points in every hand."""
    field, extra = HONEST[kind]
    league = SimulatedLeague([], aim, chance)
    names = [
        league.submit(f"bot{number}", f"author{max(number, int(one_author))}", strength)
        for number, strength in enumerate(FIELDS[field](SIZE, chance).tolist())
    ]
    league.extra = {(names[one], names[other]): float(more) for (one, other), more in np.ndenumerate(extra(chance)) if more}
    if help_of:
        league.extra[names[0], names[1]] = help_of
        league.extra.pop((names[1], names[0]), None)
    after = None
    for number in range(1, rounds + 1):
        league.play()
        if after is None and league.signs_of_help():
            after = number
    return Noted(after, league.table().ranking[0] == names[0])


def row(kind: str, rounds: int, leagues: int, *, help_of: float, one_author: bool) -> str:
    """Return the cells of one kind of league."""
    cells = []
    for aim in AIMS:
        chance = np.random.default_rng(5)
        found = [simulate(kind, aim, rounds, chance, help_of=help_of, one_author=one_author) for _ in range(leagues)]
        noted = [one.after for one in found if one.after is not None]
        soon = f" (after {np.median(noted):.0f})" if noted else ""
        cells.append(f"{len(noted)} of {leagues}{soon} | {np.mean([one.first for one in found]):.3f}")
    return " | ".join(cells)


def lines(rounds: int, long: int, leagues: int) -> Iterator[str]:
    """Yield the tables: of honest leagues, and of help."""
    yield f"| honest, {long} rounds | {' | '.join(f'{aim}: noted | first' for aim in AIMS)} |\n|---|{'--:|--:|' * len(AIMS)}"
    for kind in HONEST:
        for one_author in (True, False):
            authors = "two of one author" if one_author else "eight authors"
            yield f"| {kind}, {authors} | {row(kind, long, leagues, help_of=0.0, one_author=one_author)} |"
    yield f"\n| help, {rounds} rounds | {' | '.join(f'{aim}: noted | first' for aim in AIMS)} |\n|---|{'--:|--:|' * len(AIMS)}"
    for points in (0.0, 5.0, 10.0, 15.0, 20.0):
        for one_author in (True, False):
            authors = "of one author" if one_author else "of two authors"
            cells = row("equal", rounds, leagues, help_of=points, one_author=one_author)
            yield f"| {points:g} points a hand, {authors} | {cells} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--long", type=int, default=70, help="rounds of honest leagues")
    options = parser.parse_args()
    for line in lines(options.rounds, options.long, options.leagues):
        print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
