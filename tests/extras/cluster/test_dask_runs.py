"""``--executor dask`` as a user runs it: whatever is killed, the run ends as one that was played on this machine."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from support.commands.calls import arena, command
from support.commands.runs import league, matches_stored
from support.records.endings import same_end

pytest.importorskip("distributed", reason="the extra dask is not installed")
from support.servers.clusters import Cluster, cluster, kill
from support.sizes import mostly_nightly

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(sys.platform != "linux", reason="a worker's players are ended as Linux does it"),
]

SEED = "a seed for runs on a cluster"
REPORTS = "reports: [console, markdown, json, csv, html]"

Hit = Callable[[subprocess.Popen[bytes]], None]


@pytest.fixture
def two_workers(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path / "cluster", workers=2) as two:
        yield two


def play(spec: Path, folder: Path, executor: str, hit: Hit, every: int) -> None:
    """Play a run to its end, resuming it if it is killed; ``hit`` is called with its process after each ``every`` matches."""
    code: int | None = -signal.SIGKILL
    before = 0
    while code == -signal.SIGKILL:
        with subprocess.Popen(command("run", spec, "--results", folder, "--seed", SEED, "-q", "--executor", executor)) as director:
            while (code := ended(director, 0.05)) is None:
                if (now := matches_stored(folder)) >= before + every:
                    before = now
                    hit(director)
    assert code == 0


def ended(process: subprocess.Popen[bytes], within: float) -> int | None:
    try:
        return process.wait(within)
    except subprocess.TimeoutExpired:
        return None


@pytest.mark.parametrize("played", mostly_nightly(["a round robin", "a duel"], "a round robin"))
def test_a_run_whose_workers_are_killed_ends_as_on_one_machine(tmp_path: Path, two_workers: Cluster, played: str) -> None:
    duel = ["format: {name: duel, leg: 3, hands: 90, bounds: [0.0, 20.0]}", "rules: {stock: two-ended}"]
    spec = league(tmp_path, *(duel if played == "a duel" else ["format: {pairs: 30}"]), REPORTS)
    workers = [two_workers.start_worker()]
    hits: list[int] = []

    def replace_worker(_: object) -> None:
        kill(workers.pop(0))
        workers.append(two_workers.start_worker())
        hits.append(1)

    assert arena("run", spec, "--results", tmp_path / "here", "--seed", SEED, "--executor", "serial").returncode == 0
    for number in count():  # a run may end before a worker was killed
        play(spec, tmp_path / f"there-{number}", two_workers.executor, replace_worker, every=8)
        same_end(tmp_path / f"there-{number}", tmp_path / "here")
        if hits:
            return


@pytest.mark.nightly
def test_a_run_outlives_its_scheduler_and_its_director(tmp_path: Path, two_workers: Cluster) -> None:
    spec = league(tmp_path, "format: {pairs: 30}", REPORTS)
    left = ["the director", "the scheduler"]

    def next_hit(director: subprocess.Popen[bytes]) -> None:
        match left.pop() if left else "":
            case "the scheduler":
                kill(two_workers.scheduler)
                two_workers.start_scheduler()
                two_workers.start_worker()
            case "the director":
                director.kill()

    assert arena("run", spec, "--results", tmp_path / "here", "--seed", SEED, "--executor", "serial").returncode == 0
    for number in count():  # a run may end before both were hit
        play(spec, tmp_path / f"there-{number}", two_workers.executor, next_hit, every=10)
        same_end(tmp_path / f"there-{number}", tmp_path / "here")
        if not left:
            return


@pytest.mark.nightly
def test_nobody_loses_by_a_worker_that_is_four_times_slower(tmp_path: Path) -> None:
    spec = league(tmp_path, "format: {pairs: 5}", REPORTS)
    with cluster(tmp_path / "cluster", workers=0) as slow:
        worker = slow.start_worker()
        over = threading.Event()
        brake = threading.Thread(target=slow_down, args=(worker.pid, over))
        brake.start()
        try:
            play(spec, tmp_path / "there", slow.executor, lambda _: None, every=1000)
        finally:
            over.set()
            brake.join()
    assert arena("run", spec, "--results", tmp_path / "here", "--seed", SEED, "--executor", "serial").returncode == 0
    same_end(tmp_path / "there", tmp_path / "here")


def slow_down(worker: int, over: threading.Event) -> None:
    """Stop a worker and all processes below it for three quarters of the time."""
    while not over.wait(0.02):
        stopped = list(below(worker))
        for process in stopped:
            send(process, signal.SIGSTOP)
        over.wait(0.06)
        for process in stopped:
            send(process, signal.SIGCONT)


def below(process: int) -> Iterator[int]:
    """Yield a process and all below it."""
    yield process
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            listed = children.read_text(encoding="ascii").split()
        except OSError:
            continue
        for child in map(int, listed):
            yield from below(child)


def send(process: int, which: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, which)
