"""What bots have learned, on its way: the states with which a job begins, and those that its bots leave.

States travel by value, with the call and with its answer, so a worker keeps none. It could send any: the director computes their
digests again, and takes only those that the record names and that may be kept.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import StoreError
from arena.players.learned_state import EMPTY_DIGEST, EMPTY_STATE, UnfitStateError, digest, unpacked
from arena.records import MatchRecord
from arena.referee.job import Job, SeatState
from arena.tournament.executors.cluster.nested import changed, found


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
        """Take a state along and return its digest."""
        self.left.append(state)
        return digest(state)


def loaded(argument: Any) -> Any:  # noqa: ANN401 - calls are generic
    """Return the argument of a call with the states that its jobs begin with. Raises: StoreError."""
    return changed(argument, _with_states)


def left(argument: object) -> tuple[bytes, ...]:
    """Return the states that were left in the jobs of a call which was loaded."""
    found_in = (job.states.files for job in found(argument, Job) if job.states)
    return tuple(state for files in found_in if isinstance(files, CarriedStates) for state in files.left)


def take(job: Job, record: MatchRecord, sent: Iterable[bytes]) -> None:
    """Keep the states that a record names. Raises: UnfitStateError, for one that was not sent or may not be kept; StoreError."""
    known = {digest(state): state for state in sent}
    seats = job.states.seats if job.states else (SeatState(), SeatState())
    for name, seat, launch in zip(record.states, seats, job.launches, strict=True):
        if name is None:
            continue
        if not (seat.kept and job.states and launch.state):
            raise UnfitStateError("a state that is not to be kept")
        if name not in known:
            raise UnfitStateError("another state than its record names")
        unpacked(known[name], launch.state)
        job.states.files.keep(known[name])


def _with_states(value: Struct) -> Struct:
    if not isinstance(value, Job) or value.states is None:
        return value
    begins = [value.states.files.state(seat.start) for seat in value.states.seats]
    return replace(value, states=replace(value.states, files=CarriedStates(begins)))
