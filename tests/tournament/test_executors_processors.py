"""How busy other programs keep the cores, and on which cores workers play."""

import os
import sys
from pathlib import Path

import pytest

from arena.tournament import core_use, local
from arena.tournament.core_use import CoreCounts, idlest, used_by_others
from arena.tournament.executors import Serial
from arena.tournament.local import Local

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it needs Linux's counters")


def nothing() -> None:
    """Prepare nothing."""


def my_cores() -> set[int]:
    return os.sched_getaffinity(0)


def test_what_this_process_uses_is_not_the_use_of_others() -> None:
    before = CoreCounts(at=10.0, own=1.0, busy={0: 5.0, 1: 7.0})
    after = CoreCounts(at=12.0, own=2.5, busy={0: 6.5, 1: 8.0})

    assert used_by_others(before, after) == pytest.approx(0.5)


def test_others_never_use_less_than_nothing() -> None:
    before = CoreCounts(at=10.0, own=1.0, busy={0: 5.0})

    assert used_by_others(before, CoreCounts(at=11.0, own=3.0, busy={0: 5.5})) == 0
    assert used_by_others(before, before) == 0


def test_the_least_busy_cores_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_use, "cores", lambda: (0, 1, 2))
    before = CoreCounts(at=10.0, own=0.0, busy={0: 5.0, 1: 7.0, 2: 1.0})
    after = CoreCounts(at=10.1, own=0.0, busy={0: 5.1, 1: 7.0, 2: 1.05})

    assert idlest(before, after) == [1, 2, 0]


def test_idle_and_waiting_time_is_not_busy() -> None:
    lines = ["cpu  9 9 9 9 9 9 9 9 0 0", "cpu0 100 10 20 5000 700 1 2 3 0 0", "cpu1 1 1 1 1 1 1 1 1 0 0", "intr 5"]

    assert dict(core_use.busy_seconds(lines, frozenset({0}))) == {0: pytest.approx(136 * core_use.TICK)}


def test_the_counters_of_this_machine_are_read() -> None:
    counts = core_use.count()

    assert set(counts.busy) == my_cores()
    assert Path("/proc/stat").exists()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="it needs two cores")
def test_workers_for_which_there_are_cores_have_one_each() -> None:
    with Local().open(len(my_cores()), nothing) as pool:
        chosen = [pool.submit(my_cores) for _ in range(40)]
        places = {frozenset(one.result()) for one in chosen}

    assert all(len(cores) == 1 for cores in places)


def test_more_workers_than_cores_are_not_pinned() -> None:
    with Local().open(len(my_cores()) + 1, nothing) as pool:
        assert pool.submit(my_cores).result() == my_cores()


def test_fewer_workers_than_cores_take_the_least_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "cores", lambda: (0, 1, 2))
    monkeypatch.setattr(local, "idlest", lambda *_: [2, 0, 1])

    assert local.cores_for(2) == [2, 0]
    assert local.cores_for(3) == [0, 1, 2]
    assert local.cores_for(4) == []


def test_the_serial_executor_has_one_worker() -> None:
    assert Serial().workers(5, 4) == 1
    assert Local().workers(None, 4) == 4
    assert Local().workers(5, 4) == 5
