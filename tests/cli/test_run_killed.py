"""Killed anywhere, and started again: a run ends with the same records, standings and report as one that nobody touched."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from support.commands.calls import arena, command
from support.commands.runs import league, stored
from support.processes.marked import alive, handles, left, parent
from support.records.endings import same_end
from support.sizes import mostly_nightly, size

from arena.errors import SandboxError, StoreError
from arena.players.sandboxes import StrictSandbox
from arena.store.folder import Folder
from arena.store.store import Store

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in Linux's /proc")

FORMATS = {
    "round robin": ["format: {pairs: 5}"],
    "duel": ["format: {name: duel, leg: 3, hands: 36, bounds: [0.0, 20.0]}", "rules: {stock: two-ended}"],
}
LOSING = {"a worker", "a bot"}  # kills by which a duel loses a leg, which is on record then
KILLED, STOPPED = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT), 3
ABORTED = 130  # by a signal, after all was shown
SEED = "a seed for killed runs"
POINTS = size(5, 50)  # for each format


def sandbox() -> bool:
    """Return whether bots are sandboxed here, so that it is known what killed them."""
    try:
        return StrictSandbox().assurance().profile in ("A", "B")
    except SandboxError:
        return False


class Processes:
    """Those of a run, told apart by their parents."""

    def __init__(self, mark: str, director: int) -> None:
        parents = {process: parent(process) for process in alive(mark)}
        self.director = director
        self.workers = sorted(process for process, starter in parents.items() if starter == director)
        self.bots = sorted(process for process, starter in parents.items() if starter in self.workers)


def send(processes: list[int], which: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, which)


Kill = Callable[[Processes, Random], None]
KILLS: dict[str, Kill] = {
    "the director": lambda run, _: send([run.director], signal.SIGKILL),
    "a worker": lambda run, chance: send(chance.sample(run.workers, min(1, len(run.workers))), signal.SIGKILL),
    "a bot": lambda run, chance: send(chance.sample(run.bots, min(1, len(run.bots))), signal.SIGKILL),
    "all at once": lambda run, _: send([run.director, *run.workers, *run.bots], signal.SIGKILL),
    "director and workers": lambda run, _: send([run.director, *run.workers], signal.SIGKILL),
    "SIGTERM": lambda run, _: send([run.director], signal.SIGTERM),
    "SIGINT": lambda run, _: send([run.director], signal.SIGINT),
    "SIGHUP": lambda run, _: send([run.director], signal.SIGHUP),
}


@pytest.mark.slow
@pytest.mark.timeout(900)  # it takes two minutes; a busy machine needs more
@pytest.mark.parametrize("played", mostly_nightly(FORMATS, "round robin"))
def test_a_run_that_is_killed_at_random_ends_as_if_nobody_had_touched_it(tmp_path: Path, played: str) -> None:
    spec = league(tmp_path, *FORMATS[played], "reports: [console, markdown, json, csv, html]")
    start = time.monotonic()
    assert arena("run", spec, "--results", tmp_path / "whole", "--seed", SEED).returncode == 0
    seconds = time.monotonic() - start
    chance = Random(f"killed {played}")
    kills = [name for name in KILLS if (name != "a bot" or sandbox()) and not ("duel" in played and name in LOSING)]
    message, points = [], 0
    for number in count():
        if points >= POINTS:
            return
        folder = tmp_path / f"killed-{number}"  # in its results/ the command finds its own run again
        folder.mkdir()
        done = False
        while not done:
            code, hit = life(spec, folder, chance, kills, seconds)
            points += len(hit)
            message.append(f"{points}: {', '.join(hit)}: exit code {code}")
            assert left(str(tmp_path)) == [], message[-1]
            assert code in (0, STOPPED, ABORTED, *KILLED), message[-1]
            done = code == 0 or is_reported(folder)
        (run,) = (folder / "results").iterdir()
        if any(record.excused or record.faults or record.lost is not None for record in stored(run).values()):
            same_but_for_losses(run, tmp_path / "whole")
        else:
            same_end(run, tmp_path / "whole")


def same_but_for_losses(one: Path, other: Path) -> None:
    """Assert that a run differs from another only by processes that were lost, each of which is on record, and that it verifies."""
    found, whole = stored(one), stored(other)
    assert found.keys() == whole.keys()
    assert {fault.kind for record in found.values() for fault in (*record.excused, *record.faults)} <= {"lost"}
    for fixture, record in found.items():
        if record.lost is None and not record.faults:  # what was excused has changed nothing else
            assert replace(record, excused=()) == whole[fixture]
    assert arena("verify", one).returncode == 0


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_leg_whose_worker_or_bot_is_killed_is_on_record_as_lost_and_the_others_as_they_were(tmp_path: Path) -> None:
    spec = league(tmp_path, "format: {name: duel, hands: 120, bounds: [0.0, 20.0], until: limit}", "rules: {stock: two-ended}")
    start = time.monotonic()
    assert arena("run", spec, "--results", tmp_path / "whole", "--seed", SEED).returncode == 0
    seconds = time.monotonic() - start
    chance, lost = Random("lost legs"), 0
    kills = [name for name in sorted(LOSING) if name != "a bot" or sandbox()]
    for number in count():
        if number >= size(2, 4) and lost:  # a run may end before it is hit
            return
        folder = tmp_path / f"killed-{number}"
        folder.mkdir()
        while (code := life(spec, folder, chance, kills, seconds)[0]) == STOPPED:
            pass  # on a busy machine workers are killed again and again before they have played, and the run gives up
        assert code == 0
        (run,) = (folder / "results").iterdir()
        same_but_for_losses(run, tmp_path / "whole")
        lost += sum(record.lost is not None for record in stored(run).values())


def life(spec: Path, folder: Path, chance: Random, kills: list[str], seconds: float) -> tuple[int, list[str]]:
    """Start a run that takes some seconds, and hit it at random until it ends; return its exit code and what hit it.

    One time in three it is first hit as it writes its reports.
    """
    hit: list[str] = []
    ends = command("run", spec, "--seed", SEED, "--workers", "2")
    with subprocess.Popen(ends, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as director:
        while not handles(director.pid, signal.SIGHUP) and director.poll() is None:
            time.sleep(0.001)  # the start of the interpreter: see arena.signals
        if chance.random() < 1 / 3:
            wait_for_the_end_of_play(folder, director)
            pause = chance.uniform(0, 0.2)
        else:
            pause = chance.uniform(0, seconds)
        while not ended(director, pause):
            name = chance.choice(kills)
            KILLS[name](Processes(str(spec.parent), director.pid), chance)
            hit.append(name)
            pause = chance.uniform(0, seconds / 3)
        _, said = director.communicate()
    if director.returncode in (0, STOPPED) and "a worker" not in hit:  # another worker may tell what the killed one left half-read
        assert "Traceback" not in said, said
    if director.returncode == ABORTED:
        assert said.splitlines()[-1] == "arena: stopped", said
    return director.returncode, hit


def is_reported(folder: Path) -> bool:
    """Return whether the run has shown its report: a kill after that, as the program exits, is not one that anything follows."""
    for run in (folder / "results").glob("*"):
        with suppress(StoreError), Store(run / "arena.sqlite") as store:
            return "finished" in store.facts() and not Folder(run).unreported_mark.exists()
    return False


def wait_for_the_end_of_play(folder: Path, director: "subprocess.Popen[str]") -> None:
    """Wait until a run is finished, and only its reports are still to be written."""
    while director.poll() is None:
        for database in (folder / "results").glob("*/arena.sqlite"):
            with suppress(StoreError), Store(database) as store:
                if "finished" in store.facts():
                    return
        time.sleep(0.005)


def ended(process: "subprocess.Popen[str]", within: float) -> bool:
    try:
        process.wait(within)
    except subprocess.TimeoutExpired:
        return False
    return True
