"""How arena starts processes: no module of the current folder is imported, and the interpreter may be called by any path."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import bench
import pytest
from msgspec import json
from support.leagues.sites import BOT, entered, jobs_of, league, send
from support.servers import clusters

from arena.league import leagues, requests
from arena.league.jobs import JobRunner
from arena.league.requests import VersionChange, ask_comparison, find_comparison
from arena.league.rules.events import NO_REASON
from arena.league.submit import submit_bot
from arena.league.uploads import Upload
from arena.players.proofs import diagnose
from arena.web.club import hosting
from arena.web.club.hosting import Hosting, PlayTerms

MODULES = ("arena", "arena_bots", "distributed", "json", "msgspec", "numpy", "sitecustomize", "typer", "usercustomize")
CANARY = "from pathlib import Path; Path(__file__).with_suffix('.imported').touch()\n"
COMMAND = Path(sys.executable).with_name("arena")


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a folder the current one whose modules leave a mark when they are imported; in the end none has done so."""
    folder = tmp_path / "current"
    for name in MODULES:
        (folder / name).mkdir(parents=True)
        for file in ("__init__", "__main__"):
            (folder / name / f"{file}.py").write_text(CANARY)
    monkeypatch.chdir(folder)
    yield folder
    assert imported(folder) == []


def imported(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.imported"))


def test_the_modules_of_a_hostile_folder_leave_a_mark(hostile: Path) -> None:
    subprocess.run([sys.executable, "-m", "arena"], check=True)
    found = imported(hostile)
    assert [path.stem for path in found] == ["__init__", "__main__"]
    for path in found:
        path.unlink()


@pytest.mark.process
@pytest.mark.usefixtures("hostile")
def test_what_a_server_starts_imports_nothing_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = entered(tmp_path)
    monkeypatch.setattr(hosting, "SLICE", "1s")
    played = Hosting(path, PlayTerms(), lambda: NO_REASON)
    played.poll()
    assert (played.paused, played.failures) == (NO_REASON, 0)

    monkeypatch.setattr(requests, "COMPARED_HANDS", 2)
    (tmp_path / "bot.py").write_bytes(BOT + b"# changed\n")
    submit_bot(path, str(tmp_path / "bot.py"), "ann", "ann-bot", lambda _: None)
    with leagues.open_league(path) as made:
        old, new = leagues.field(made.store).of("ann-bot")
    with jobs_of(path) as jobs:
        ask_comparison(jobs, "ann", old, new)
        send(jobs, BOT + b"# of cid\n", "cid")
        runner = JobRunner("jobs", jobs, (VersionChange, Upload))
        for _ in range(2):
            runner.poll()
        found, [tested] = find_comparison(jobs, old, new), jobs.all(Upload)
    assert found
    assert (found.state, tested.state) == ("done", "joined")


@pytest.mark.process
@pytest.mark.parametrize("sandbox", ["none", "strict"])
def test_a_command_imports_nothing_of_the_current_folder_and_neither_do_its_bots(sandbox: str, hostile: Path) -> None:
    if sandbox == "strict" and diagnose().exit_code:
        pytest.skip("this machine cannot prove a strict sandbox")
    (hostile / "mine.py").write_bytes(BOT)
    subprocess.run([COMMAND, "match", "mine.py:Mine", "greedy", "--hands", "4", "--sandbox", sandbox], check=True)


@pytest.mark.process
def test_the_reader_of_an_archive_imports_nothing_of_the_current_folder(tmp_path: Path, hostile: Path) -> None:
    path = league(tmp_path)
    with zipfile.ZipFile("mine.zip", "w") as archive:
        archive.writestr("mine.py", BOT)
        for file in hostile.rglob("*.py"):
            archive.write(file, f"more/{file.relative_to(hostile)}")
    subprocess.run([COMMAND, "league", "submit", path, "mine.zip", "--author", "ann"], check=True)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.usefixtures("hostile")
def test_measurements_import_nothing_of_the_current_folder() -> None:
    assert len([*bench.of_starts()]) == 2
    assert len([*bench.of_decisions()]) == 7
    assert len([*bench.of_selfplay()]) == 1


@pytest.mark.process
@pytest.mark.usefixtures("hostile")
def test_a_player_of_a_cluster_imports_nothing_of_the_current_folder() -> None:
    clusters.skip_without_dask()
    from arena.extras.cluster.dask_task import PlayerProcess  # noqa: PLC0415 - an extra
    from arena.extras.cluster.sent_calls import call_of  # noqa: PLC0415 - an extra

    player = PlayerProcess()
    assert player.ask(call_of(os.getcwd, ()), lambda: True)
    player.end()


@pytest.mark.process
def test_the_sandbox_is_the_same_by_whatever_path_the_interpreter_is_called(tmp_path: Path) -> None:
    (tmp_path / "Ünï çode dir").symlink_to(sys.prefix)
    python = f"../{tmp_path.name}/Ünï çode dir/bin/python"
    shown = subprocess.run([python, "-P", "-m", "arena", "doctor", "--json"], cwd=tmp_path, capture_output=True, check=False)
    found = json.decode(shown.stdout)
    assert [test["state"] for test in found["profiles"]] == [test.state for test in diagnose().profiles]
