"""Single hands between two bots, each deal from both seats, played in a folder that is removed afterwards."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.compare.dueling import PlayConditions, model_plays
from arena.errors import BotUnavailableError, RunStoppedError
from arena.reports.head_to_head import HeadToHead
from arena.runs.chosen import ResolvedBot
from arena.runs.play import Observer, play_run
from arena.runs.runner import Runner
from arena.runs.starts import RunStart
from arena.stats.margin import LEAST_BLOCKS
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import seeds
from arena.tournament.formats.tested import LEG


class BatchRequest(PlayConditions, frozen=True, kw_only=True):
    """The number of hands to play, and the conditions."""

    hands: int
    seed: str | None = None  # None: drawn


def play_batch(field: Sequence[ResolvedBot], batch: BatchRequest, runner: Runner, observer: Observer) -> tuple[HeadToHead, bool]:
    """Play a batch of hands; return their score, and whether the user stopped it before all were played.

    Raises: InputError, RosterError, SandboxError, WorkerLostError.
    """
    seed = batch.seed or secrets.token_hex(seeds.SAFE_LENGTH // 2)  # shorter to type again than the seed of a run
    leg = max(1, min(LEG, batch.hands // 2 // LEAST_BLOCKS))  # short, because a pair of legs is one observation
    form = {"name": "batches", "hands": batch.hands, "leg": leg}
    plan = batch.plan(f"Match of {field[0].name} and {field[1].name}", form, field, seed)
    with TemporaryDirectory() as scratch:
        folder = Folder(Path(scratch) / "match")
        stopped = False
        try:
            play_run(RunStart(plan=plan, folder=folder), runner, observer, lambda _: None, log_level=None)
        except RunStoppedError:
            stopped = True
        except BotUnavailableError as error:
            raise (error.__cause__ or error) from None  # without what is stored: it is removed
        return _score(folder, plan.names, seed), stopped


def _score(folder: Folder, names: tuple[str, ...], seed: str) -> HeadToHead:
    if not folder.database.is_file():  # stopped before it began
        return HeadToHead(names, seed, ())
    with Store(folder.database) as store:
        return HeadToHead(names, seed, tuple(store.records()), model_plays(store))
