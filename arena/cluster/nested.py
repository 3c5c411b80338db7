"""Values inside the argument of a call, which consists of structs and tuples: a job, a probe of many, a hand to be reviewed."""

from collections.abc import Callable, Iterable, Iterator
from operator import is_
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import StoreError
from arena.players.state import EMPTY_DIGEST, EMPTY_STATE, UnfitStateError, digest, unpack
from arena.records import MatchRecord
from arena.referee.job import Job, SeatState

Kind = TypeVar("Kind")


def find_all(argument: object, kind: type[Kind]) -> Iterator[Kind]:
    """Yield what is of a kind in an argument."""
    if isinstance(argument, kind):
        yield argument
    for part in _parts(argument):
        yield from find_all(part, kind)


def map_structs(argument: Any, change: Callable[[Struct], Struct]) -> Any:  # noqa: ANN401 - calls are generic
    """Return an argument with what ``change`` returns in place of each struct, the innermost first."""
    if type(argument) is tuple:
        parts = tuple(map_structs(part, change) for part in argument)
        return argument if all(map(is_, parts, argument)) else parts
    if not isinstance(argument, Struct):
        return argument
    fields = {
        name: (part, map_structs(part, change)) for name, part in zip(argument.__struct_fields__, _parts(argument), strict=True)
    }
    others = {name: after for name, (before, after) in fields.items() if after is not before}
    return change(replace(argument, **others) if others else argument)


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, Struct):
        return [getattr(value, name) for name in value.__struct_fields__]
    return value if isinstance(value, tuple) else ()


# What bots have learned, on its way: the states with which a job begins, and those that its bots leave.
#
# States travel by value, with the call and with its answer, so a worker keeps none. It could send any: the director computes their
# digests again, and takes only those that the record names and that may be kept.


class CarriedStates:
    """States in memory, in place of :class:`arena.players.state.KeptStates`."""

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


def load_states(argument: Any) -> Any:  # noqa: ANN401 - calls are generic
    """Return the argument of a call with the states that its jobs begin with. Raises: StoreError."""
    return map_structs(argument, _with_states)


def take_states(argument: object) -> tuple[bytes, ...]:
    """Return the states that were left in the jobs of a call which was loaded."""
    found_in = (job.states.files for job in find_all(argument, Job) if job.states)
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
        unpack(known[name], launch.state)
        job.states.files.keep(known[name])


def _with_states(value: Struct) -> Struct:
    if not isinstance(value, Job) or value.states is None:
        return value
    begins = [value.states.files.state(seat.start) for seat in value.states.seats]
    return replace(value, states=replace(value.states, files=CarriedStates(begins)))
