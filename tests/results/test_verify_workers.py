"""Records are judged again by workers, and their number changes nothing but the time that it takes."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from many_matches import make
from support.processes.marked import alive, left
from support.processes.waiting import until

from arena.plugins import manager
from arena.results import judging
from arena.results.verify import Audit
from arena.runs.runner import Runner
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament import director
from arena.tournament.order import goes_first

MATCHES = 40
PLUGINS = manager.load(entry_points=False)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished run; not to be changed."""
    folder = tmp_path_factory.mktemp("audited") / "run"
    make(MATCHES, folder)
    return folder


@pytest.fixture
def copied(run: Path, tmp_path: Path) -> Path:
    return shutil.copytree(run, tmp_path / "run")


@pytest.fixture(autouse=True)
def _small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "FULL", 20)  # hands: two matches


def change(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "arena.sqlite")) as database, database:
        for statement in statements:
            database.execute(statement)


def first_difference(folder: Path, workers: int) -> tuple[str, list[tuple[int, int]]]:
    """Return the first difference, and the progress until it was found."""
    shown: list[tuple[int, int]] = []
    audit = Audit(Folder(folder), Runner(PLUGINS, workers=workers))
    return audit.first_difference((), lambda done, total: shown.append((done, total))), shown


POINTS = "UPDATE hand SET points = points + 1 WHERE number = 0 AND match = {}"
UNREADABLE = "UPDATE hand SET ending = 'x' WHERE match = {}"


@pytest.mark.process
@pytest.mark.parametrize(
    ("statements", "match", "what"),
    [
        ((POINTS.format(9), POINTS.format(3), POINTS.format(31)), 3, "recorded "),
        ((POINTS.format(9), UNREADABLE.format(10)), 9, "recorded "),
        ((UNREADABLE.format(9), POINTS.format(10)), 9, "ending: "),
        (("UPDATE match SET usage = '[{},{}]' WHERE id IN (12, 13)",), 12, "record altered after it was written"),
    ],
)
def test_the_first_difference_is_the_same_for_any_number_of_workers(
    copied: Path, statements: tuple[str, ...], match: int, what: str
) -> None:
    with closing(sqlite3.connect(copied / "arena.sqlite")) as database:
        ((fixture,),) = database.execute("SELECT fixture FROM match WHERE id = ?", (match,))
    change(copied, *statements)
    (found,) = {first_difference(copied, workers)[0] for workers in (1, 2, 5)}
    assert fixture in found
    assert what in found


@pytest.mark.process
def test_a_copy_of_the_spec_that_was_changed_is_found(copied: Path) -> None:
    Folder(copied).spec.write_bytes(b"title: another")
    found, _ = first_difference(copied, 1)
    assert found.startswith("spec.yaml: another text; expected the spec of the run")


def test_progress_counts_the_matches_in_order_up_to_all(run: Path) -> None:
    difference, shown = first_difference(run, 3)
    assert difference == ""
    assert shown == sorted(shown)
    assert len(shown) > MATCHES / 5
    assert shown[-1] == (MATCHES, MATCHES)


@pytest.mark.process
def test_legs_that_were_not_played_in_the_order_of_the_coin_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(director, "by_coin", lambda fixtures, _: iter(fixtures))
    make(20, tmp_path / "run")
    with Store(tmp_path / "run" / "arena.sqlite") as store:
        late = next(one for one in store.fixtures() if one.id.endswith("/1") and goes_first(one, store.fact("seed")))
    difference, _ = first_difference(tmp_path / "run", 2)
    assert difference == f"{late.id[:-1]}0: played before {late.id}; the coin of this pair says that it is played after it"


JUDGING = """
import os, signal, sys, time
from arena.results import verify

def judge(*_, **__):
    {what}

verify.judge = judge
from arena.__main__ import main
sys.argv = ["arena", "verify", {folder!r}]
main()
"""
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
ENDLESS = "time.sleep(600)"


def verifying(folder: Path, what: str) -> "subprocess.Popen[str]":
    """Start a verification whose workers do something else than judge."""
    code = JUDGING.format(what=what, folder=str(folder))
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def while_judging(folder: Path, processes: int) -> Iterator[int]:
    """Wait until all processes of a verification run, and yield them."""
    until(lambda: len(alive(str(folder))) >= processes)
    yield from alive(str(folder))


@pytest.mark.process
def test_a_worker_that_is_killed_ends_the_command_in_one_line(run: Path) -> None:
    with verifying(run, KILLED) as command:
        out, message = command.communicate()
    assert (command.returncode, out) == (2, "")
    assert message == f"arena: {run}: could not be verified: the worker ended: SIGKILL\n"
    assert left(str(run)) == []


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in Linux's /proc")
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_of_a_command_that_is_stopped_while_its_workers_judge(run: Path, which: signal.Signals) -> None:
    with verifying(run, ENDLESS) as command:
        assert len(list(while_judging(run, 1 + len(os.sched_getaffinity(0))))) > 1
        command.send_signal(which)
        out, message = command.communicate()
    expected = (-signal.SIGKILL, "") if which == signal.SIGKILL else (130, "arena: stopped\n")
    assert (command.returncode, message, out) == (*expected, "")
    assert left(str(run)) == []
