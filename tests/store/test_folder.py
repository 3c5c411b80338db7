"""The folder of one run: found, named, held, written whole."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import StoreError
from arena.store.folder import Folder, candidates, existing

HOLD = """
import sys, time
from pathlib import Path
from arena.store.folder import Folder
with Folder(Path(sys.argv[1])).locked():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "run")


def test_a_file_is_written_whole(folder: Folder) -> None:
    folder.path.mkdir()
    assert folder.write("report.md", "é\n").read_text(encoding="utf-8") == "é\n"
    folder.write("report.md", "new")
    assert [path.name for path in folder.path.iterdir()] == ["report.md"]


def test_a_file_that_cannot_be_written_is_told(folder: Folder) -> None:
    with pytest.raises(StoreError, match=r"run/report\.md: cannot be written: No such file or directory"):
        folder.write("report.md", "")


def test_a_folder_is_made_and_held(folder: Folder) -> None:
    with folder.locked():
        assert (folder.path / "arena.lock").read_text() == f"{os.getpid()}\n"


def test_a_folder_that_another_process_holds_is_refused_with_its_number_until_it_ends(folder: Folder) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(folder.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        with pytest.raises(StoreError, match=rf"run: process {holder.pid} is running this tournament"), folder.locked():
            pass
        holder.kill()
    with folder.locked():
        pass


def test_a_child_of_the_holder_does_not_hold_the_folder(folder: Folder) -> None:
    code = HOLD.replace('print("held"', 'import os\n    if not os.fork(): time.sleep(60)\n    print("held"')
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
    ) as holder:
        assert holder.stdout
        holder.stdout.readline()
        holder.kill()
        holder.wait()
        with folder.locked():
            pass
        os.killpg(holder.pid, 9)


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "run").touch()
    with pytest.raises(StoreError, match=r"run: cannot be written: File exists"), Folder(tmp_path / "run").locked():
        pass


def test_the_only_run_in_a_folder_is_found(tmp_path: Path) -> None:
    run = tmp_path / "league-2026-01-31"
    run.mkdir()
    with pytest.raises(StoreError, match=r"not the folder of one run; expected arena\.sqlite in it"):
        existing(tmp_path)
    (run / "arena.sqlite").touch()
    assert existing(tmp_path) == existing(run) == Folder(run)
    other = tmp_path / "other"
    other.mkdir()
    (other / "arena.sqlite").touch()
    with pytest.raises(StoreError, match=r"not the folder of one run; it holds 2: league-2026-01-31, other"):
        existing(tmp_path)


def run_of(results: Path, name: str, age: int) -> Folder:
    path = results / name
    path.mkdir()
    (path / "arena.sqlite").touch()
    then = time.time() - age
    os.utime(path, (then, then))
    return Folder(path)


def test_a_run_goes_on_in_the_newest_folder_of_its_title_or_begins_a_new_one(tmp_path: Path) -> None:
    older = run_of(tmp_path, "winter-league-2026-01-30", 100)
    newer = run_of(tmp_path, "winter-league-2026-01-31", 10)
    run_of(tmp_path, "summer-league-2026-01-31", 0)
    (tmp_path / "winter-league-2026-02-01").mkdir()  # without a database
    assert list(candidates(tmp_path, "Winter League!", "2026-01-31")) == [
        newer,
        older,
        Folder(tmp_path / "winter-league-2026-01-31-2"),
    ]


def test_the_first_run_needs_no_results_folder(tmp_path: Path) -> None:
    assert list(candidates(tmp_path / "results", "League", "2026-01-31")) == [Folder(tmp_path / "results" / "league-2026-01-31")]


@given(st.text(max_size=200))
def test_any_title_makes_a_plain_name(title: str) -> None:
    (folder,) = candidates(Path("/nowhere"), title, "2026-01-31")
    assert folder.path.parent == Path("/nowhere")
    assert folder.path.name.isascii()
    assert not set(folder.path.name) & set("/\\ *?[]\x00.")
