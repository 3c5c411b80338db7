"""The bounds on idle and lost time are valid however threads run, wait and sleep."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.players.contention import ProcessClock, ThreadCounts, ThreadTimes, WaitBounds, between

RUNS, WAITS, SLEEPS = "runs", "waits", "sleeps"
Moment = tuple[str, ...]  # what the reader and then each thread of the bot does in one second
moments = st.integers(2, 6).flatmap(
    lambda threads: st.lists(st.tuples(*[st.sampled_from((RUNS, WAITS, SLEEPS))] * threads), min_size=1, max_size=40)
)


def bounds(seconds: Sequence[Moment]) -> WaitBounds:
    """Return the bounds computed from the kernel's counts, one second for each moment."""
    counts = [ThreadTimes(float(states.count(RUNS)), float(states.count(WAITS))) for states in zip(*seconds, strict=True)]
    reader, *threads = counts
    zero = ThreadCounts(0.0, 0.0, ThreadTimes(), {})
    ran = sum(thread.ran for thread in threads)
    return between(zero, ThreadCounts(float(len(seconds)), ran, reader, {str(number): one for number, one in enumerate(threads)}))


def true_bounds(seconds: Sequence[Moment]) -> WaitBounds:
    idle = sum(set(states) == {SLEEPS} for states in seconds)
    lost = sum(WAITS in states and RUNS not in states for states in seconds)
    return WaitBounds(float(idle), float(lost))


@pytest.mark.process
@given(moments)
def test_neither_bound_exceeds_the_true_time(seconds: list[Moment]) -> None:
    found, true = bounds(seconds), true_bounds(seconds)
    assert found.idle <= true.idle
    assert found.lost <= true.lost


@given(st.lists(st.tuples(st.just(SLEEPS), st.sampled_from((RUNS, WAITS, SLEEPS))), min_size=1, max_size=40))
def test_both_bounds_are_exact_for_one_thread_and_a_sleeping_reader(seconds: Sequence[Moment]) -> None:
    assert bounds(seconds) == true_bounds(seconds)


def test_threads_that_wait_for_each_other_lose_no_time() -> None:
    """Fifteen threads on one core: each waits fourteen seconds while the others run, 210 seconds in total."""
    seconds = [(SLEEPS, *(RUNS if thread == second else WAITS for thread in range(15))) for second in range(15)]
    assert bounds(seconds).lost == 0


def test_a_bot_that_waits_for_the_reader_loses_no_time() -> None:
    seconds = [(RUNS, WAITS) if second % 10 else (SLEEPS, RUNS) for second in range(100)]
    assert bounds(seconds).lost == 0


def test_the_end_of_a_thread_does_not_count_as_idle_time() -> None:
    worked = ThreadCounts(0.0, 5.0, ThreadTimes(), {"1": ThreadTimes(1.0, 0.0), "2": ThreadTimes(4.0, 7.0)})
    after = ThreadCounts(3.0, 6.0, ThreadTimes(), {"1": ThreadTimes(2.0, 2.0)})
    assert between(worked, after) == WaitBounds(idle=0.0, lost=2.0)


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="waits are read from Linux's /proc")
def test_a_sleeping_process_is_idle_all_the_time() -> None:
    with subprocess.Popen(["/bin/sleep", "60"], stdin=subprocess.DEVNULL) as sleeper:
        contention = ProcessClock(sleeper.pid).contention()
        time.sleep(1.2)
        first = contention.bounds()
        time.sleep(0.1)
        found = contention.bounds()
        sleeper.kill()
    assert first.idle < found.idle <= 1.6 + os.getloadavg()[0]
    assert found.lost < 0.5
