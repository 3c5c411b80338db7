"""Executors: the same fixtures give the same records in any process."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor as Pool
from functools import partial
from itertools import chain
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from support.matches.records import untimed
from support.processes.marked import left
from support.processes.waiting import until

from arena.errors import WorkerLostError
from arena.plugins import manager
from arena.records import MatchRecord, result
from arena.referee import job
from arena.roster.entrant import Entrant
from arena.roster.finder import find
from arena.tournament import plan, spec, worker_pool
from arena.tournament.director import conduct
from arena.tournament.executors import Executor, Serial
from arena.tournament.local import Local
from arena.tournament.order import goes_first, out_of_order

KINDS = manager.kinds(manager.load(entry_points=False))
MARK = f"arena-test-of-executors-{os.getpid()}"  # unique, because the same tests may run in parallel
SPEC = """
bots: [greedy, cautious, {bot: greedy, name: third}]
rules: {target: 30, best_of: 1}
sandbox: none
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="orphans are read from Linux's /proc")


@pytest.fixture(autouse=True)
def _forks() -> Iterator[None]:
    before = multiprocessing.get_start_method()
    multiprocessing.set_start_method("fork", force=True)
    yield
    multiprocessing.set_start_method(before, force=True)


def nothing() -> None:
    """Prepare nothing."""


def entrant(bot: str, name: str | None) -> Entrant:
    found = find(bot, name)
    return replace(found, launch=replace(found.launch, environment=(*found.launch.environment, ("MARK", MARK))))


def play_all(executor: Executor, count: int = 2) -> dict[str, MatchRecord]:
    made = plan.make(spec.parse_spec(SPEC, KINDS, "league.yaml"), "seed", entrant)
    stored: dict[str, MatchRecord] = {}
    for record in chain.from_iterable(
        conduct(made, lambda: [result(one) for one in stored.values()], lambda: executor.open(count, nothing), 2 * count)
    ):
        stored[record.fixture.id] = record
    return stored


@pytest.mark.process
def test_one_process_and_many_give_the_same_records_except_times() -> None:
    here, there = play_all(Serial()), play_all(Local())
    assert {name: untimed(record) for name, record in here.items()} == {name: untimed(record) for name, record in there.items()}
    assert len(here) == 6
    for records in (here, there):
        assert list(out_of_order((record.fixture for record in records.values()), partial(goes_first, seed="seed"))) == []
    assert left(MARK) == []


@pytest.mark.process
def test_a_killed_worker_loses_no_fixture() -> None:
    made = plan.make(spec.parse_spec(SPEC, KINDS, "league.yaml"), "seed", entrant)
    stored: dict[str, MatchRecord] = {}
    for record in chain.from_iterable(
        conduct(made, lambda: [result(one) for one in stored.values()], lambda: Local().open(2, nothing), 4)
    ):
        stored[record.fixture.id] = record
        if len(stored) == 1:
            for worker in multiprocessing.active_children():
                os.kill(worker.pid or 0, signal.SIGKILL)
    assert len(stored) == 6
    assert left(MARK) == []


LONGER = """
bots: [greedy, cautious, {bot: greedy, name: third}]
format: {pairs: 4}
rules: {target: 30, best_of: 1}
sandbox: none
"""


@pytest.mark.process
def test_repeatedly_killed_workers_lose_no_fixture() -> None:
    made = plan.make(spec.parse_spec(LONGER, KINDS, "league.yaml"), "seed", entrant)
    chance, stored = Random("kills"), dict[str, MatchRecord]()
    kills = 0
    for record in chain.from_iterable(
        conduct(made, lambda: [result(one) for one in stored.values()], lambda: Local().open(2, nothing), 4)
    ):
        stored[record.fixture.id] = record
        if len(stored) % 3 == 0:
            worker = chance.choice(multiprocessing.active_children())
            os.kill(worker.pid or 0, signal.SIGKILL)
            kills += 1
    assert kills == 8
    assert [untimed(stored[name]) for name in sorted(stored)] == [
        untimed(job.play(made.job(stored[name].fixture))) for name in sorted(stored)
    ]
    assert len(stored) == 24
    assert left(MARK) == []


def slow(seconds: float, answer: str) -> str:
    time.sleep(seconds)
    return answer


@pytest.mark.process
def test_the_end_of_a_worker_loses_only_its_own_job() -> None:
    pool = Local().open(2, nothing)
    beside = pool.submit(slow, 2.0, "beside")
    for _ in range(4):
        with pytest.raises(WorkerLostError, match="the worker ended: SIGKILL"):
            pool.submit(kill_oneself).result()
    assert pool.submit(slow, 0.0, "after").result() == "after"
    assert beside.result() == "beside"
    pool.shutdown()


def kill_oneself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def cores(here: Path, other: Path) -> set[int]:
    """Return the cores of the worker, once both jobs have begun: so each has a worker of its own."""
    here.touch()
    until(other.exists)
    return os.sched_getaffinity(0)


