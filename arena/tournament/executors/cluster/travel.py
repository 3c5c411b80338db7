"""What travels between director and worker: a call on its way there, and its answer with what was logged on the way back.

A call is about anything that consists of structs and tuples: a job, a leg of ``arena diff``, a hand to be reviewed. The launches in
it name paths of the director's machine. They are replaced before the call runs, and put back in its answer: a probe names the bots
that it found odd by their launches.
"""

import logging
from collections.abc import Callable
from logging.handlers import QueueHandler
from time import monotonic
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.players.traffic_log import stderr_log
from arena.referee.job import Job
from arena.referee.probing import EqualHands
from arena.roster.entrant import Launch
from arena.tournament.executors.cluster import carried
from arena.tournament.executors.cluster.bundle import Shipment, started_from
from arena.tournament.executors.cluster.cache import BotCache
from arena.tournament.executors.cluster.nested import changed

Value = Any  # of a call: a record, or what a probe found


class LogLevels(Struct, frozen=True):
    """What the director's log takes."""

    root: int
    stderr: int  # of what bots write to stderr

    @classmethod
    def here(cls) -> "LogLevels":
        """Return the levels of this process."""
        return cls(logging.getLogger().level, stderr_log.level)


class SentCall(Struct, frozen=True):
    """A call on its way to a worker."""

    work: Callable[[Any], Value]
    argument: Any
    sent: float  # monotonic seconds of the director
    pace: float  # see Job.pace
    bots: tuple[tuple[Launch, Shipment], ...]
    levels: LogLevels


class PlayedCall(Struct, frozen=True):
    """A value, and the log records of the way to it."""

    value: Value
    logged: tuple[logging.LogRecord, ...]
    states: tuple[bytes, ...]  # that bots have left


def play_call(call: SentCall) -> PlayedCall:
    """Run a call in this process, from the copies of its bots. Raises: UnfitError, CopyGoneError; whatever the call raises."""
    if not call.bots:
        return _play_with(call, {})
    cache = BotCache()
    with cache.using({digest for _, shipment in call.bots for digest in digests(shipment)}):
        return _play_with(call, {launch: started_from(launch, shipment, cache.folder) for launch, shipment in call.bots})


def digests(shipment: Shipment) -> tuple[str, ...]:
    """Return the digests of the folders that a bot needs."""
    return (shipment.digest, *(one.digest for one in shipment.environments))


def _play_with(call: SentCall, here: dict[Launch, Launch]) -> PlayedCall:
    there = {local: launch for launch, local in here.items()}
    since = monotonic() - call.sent  # a transfer is short; the clocks of two machines have nothing in common
    argument = changed(call.argument, lambda value: _arrived(value, here, since, call.pace))
    with_levels = _Collector(call.levels)
    try:
        value = call.work(argument)
    finally:
        with_levels.end()
    return PlayedCall(_returned(value, there), tuple(with_levels.records), carried.left(argument))


def _arrived(value: Struct, here: dict[Launch, Launch], since: float, pace: float) -> Struct:
    """Return a launch or a job of a call as it is on this machine; ``since``: seconds from the director's clock to this one."""
    match value:
        case Launch():
            return here[value]
        case Job():
            return replace(value, until=value.until + since, pace=pace)
    return value


def _returned(value: Value, there: dict[Launch, Launch]) -> Value:
    return replace(value, odd=tuple(there[launch] for launch in value.odd)) if isinstance(value, EqualHands) else value


class _Collector(QueueHandler):
    """Collects what this process logs, ready to be pickled."""

    def __init__(self, levels: LogLevels) -> None:
        super().__init__(None)  # type: ignore[arg-type] # there is no queue
        self.records: list[logging.LogRecord] = []
        root = logging.getLogger()
        root.setLevel(levels.root)
        stderr_log.setLevel(levels.stderr)
        root.addHandler(self)

    def enqueue(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.records.append(record)

    def end(self) -> None:
        """Collect no more."""
        logging.getLogger().removeHandler(self)
