"""``python tests/studies/until_sure.py [--runs N]``: how often ``--until-sure`` is wrong, and after how many pairs it is sure.

Two versions of a league meet in pairs of legs of two deals; one look is taken after each pair. The one with a mood wins more in
most of its processes and loses 40 points a hand in the others. *Wrong* is the share of leagues in which a comparison that does not
hold is ever known, *right* that in which the true one is, *pairs* the mean number of pairs until then.
"""

import argparse
from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from arena.league.rules.aims import LEVEL, POINTS, log_wealth, threshold

PAIRS = 1000
SCATTER = 6.3  # points a hand, of the mean of a pair of legs of two deals


class League(Struct, frozen=True):
    """Two versions."""

    gain: float = 0.0  # points a hand that the first wins
    loses: float = 0.0  # share of its processes in which it loses 40 points a hand

    @property
    def mean(self) -> float:
        """Return the points a hand that the first version wins."""
        return (1 - self.loses) * self.gain - 40 * self.loses

    def play(self, chance: np.random.Generator) -> list[float]:
        """Return the scores of all pairs."""
        legs = np.where(chance.random((PAIRS, 2)) < self.loses, -40.0, self.gain)
        scores = np.clip(legs.mean(axis=1) + chance.normal(0, SCATTER, PAIRS), -40, 40)
        return [float(score) for score in scores]


LEAGUES = (
    League(),
    *(League(gain, loses) for gain, loses in ((1.2, 0.03), (0.8, 0.02), (0.6, 0.015), (2.0, 0.05))),
    *(League(gain) for gain in (1.0, 2.0, 4.0)),
)


def table(runs: int) -> Iterator[str]:
    """Yield the table."""
    yield "| first wins | loses in | mean | wrong | right | pairs |"
    yield "|--:|--:|--:|--:|--:|--:|"
    for league in LEAGUES:
        wrong, pairs = 0, list[int]()
        for run in range(runs):
            scores = league.play(np.random.default_rng([9, run]))
            known = {sign: _known_after([sign * score for score in scores]) for sign in (1, -1)}
            true = known.pop(int(np.sign(league.mean)), None)
            wrong += any(found is not None for found in known.values())
            pairs += [] if true is None else [true]
        mean = f"{np.mean(pairs):.0f}" if pairs else "–"
        cells = (f"{league.mean:+.2f}", f"{wrong / runs:.3f}", f"{len(pairs) / runs:.3f}", mean)
        yield f"| {league.gain:+.1f} | {league.loses:.1%} | {' | '.join(cells)} |"


def _known_after(scores: list[float]) -> int | None:
    """Return after how many pairs it is known that the mean is positive; None: it never is."""
    proof = threshold(1, 2, LEVEL)
    if log_wealth(scores, POINTS) < proof:
        return None
    known, unknown = len(scores), 0
    while known - unknown > 1:
        middle = (known + unknown) // 2
        known, unknown = (middle, unknown) if log_wealth(scores[:middle], POINTS) >= proof else (known, middle)
    return known


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    for line in table(parser.parse_args().runs):
        print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
