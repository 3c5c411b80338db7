"""How long a round of a Swiss tournament takes to pair: ``PYTHONPATH=tests python tests/studies/pairing.py``.

For each size of the field it pairs eleven rounds with results by chance, and prints mean and maximum in seconds of processor time.
"""

import time
from itertools import islice
from typing import TYPE_CHECKING

from support.matches.outcomes import by_chance

from arena.tournament.formats.swiss import Swiss

if TYPE_CHECKING:
    from arena.records import Result

ROUNDS = 11


def seconds(size: int) -> list[float]:
    """Return the time for each round; a call for fixtures pairs all rounds so far, so the one before is subtracted."""
    field = [f"b{number}" for number in range(size)]
    played: list[Result] = []
    spent = [0.0]
    for _ in range(ROUNDS):
        start = time.process_time()
        asked = list(Swiss(rounds=ROUNDS).fixtures(field, played))
        spent.append(time.process_time() - start)
        played += map(by_chance(1), asked)
    return [after - before for before, after in zip(spent, islice(spent, 1, None), strict=False)]


if __name__ == "__main__":
    print("| entrants | mean | slowest |\n| --- | --- | --- |")  # noqa: T201 - a script
    for size in (16, 64, 250, 251):
        took = seconds(size)
        print(f"| {size} | {sum(took) / len(took):.3f} | {max(took):.3f} |")  # noqa: T201