def cores_of_both(pool: Pool, folder: Path) -> list[set[int]]:
    folder.mkdir()
    one, two = folder / "one", folder / "two"
    return list(pool.map(cores, (one, two), (two, one)))


@pytest.mark.process
def test_workers_are_spread_over_the_cores_and_a_successor_keeps_its_core(tmp_path: Path) -> None:
    pool = Local().open(2, nothing)
    before = cores_of_both(pool, tmp_path / "before")
    for _ in range(3):
        with pytest.raises(WorkerLostError):
            pool.submit(kill_oneself).result()
    after = cores_of_both(pool, tmp_path / "after")
    pool.shutdown()
    assert sorted(map(sorted, after)) == sorted(map(sorted, before))
    assert len(set.union(*before)) == min(2, len(os.sched_getaffinity(0)))


class UnpicklableError(Exception):
    def __reduce__(self) -> str:
        raise TypeError


def raise_unpicklable() -> None:
    raise UnpicklableError("what happened")


class UnrestorableError(Exception):
    def __init__(self, what: str, count: int) -> None:
        super().__init__(f"{what} {count}")


def raise_unrestorable() -> None:
    raise UnrestorableError("what happened", 3)


def test_an_error_that_pickle_cannot_restore_arrives_with_its_traceback() -> None:
    answer = worker_pool.outcome(pickle.dumps((raise_unrestorable, (), {})))
    succeeded, error = pickle.loads(answer)  # noqa: S301 - made in this test
    assert not succeeded
    lines = [str(error), *getattr(error, "__notes__", ())]  # restored after all where a library teaches pickle to
    assert "UnrestorableError: what happened 3" in "".join(lines)


@pytest.mark.process
def test_an_error_that_cannot_be_pickled_is_raised_and_loses_no_worker() -> None:
    pool = Local().open(1, nothing)
    with pytest.raises(RuntimeError, match="what happened"):
        pool.submit(raise_unpicklable).result()
    with pytest.raises(ZeroDivisionError) as raised:
        pool.submit(divmod, 1, 0).result()
    assert "in a worker" in raised.value.__notes__[0]
    pool.shutdown()


@pytest.mark.process
def test_a_worker_that_ignores_sigterm_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(worker_pool, "PATIENCE", 0.5)
    pool = Local().open(1, ignore_sigterm)
    future = pool.submit(begin_and_sleep, tmp_path / "begun")
    until((tmp_path / "begun").exists)
    pool.shutdown(cancel_futures=True)
    assert isinstance(future.exception(), WorkerLostError)
    assert multiprocessing.active_children() == []


def begin_and_sleep(begun: Path) -> None:
    begun.touch()
    time.sleep(600)


def ignore_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


CTRL_C = """
import os, signal, sys, time
from arena.tournament.local import Local

def nothing():
    pass

if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGHUP, lambda *_: None)
    for _ in range(int(sys.argv[1])):
        pool = Local().open(4, nothing)
        for which in (signal.SIGINT, signal.SIGHUP):
            os.killpg(0, which)
        assert pool.submit(divmod, 7, 2).result() == (3, 1)
        pool.shutdown(cancel_futures=True)
"""


@pytest.mark.process
def test_workers_ignore_ctrl_c_and_a_closed_terminal_from_their_start() -> None:
    command = [sys.executable, "-c", CTRL_C, "20"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, start_new_session=True)
    assert (ended.returncode, ended.stderr) == (0, "")


KILLED = """
import os, signal
from arena.tournament.local import Local
pool = Local().open(2, int)
pool.submit(int).result()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.process
def test_workers_end_with_a_director_that_was_killed() -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, check=False, timeout=20)  # workers keep stdout open
    assert ended.returncode == -signal.SIGKILL


@pytest.mark.process
def test_a_cancelled_pool_does_not_wait_for_running_jobs(tmp_path: Path) -> None:
    pool = Local().open(2, nothing)
    begun = [tmp_path / name for name in ("one", "two")]
    for path in begun:
        pool.submit(begin_and_sleep, path)
    until(lambda: all(path.exists() for path in begun))
    workers = multiprocessing.active_children()
    pool.shutdown(cancel_futures=True)
    assert not any(worker.is_alive() for worker in workers)


def test_an_error_in_a_worker_is_raised_by_the_future() -> None:
    for executor in (Serial(), Local()):
        pool = executor.open(1, nothing)
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()
        pool.shutdown()


CANCELLED = """
import signal, sys, time
from concurrent.futures import wait
from functools import partial
from itertools import chain
from arena.runs.runner import prepare
from arena.tournament.local import Local

def nothing():
    pass

def job(load):
    return len(load)

if __name__ == "__main__":
    for _ in range(int(sys.argv[1])):
        pool = Local().open(8, partial(prepare, nothing))
        jobs = [pool.submit(job, b"x" * 100_000) for _ in range(400)]
        wait(jobs[:5])
        pool.shutdown(cancel_futures=True)
"""


@pytest.mark.process
def test_a_pool_cancelled_while_workers_take_jobs_ends_without_a_message() -> None:
    ended = subprocess.run([sys.executable, "-c", CANCELLED, "30"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
