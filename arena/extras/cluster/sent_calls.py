"""What travels between director and worker: a call on its way there, and its answer with what was logged on the way back.

The launches in the argument of a call name paths of the director's machine, and are replaced before the call runs.
"""

import logging
import pickle
from collections.abc import Callable, Mapping
from logging.handlers import QueueHandler
from time import monotonic
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.extras.cluster.bot_cache import BotCache
from arena.extras.cluster.call_values import map_structs
from arena.extras.cluster.carried_states import left_states
from arena.extras.cluster.files import Shipment, local_launch
from arena.players.traffic_log import stderr_log
from arena.referee.job import Job
from arena.roster.entrant import Launch


def call_of(work: object, *arguments: object) -> bytes:
    """Return a call as it is sent; ``work``: a function that can be imported."""
    return pickle.dumps((work, arguments, {}))


Value = Any  # of a call: a record, or the review of a hand


def log_levels() -> dict[str, int]:
    """Return the levels of this process's logs, by name; the root's has the name ``root``."""
    return {logger.name: logger.level for logger in (logging.getLogger(), stderr_log)}


class SentCall(Struct, frozen=True):
    """A call on its way to a worker."""

    work: Callable[[Any], Value]
    argument: Any
    sent: float  # monotonic seconds of the director
    pace: float  # see Job.pace
    bots: tuple[tuple[Launch, Shipment], ...]
    levels: dict[str, int]  # of the director's logs


class PlayedCall(Struct, frozen=True):
    """The value of a call, with the log records and bots' states that it left."""

    value: Value
    logged: tuple[logging.LogRecord, ...]
    states: tuple[bytes, ...]  # that bots have left


def play_call(call: SentCall) -> PlayedCall:
    """Run a call in this process, from the copies of its bots.

    Raises: UnfitError, CopyGoneError, StoreError; what the call raises, and then what was logged is lost.
    """
    if not call.bots:
        return _play_with(call, {})
    cache = BotCache()
    with cache.using({digest for _, shipment in call.bots for digest in shipment.digests}):
        return _play_with(call, {launch: local_launch(launch, shipment, cache.folder) for launch, shipment in call.bots})


def _play_with(call: SentCall, here: dict[Launch, Launch]) -> PlayedCall:
    ahead = monotonic() - call.sent  # of this clock; the transfer takes little time
    argument = map_structs(call.argument, lambda value: _localize(value, here, ahead, call.pace))
    collector = _Collector(call.levels)
    try:
        value = call.work(argument)
    finally:
        collector.end()
    return PlayedCall(value, tuple(collector.records), left_states(argument))


def _localize(value: Struct, here: dict[Launch, Launch], ahead: float, pace: float) -> Struct:
    """Return a launch or a job of a call as it is on this machine; ``ahead``: of the director's clock, in seconds."""
    match value:
        case Launch():
            return here[value]
        case Job():
            return replace(value, until=value.until + ahead, pace=pace)
    return value


class _Collector(QueueHandler):
    """Collects what this process logs, ready to be pickled."""

    def __init__(self, levels: Mapping[str, int]) -> None:
        super().__init__(None)  # type: ignore[arg-type] # there is no queue
        self.records: list[logging.LogRecord] = []
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        logging.getLogger().addHandler(self)

    def enqueue(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.records.append(record)

    def end(self) -> None:
        """Collect no more."""
        logging.getLogger().removeHandler(self)
