"""Single hands between two bots, each deal from both seats, played in a folder that is removed afterwards."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from arena.errors import RunStoppedError
from arena.plugins import manager
from arena.reports.head_to_head import HeadToHead
from arena.runs import parts, plans
from arena.runs.observer import Observer
from arena.runs.play import play
from arena.runs.resolve import ResolvedBot
from arena.runs.runner import Runner
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import seeds


class BatchRequest(Struct, frozen=True, kw_only=True):
    """What is to be played."""

    hands: int
    rules: str = "tournament"
    sandbox: str | None = None  # None: the default of specs
    seed: str | None = None  # None: drawn


class BatchOutcome(Struct, frozen=True):
    """What was played, all of it or up to the moment when the user stopped it."""

    score: HeadToHead
    stopped: bool


def played(field: Sequence[ResolvedBot], batch: BatchRequest, observer: Observer) -> BatchOutcome:
    """Play a batch of hands on all cores. Raises: InputError, RosterError, SandboxError, WorkerLostError."""
    runner = Runner(manager.load())
    seed = batch.seed or secrets.token_hex(seeds.SAFE_LENGTH // 2)  # shorter to type again than the seed of a run
    values = {
        "title": f"Match of {field[0].name} and {field[1].name}",
        "rules": parts.ruleset(batch.rules, stock="two-ended"),
        "format": {"name": "batches", "hands": batch.hands},
        "sandbox": parts.sandbox(batch.sandbox, [bot.entrant.launch for bot in field]),
        "reports": [],
    }
    plan = plans.from_values(values, field, seed)
    with TemporaryDirectory() as scratch:
        folder = Folder(Path(scratch) / "match")
        stopped = False
        try:
            play(plan, folder, runner, observer, lambda _: None, log_level=None)
        except RunStoppedError:
            stopped = True
        return BatchOutcome(_score(folder, plan.names, seed), stopped)


def _score(folder: Folder, names: tuple[str, ...], seed: str) -> HeadToHead:
    if not folder.database.is_file():  # stopped before it began
        return HeadToHead(names, seed, ())
    with Store(folder.database) as store:
        return HeadToHead(names, seed, tuple(store.records()))
