"""What bots have learned, between a director and a worker: it is what the record says, or it is not taken."""

import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.confinement.state_files import StateEntry
from arena.errors import StoreError, WorkerLostError
from arena.extras.cluster.call_queue import PoolCall
from arena.extras.cluster.carried_states import CarriedStates, keep_states, left_states, load_states
from arena.gin.rules import Rules
from arena.limits import FaultCosts, LineLimits, TimeLimits
from arena.players.kept_states import EMPTY_DIGEST, KeptStates
from arena.players.sandboxes import NoSandbox
from arena.players.state import UnfitStateError, digest, pack
from arena.records import Fixture, MatchRecord, Usage
from arena.referee.job import Job, JobStates, SeatState, play
from arena.roster.entrant import Launch, StateLimits
from arena.roster.finder import find
from arena.tournament.worker_pool import outcome

pytest.importorskip("distributed", reason="the extra dask is not installed")
from arena.extras.cluster import member
from arena.extras.cluster.dask_task import WorkerAnswer
from arena.extras.cluster.member import Member, Shipments
from arena.extras.cluster.sent_calls import PlayedCall, play_call

LIMITS = StateLimits(size_mb=1, files=2)
LAUNCH = Launch(command=("bot",), folder="/bot", state=LIMITS)
FIXTURE = Fixture("a:b/0/0", ("a", "b"), "a:b/0")
KNOWN = pack([StateEntry("known", b"before")])
LEARNED = pack([StateEntry("known", b"after")])


@pytest.fixture
def files(tmp_path: Path) -> KeptStates:
    return KeptStates(tmp_path / "states", LIMITS)


@pytest.fixture
def job(files: KeptStates) -> Job:
    seats = SeatState(start=files.keep(KNOWN), kept=True), SeatState()
    return Job(
        fixture=FIXTURE,
        launches=(LAUNCH, LAUNCH),
        rules=Rules(),
        sandbox=NoSandbox(),
        time=TimeLimits(),
        lines=LineLimits(),
        faults=FaultCosts(),
        seed="5" * 64,
        states=JobStates(files=files, seats=seats),
    )


def record(*states: str | None) -> MatchRecord:
    zero, one = states
    none = Usage()
    played = MatchRecord(fixture=FIXTURE, winner=0, hands=(), games=(), faults=(), forfeit=None, usage=(none, none))
    return replace(played, states=(zero, one))


def test_a_job_begins_with_its_states_and_brings_back_what_is_left(job: Job) -> None:
    there = load_states((job,))
    states = there[0].states.files
    assert [states.state(seat.start) for seat in there[0].states.seats] == [KNOWN, pack([])]
    assert states.keep(LEARNED) == digest(LEARNED)
    assert left_states(there) == (LEARNED,)


def test_a_state_that_was_not_sent_is_named() -> None:
    with pytest.raises(StoreError, match="the state of a bot with the digest 000000000000 was not sent"):
        CarriedStates([]).state("0" * 64)


def test_what_a_record_names_is_kept(job: Job, files: KeptStates) -> None:
    keep_states(job, record(digest(LEARNED), None), [LEARNED])
    assert files.state(digest(LEARNED)) == LEARNED


def test_nothing_is_kept_of_which_the_record_says_nothing(job: Job, files: KeptStates) -> None:
    keep_states(job, record(None, None), [LEARNED])
    with pytest.raises(StoreError):
        files.state(digest(LEARNED))


LARGE = pack([StateEntry(name, b"") for name in "abc"])
NOT_UTF_8 = KNOWN.replace(b"known", b"\xff" * 5)


@pytest.mark.parametrize(
    ("named", "sent", "message"),
    [
        ((digest(LEARNED), None), KNOWN, "another state than its record names"),
        ((EMPTY_DIGEST, None), LEARNED, "another state than its record names"),
        ((None, digest(LEARNED)), LEARNED, "a state that is not to be kept"),
        ((digest(LARGE), None), LARGE, "more than 2 files and folders"),
        ((digest(b"what"), None), b"what", "not a state"),
        ((digest(NOT_UTF_8), None), NOT_UTF_8, "not a state"),
    ],
)
def test_another_state_than_the_record_says_is_not_taken(
    job: Job, files: KeptStates, named: tuple[str | None, str | None], sent: bytes, message: str
) -> None:
    with pytest.raises(UnfitStateError, match=message):
        keep_states(job, record(*named), [sent])
    with pytest.raises(StoreError):
        files.state(digest(sent)) if sent != KNOWN else files.state(digest(LEARNED))


class LyingWorker(Executor):
    """Answers every job with the same record and the same states; all else it answers as a worker does."""

    def __init__(self, played: PlayedCall) -> None:
        self._played = played

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        asked, _, _ = pickle.loads(args[1])  # noqa: S301 - our own bytes
        lies = {play_call: self._played, member.in_cache: False}
        future = Future[Any]()
        future.set_result(WorkerAnswer("me", pickle.dumps((True, lies[asked])) if asked in lies else outcome(args[1])))
        return future


@pytest.mark.parametrize(
    ("answered", "message"),
    [
        (record(digest(KNOWN), None), "tcp://there: answered with another state than its record names"),
        (
            replace(record(None, None), fixture=replace(FIXTURE, id="b:a/0/0")),
            "answered with the record of another match",
        ),
    ],
)
def test_a_worker_that_lies_of_a_match_has_not_played_it(job: Job, answered: MatchRecord, message: str) -> None:
    launch = replace(find("greedy").launch, state=LIMITS)
    liar = LyingWorker(PlayedCall(answered, (), (LEARNED,)))
    with pytest.raises(WorkerLostError, match=message):
        Member("tcp://there", 1, liar, Shipments()).play(PoolCall(play, replace(job, launches=(launch, launch))))


def test_a_state_that_the_director_cannot_store_is_not_the_fault_of_the_worker(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: KeptStates, __: bytes) -> str:
        raise StoreError("/states: cannot be written: No space left on device")

    monkeypatch.setattr(KeptStates, "keep", full)
    launch = replace(find("greedy").launch, state=LIMITS)
    honest = LyingWorker(PlayedCall(record(digest(LEARNED), None), (), (LEARNED,)))
    with pytest.raises(StoreError, match="No space left"):
        Member("tcp://there", 1, honest, Shipments()).play(PoolCall(play, replace(job, launches=(launch, launch))))


def test_no_state_is_taken_where_bots_learn_nothing(job: Job) -> None:
    with pytest.raises(UnfitStateError, match="a state that is not to be kept"):
        keep_states(replace(job, states=None), record(digest(LEARNED), None), [LEARNED])
