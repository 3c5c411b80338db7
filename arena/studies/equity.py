"""``python -m arena.studies.equity [--hands N]``: counts what hands between equals are worth, for the table of arena.stats.equity.

Two-Way plays itself inline: it knocks early and late, as most good bots do somewhere between the quick and the patient.
"""

import argparse
from collections import Counter

from msgspec import json

from arena.stats import equity
from arena.studies import table
from arena.studies.table import Policy


def main() -> None:
    """Play, count, and write the counts."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--hands", type=int, default=4000)
    bot = Policy("two-way").made()
    counts = Counter(played.points for played in table.hands((bot, bot), "equity", 0, asked.parse_args().hands))
    path = table.here(f"equity_{equity.VERSION}.json")
    path.write_bytes(json.encode(dict(sorted(counts.items()))) + b"\n")
    print(f"{path.name}: {counts.total()} hands of {len(counts)} values")  # noqa: T201


if __name__ == "__main__":
    main()
