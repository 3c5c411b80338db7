"""The transfer of bots' states: those with which a job begins, and those that its bots leave.

States are sent by value, with the call and its answer, so a worker keeps none. A worker may answer with any bytes: the director
computes their digests again, and accepts only states that the record names and that may be kept.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import StoreError
from arena.extras.cluster.call_values import find_all, map_structs
from arena.players.kept_states import EMPTY_DIGEST
from arena.players.state import EMPTY_STATE, UnfitStateError, digest, unpack
from arena.records import MatchRecord
from arena.referee.job import Job, SeatState


class CarriedStates:
    """States in memory, in place of :class:`arena.players.kept_states.KeptStates`."""

    def __init__(self, states: Iterable[bytes]) -> None:
        self._states = {EMPTY_DIGEST: EMPTY_STATE, **{digest(state): state for state in states}}
        self.left: list[bytes] = []

    def state(self, name: str) -> bytes:
        """Return the state with a digest. Raises: StoreError, if it was not sent."""
        try:
            return self._states[name]
        except KeyError:
            raise StoreError(f"the state of a bot with the digest {name[:12]} was not sent") from None

    def keep(self, state: bytes) -> str:
        """Add a state to those that were left, and return its digest."""
        self.left.append(state)
        return digest(state)


def load_states(argument: Any) -> Any:  # noqa: ANN401 - calls are generic
    """Return the argument of a call with the states that its jobs begin with. Raises: StoreError."""
    return map_structs(argument, _with_states)


def left_states(argument: object) -> tuple[bytes, ...]:
    """Return the states that the bots of a call left; ``argument`` has the states that ``load_states`` put into it."""
    found_in = (job.states.files for job in find_all(argument, Job) if job.states)
    return tuple(state for files in found_in if isinstance(files, CarriedStates) for state in files.left)


def keep_states(job: Job, record: MatchRecord, sent: Iterable[bytes]) -> None:
    """Keep those of the ``sent`` states that a record names.

    Raises: UnfitStateError, if one was not sent or may not be kept; its message says which state was found; StoreError.
    """
    known = {digest(state): state for state in sent}
    seats = job.states.seats if job.states else (SeatState(), SeatState())
    for name, seat, launch in zip(record.states, seats, job.launches, strict=True):
        if name is None:
            continue
        if not (seat.kept and job.states and launch.state):
            raise UnfitStateError("a state that is not to be kept")
        if name not in known:
            raise UnfitStateError("another state than its record names")
        unpack(known[name], launch.state)
        job.states.files.keep(known[name])


def _with_states(value: Struct) -> Struct:
    if not isinstance(value, Job) or value.states is None:
        return value
    begins = [value.states.files.state(seat.start) for seat in value.states.seats]
    return replace(value, states=replace(value.states, files=CarriedStates(begins)))
