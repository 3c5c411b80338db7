"""``python tests/studies/equity.py [--hands N]``: counts points a hand between equal bots, for the table of arena.stats.luck.

Two-Way plays against itself. It knocks both early and late, so it is typical of good bots.
"""

import argparse
from collections import Counter

import table_policy
from msgspec import json
from table_policy import TablePolicy

from arena.stats import equity


def main() -> None:
    """Play, count, and write the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=4000)
    bot = TablePolicy("two-way").build()
    counts = Counter(played.points for played in table_policy.hands((bot, bot), "equity", 0, parser.parse_args().hands))
    path = table_policy.data_file(f"equity_{equity.EQUITY_VERSION}.json")
    path.write_bytes(json.encode(dict(sorted(counts.items()))) + b"\n")
    print(f"{path.name}: {counts.total()} hands of {len(counts)} values")  # noqa: T201


if __name__ == "__main__":
    main()
