"""Killed anywhere, and started again: a run ends with the same records, standings and report as one that nobody touched."""

import csv
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from commands import arena, command, filed, league
from programs import alive, left

from arena.errors import SandboxError
from arena.players.sandboxes.strict import Strict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in Linux's /proc")

FORMATS = {
    "round robin": ["format: {pairs: 5}"],
    "duel": ["format: {name: duel, leg: 3, hands: 36, bounds: [0.0, 20.0]}", "rules: {stock: two-ended}"],
}
KILLED, STOPPED = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT), 3
ABORTED = (1, 130)  # by Ctrl-C, before anything was played or after all was
POINTS = 50  # for each format


def walls() -> bool:
    """Tell whether bots stand behind walls here, where who kills them can be known."""
    try:
        return Strict().assurance().profile in ("A", "B")
    except SandboxError:
        return False


class Processes:
    """Those of a run, told apart by their parents."""

    def __init__(self, mark: str, director: int) -> None:
        parents = {process: parent(process) for process in alive(mark)}
        self.director = director
        self.workers = sorted(process for process, starter in parents.items() if starter == director)
        self.bots = sorted(process for process, starter in parents.items() if starter in self.workers)


def parent(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


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
@pytest.mark.parametrize("played", FORMATS)
def test_a_run_that_is_killed_at_random_ends_as_if_nobody_had_touched_it(tmp_path: Path, played: str) -> None:
    spec = league(tmp_path, *FORMATS[played], "reports: [console, markdown, json, csv]")
    start = time.monotonic()
    assert arena("run", spec, "--results", tmp_path / "whole", "--seed", "s").returncode == 0
    seconds = time.monotonic() - start
    chance = Random(f"killed {played}")
    kills = [name for name in KILLS if name != "a bot" or walls()]
    told, points = [], 0
    while points < POINTS:
        run = tmp_path / f"killed-{points}"
        done = False
        while not done:
            code, hit = life(spec, run, chance, kills, seconds)
            points += len(hit)
            told.append(f"{points}: {', '.join(hit)}: exit code {code}")
            assert left(str(tmp_path), 15) == [], told[-1]
            assert code in (0, STOPPED, *ABORTED, *KILLED), told[-1]
            done = code == 0
        same_end(run, tmp_path / "whole")


def life(spec: Path, run: Path, chance: Random, kills: list[str], seconds: float) -> tuple[int, list[str]]:
    """Start a run that takes so many seconds, and hit it at random until it ends; return its exit code and what hit it."""
    hit: list[str] = []
    ends = command("run", spec, "--results", run, "--seed", "s", "--workers", "2")
    with subprocess.Popen(ends, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as director:
        pause = chance.uniform(0, seconds)
        while not ended(director, pause):
            name = chance.choice(kills)
            KILLS[name](Processes(str(spec.parent), director.pid), chance)
            hit.append(name)
            pause = chance.uniform(0, seconds / 3)
        _, said = director.communicate(timeout=60)
    if director.returncode in (0, STOPPED) and "a worker" not in hit:  # another worker may tell what the killed one left half-read
        assert "Traceback" not in said, said
    return director.returncode, hit


def ended(process: "subprocess.Popen[str]", within: float) -> bool:
    try:
        process.wait(within)
    except subprocess.TimeoutExpired:
        return False
    return True


def same_end(one: Path, other: Path) -> None:
    assert filed(one) == filed(other)
    for name in ("report.md", "results.json", "standings.csv"):
        assert untimed(one / name) == untimed(other / name)
    done = arena("verify", one)
    assert re.fullmatch(r"\d+ hands, 0 differences\n", done.stdout), done


def untimed(path: Path) -> object:
    """Return a file of a report without the times, which differ from run to run."""
    text = path.read_text()
    if path.suffix == ".csv":
        return [{key: value for key, value in row.items() if key != "cpu_a_decision"} for row in csv.DictReader(text.splitlines())]
    if path.suffix == ".json":
        return re.sub(r'"cpu": [^,\n]+|"started": "[^"]+"', "…", text)
    return re.sub(r"(?<=\| )[0-9.]+ \|$|started.* UTC", "…", text, flags=re.MULTILINE)  # the last column of the table of play
