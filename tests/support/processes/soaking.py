"""Many short fixtures in one process tree, which is watched.

``PYTHONPATH=tests python -m support.processes.soaking FIXTURES FOLDER SANDBOX`` plays batches of one hand between two bots that
hardly think, by two workers, logged and stored as in ``arena run``. It prints a line of JSON for each twentieth of the fixtures,
taken while no fixture is in play.
"""

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from support.bots.programs import playing

from arena.confinement.profiles import Sandbox
from arena.players.sandboxes import NoSandbox, StandardSandbox
from arena.plugins import manager
from arena.records import Fixture, Result
from arena.roster.entrant import Entrant
from arena.runs.logs import logging_to
from arena.runs.runner import prepare
from arena.store.store import Store
from arena.tournament import plan, spec
from arena.tournament.director import conduct
from arena.tournament.formats.base import Format
from arena.tournament.local import Local

WORKERS = 2
ROUNDS = 20
SPEC = "bots: [one, two]\nrules: {target: 30, best_of: 1}\n"
SANDBOXES: dict[str, Sandbox] = {"none": NoSandbox(), "standard": StandardSandbox()}


class Singles(Format, frozen=True, tag="singles"):
    """So many batches of one hand, a round at a time."""

    fixtures_in_all: int

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterator[Fixture]:
        """Yield the next round."""
        end = min(len(played) + -(-self.fixtures_in_all // ROUNDS), self.fixtures_in_all)
        for number in range(len(played), end):
            yield Fixture(
                f"one:two/{number // 2}/{number % 2}", ("one", "two") if number % 2 else ("two", "one"), str(number // 2), 1
            )


def soak(fixtures: int, folder: Path, sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    """Yield what the process tree holds, before the first round and after each."""
    found = {name: _entrant(name, folder) for name in ("one", "two")}
    read = spec.parse_spec(SPEC, manager.kinds(manager.load(entry_points=False)), "soak.yaml")
    changed = replace(read, format=Singles(fixtures_in_all=fixtures), sandbox=sandbox)
    planned = plan.make(changed, "soak", lambda bot, _: found[bot])
    # The format asks for no more than how many there are.
    message = [Result(fixture=Fixture("", ("", ""), ""), winner=None, games=(0, 0), points=(0, 0), hands=1)]
    count, start = 0, time.monotonic()
    samples: list[dict[str, Any]] = []

    def played() -> Sequence[Result]:
        samples.append({"fixtures": count, "seconds": round(time.monotonic() - start, 1), **_held()})
        return message * count

    with Store(folder / "arena.sqlite", write=True) as store, logging_to(folder / "arena.log", "INFO") as log:
        for record in chain.from_iterable(
            conduct(planned, played, lambda: Local().open(WORKERS, partial(prepare, log)), 2 * WORKERS)
        ):
            assert not record.faults, record.faults
            store.add(record)
            count += 1
            if samples:
                yield samples.pop()
        yield from samples


def _entrant(name: str, folder: Path) -> Entrant:
    own = folder / f"bot-{name}"
    own.mkdir(0o755)
    launch = replace(playing(), folder=str(own))
    return Entrant(name=name, version="1", source=name, digest="0" * 64, launch=launch)


def _held() -> dict[str, int]:
    """Return what this process and all that descend from it hold."""
    tree = [os.getpid(), *_descendants(os.getpid())]
    kilobytes = [_anonymous(pid) for pid in tree]
    return {
        "director_kb": kilobytes[0],
        "workers_kb": sum(kilobytes[1:]),
        "descriptors": sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in tree),
        "threads": sum(len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in tree),
        "processes": len(tree),
    }


def _descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from _descendants(int(child))


def _anonymous(pid: int) -> int:
    """Return kilobytes in memory that are no file's; a fork's count whether it has come to write to them or not.

    Source: proc(5), smaps_rollup.
    """
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))


if __name__ == "__main__":
    for sample in soak(int(sys.argv[1]), Path(sys.argv[2]), SANDBOXES[sys.argv[3]]):
        sys.stdout.write(json.dumps(sample) + "\n")
        sys.stdout.flush()
