"""A run that is finished, and whose results have not been shown yet: the same command shows them, and plays nothing anew."""

import signal
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support.bots.inline import BAD, GOOD
from support.commands.calls import arena, only_small_files
from support.commands.runs import league, stored
from typer.testing import CliRunner, Result

from arena.cli.app import build
from arena.errors import StoreError
from arena.store.folder import Folder

pytestmark = pytest.mark.process

FILES = ("report.md", "results.json", "standings.csv", "report.html")
KILLED_AS_IT_WRITES = """
import os, pathlib
write = pathlib.Path.write_bytes
def killed(self, content):
    if self.name == {name!r}:
        write(self, content[: len(content) // 2])
        os.kill(os.getpid(), {which})
    return write(self, content)
pathlib.Path.write_bytes = killed
"""


def runs(folder: Path) -> list[Path]:
    return sorted((folder / "results").iterdir())


def stopped_as_it_writes(name: str, which: signal.Signals, folder: Path) -> CompletedProcess[str]:
    """Run a league, and send its process a signal in the middle of writing a file."""
    return arena("run", league(folder), folder=folder, first=KILLED_AS_IT_WRITES.format(name=name, which=int(which)))


@pytest.mark.parametrize("name", [FILES[0], FILES[-1]])
def test_a_run_that_is_killed_as_it_writes_a_report_writes_it_when_it_is_started_again(tmp_path: Path, name: str) -> None:
    assert stopped_as_it_writes(name, signal.SIGKILL, tmp_path).returncode == -signal.SIGKILL
    (run,) = runs(tmp_path)
    before = stored(run)
    assert not any((run / one).exists() for one in FILES)
    again = arena("run", tmp_path / "league.yaml", folder=tmp_path)
    assert again.returncode == 0
    assert "2 of 2 matches played before; writing the reports\n" in again.stderr
    assert "one" in again.stdout
    assert runs(tmp_path) == [run]
    assert stored(run) == before
    assert {path.name for path in run.iterdir()} >= set(FILES)
    assert arena("verify", run).returncode == 0


def test_a_run_that_is_stopped_as_it_writes_a_report_says_that_its_results_are_safe(tmp_path: Path) -> None:
    done = stopped_as_it_writes("report.html", signal.SIGTERM, tmp_path)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("stopped; 2 matches are stored in results/league-")
    assert arena("run", tmp_path / "league.yaml", folder=tmp_path).returncode == 0
    assert len(runs(tmp_path)) == 1


def test_a_report_for_which_there_is_no_room_is_written_by_the_same_command(tmp_path: Path) -> None:
    # The database takes 37 kB and its log a little more; the page takes 300 kB.
    spec = league(tmp_path)
    full = arena("run", spec, folder=tmp_path, first=only_small_files(200_000))
    assert full.returncode == 2
    assert "report.html: cannot be written: File too large" in full.stderr
    assert arena("run", spec, folder=tmp_path).returncode == 0
    (run,) = runs(tmp_path)
    assert {path.name for path in run.iterdir()} >= set(FILES)


def test_a_run_whose_reports_are_written_is_not_gone_on_with(tmp_path: Path) -> None:
    spec = league(tmp_path)
    for count in (1, 2):
        assert arena("run", spec, folder=tmp_path).returncode == 0
        assert len(runs(tmp_path)) == count
    assert not any((run / "unreported").exists() for run in runs(tmp_path))


FAST = ("--sandbox", "none", "--executor", "serial", "--hands", "80")


def compared(*arguments: str) -> Result:
    return CliRunner().invoke(build(), [*arguments, *FAST], catch_exceptions=False)


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a good bot and a bad one."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("good", GOOD), ("bad", BAD)):
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def test_a_duel_that_ends_before_it_has_shown_its_verdict_tells_it_when_it_is_started_again(
    bots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duel = ("duel", "good.py:Mine", "bad.py:Mine")
    with monkeypatch.context() as broken:
        broken.setattr("arena.cli.compare.publish_comparison", refuse)
        with pytest.raises(StoreError):
            compared(*duel)
    (run,) = runs(bots)
    before = stored(run)
    again = compared(*duel)
    assert again.exit_code == 0
    assert f"played before, in {len(before)} batches or matches; writing the reports" in again.stderr
    assert "Mine is stronger than Mine-2" in again.stdout
    assert runs(bots) == [run]
    assert stored(run) == before
    compared(*duel)
    assert len(runs(bots)) == 2, "a duel that has told its verdict is over"


def test_a_regression_test_that_is_stopped_in_its_second_part_does_not_play_the_first_again(
    bots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    regress = ("regress", "good.py:Mine", "--against", "bad.py:Mine", "--gauntlet", "greedy")
    with monkeypatch.context() as broken:
        broken.setattr("arena.compare.regression.conclude", refuse)
        with pytest.raises(StoreError):
            compared(*regress)
    before = runs(bots)
    assert len(before) == 2
    assert compared(*regress).exit_code in (0, 5)
    assert runs(bots) == before
    assert not any(Folder(run).unreported_mark.exists() for run in before)


def refuse(*_: object, **__: object) -> None:
    raise StoreError("no room left")
