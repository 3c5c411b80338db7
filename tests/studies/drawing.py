"""``python tests/studies/drawing.py``: processor time of ratings of 100 and of 1,000 bots, and of draws of them."""

from time import process_time

import numpy as np

from arena.stats.ranks import believe


def main() -> None:
    """Print the times, in seconds."""
    chance = np.random.default_rng(1)
    for size in (100, 1000):
        centred = np.eye(size) - 1 / size
        root = centred @ chance.standard_normal((size, size + 50))
        values = centred @ chance.normal(0, 2, size)
        began = process_time()
        belief = believe(values, root @ root.T / size, np.full(size, 1 / size))
        believed = process_time()
        belief.draws()
        print(f"{size} bots: {believed - began:.2f} s, draws {process_time() - believed:.2f} s")  # noqa: T201


if __name__ == "__main__":
    main()
