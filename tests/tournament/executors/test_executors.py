"""Where fixtures are played makes no difference to what is played."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import wait

import pytest
from match_records import untimed
from msgspec.structs import replace
from programs import left

from arena.plugins import manager
from arena.records import MatchRecord, result
from arena.roster.entrant import Entrant
from arena.roster.finder import find
from arena.tournament import plan, spec
from arena.tournament.director import conduct
from arena.tournament.executors.base import Executor
from arena.tournament.executors.local import Local
from arena.tournament.executors.serial import Serial

KINDS = manager.kinds(manager.load(entry_points=False))
MARK = f"arena-test-of-executors-{os.getpid()}"  # others may run the same tests
SPEC = """
bots: [greedy, cautious, {bot: greedy, name: third}]
rules: {target: 30, best_of: 1}
sandbox: none
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="leftovers are read from Linux's /proc")


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


def conducted(executor: Executor, workers: int = 2) -> dict[str, MatchRecord]:
    made = plan.make(spec.parse(SPEC, KINDS, "league.yaml"), "seed", entrant)
    filed: dict[str, MatchRecord] = {}
    for record in conduct(
        made, lambda: [result(one) for one in filed.values()], lambda: executor.open(workers, nothing), 2 * workers
    ):
        filed[record.fixture.id] = record
    return filed


def test_one_process_and_many_give_the_same_records_but_for_times() -> None:
    here, there = conducted(Serial()), conducted(Local())
    assert {name: untimed(record) for name, record in here.items()} == {name: untimed(record) for name, record in there.items()}
    assert len(here) == 6
    assert left(MARK) == []


def test_a_worker_that_is_killed_costs_no_fixture() -> None:
    made = plan.make(spec.parse(SPEC, KINDS, "league.yaml"), "seed", entrant)
    filed: dict[str, MatchRecord] = {}
    for record in conduct(made, lambda: [result(one) for one in filed.values()], lambda: Local().open(2, nothing), 4):
        filed[record.fixture.id] = record
        if len(filed) == 1:
            for worker in multiprocessing.active_children():
                os.kill(worker.pid or 0, signal.SIGKILL)
    assert len(filed) == 6
    assert left(MARK) == []


def test_a_pool_that_is_broken_off_does_not_wait_for_what_is_played() -> None:
    pool = Local().open(2, nothing)
    futures = [pool.submit(time.sleep, 60) for _ in range(2)]
    wait(futures, timeout=0.3)
    workers = multiprocessing.active_children()
    pool.shutdown(cancel_futures=True)
    assert not any(worker.is_alive() for worker in workers)


def test_what_is_raised_in_a_worker_is_raised_where_the_result_is_asked_for() -> None:
    for executor in (Serial(), Local()):
        pool = executor.open(1, nothing)
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()
        pool.shutdown()


BROKEN_OFF = """
import signal, sys, time
from concurrent.futures import wait
from functools import partial
from arena.cli.worker import prepare
from arena.tournament.executors.local import Local

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


def test_a_pool_broken_off_while_its_workers_take_jobs_ends_and_says_nothing_of_it() -> None:
    ended = subprocess.run([sys.executable, "-c", BROKEN_OFF, "30"], capture_output=True, text=True, timeout=55, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
