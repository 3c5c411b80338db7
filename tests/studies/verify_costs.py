"""``python tests/studies/verify_costs.py RUN_DIR``: processor seconds of each step of ``arena verify``, one after the other."""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from msgspec import msgpack

from arena.plugins.manager import installed_kinds
from arena.results.judging import judge, portions
from arena.runs.stored_kinds import stored_run
from arena.store.folder import existing
from arena.store.store import Store

Value = TypeVar("Value")


def timed(name: str, step: Callable[[], Value]) -> Value:
    """Print what a step takes, and return its value."""
    start = time.process_time()
    value = step()
    sys.stdout.write(f"{time.process_time() - start:7.2f} s  {name}\n")
    return value


def measure(run: Path) -> None:
    """Print the steps, of which only the last is done by workers."""
    folder = existing(run)
    with Store(folder.database) as store:
        stored = stored_run(folder, store, installed_kinds())
        judging = partial(judge, rules=stored.spec.rules, costs=stored.spec.faults)
        timed("check the file", lambda: list(store.problems()))
        timed("read the records", lambda: sum(1 for _ in store.records()))
        timed("check the links", lambda: sum(1 for _ in store.check_records()))
        timed("read the results", store.results)
        found = list(portions(store, stored.seed_of))
        encoded = timed("encode the records", lambda: [msgpack.encode(portion) for portion in found])
        timed("decode and judge them", lambda: [judging(portion) for portion in encoded])


if __name__ == "__main__":
    measure(Path(sys.argv[1]))
