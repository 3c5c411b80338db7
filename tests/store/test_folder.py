"""The folder of a run: how it is found, named, locked and written."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.store.folder import Folder, existing

LOCK = """
import sys, time
from pathlib import Path
from arena.store.folder import Folder
with Folder(Path(sys.argv[1])).lock():
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "run")


def test_a_file_is_written_atomically(folder: Folder) -> None:
    folder.path.mkdir()
    assert folder.write("report.md", "é\n").read_text(encoding="utf-8") == "é\n"
    folder.write("report.md", "new")
    assert [path.name for path in folder.path.iterdir()] == ["report.md"]


def test_a_file_that_cannot_be_written_is_reported(folder: Folder) -> None:
    with pytest.raises(StoreError, match=r"run/report\.md: cannot be written: No such file or directory"):
        folder.write("report.md", "")


def test_a_run_whose_results_were_shown_is_not_marked_any_longer(folder: Folder) -> None:
    folder.path.mkdir()
    folder.unreported_mark.touch()
    for _ in range(2):
        folder.mark_reported()
        assert not folder.unreported_mark.exists()


def test_a_folder_is_created_and_locked(folder: Folder) -> None:
    with folder.lock():
        assert (folder.path / "arena.lock").read_text() == f"{os.getpid()}\n"
    (folder.path / "arena.lock").write_text("of a process with a long number\n")
    with folder.lock():
        assert (folder.path / "arena.lock").read_text() == f"{os.getpid()}\n"


def test_a_folder_locked_by_another_process_is_refused_until_that_ends(folder: Folder) -> None:
    with subprocess.Popen([sys.executable, "-c", LOCK, str(folder.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout
        owner.stdout.readline()
        with pytest.raises(StoreError, match=rf"run: process {owner.pid} is playing it already"), folder.lock():
            pass
        owner.kill()
    with folder.lock():
        pass


def test_a_child_of_the_locking_process_does_not_keep_the_lock(folder: Folder) -> None:
    code = LOCK.replace('print("locked"', 'import os\n    if not os.fork(): time.sleep(60)\n    print("locked"')
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
    ) as owner:
        assert owner.stdout
        owner.stdout.readline()
        owner.kill()
        owner.wait()
        with folder.lock():
            pass
        os.killpg(owner.pid, 9)


def test_the_locking_process_keeps_the_lock_when_it_asks_for_it_or_takes_it_again(folder: Folder) -> None:
    with folder.lock():
        assert not folder.is_locked()  # by another process
        with pytest.raises(StoreError, match=rf"run: process {os.getpid()} is playing it already"), folder.lock():
            pass
        assert is_locked_for_another(folder)
    with folder.lock():
        pass
    assert not is_locked_for_another(folder)


def is_locked_for_another(folder: Folder) -> bool:
    """Tell whether a process of its own, which has no lock, finds the folder locked."""
    if not (child := os.fork()):
        os._exit(folder.is_locked())
    return bool(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def test_a_file_system_without_locks_is_not_said_to_be_another_process(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("arena.store.folder.fcntl.lockf", refuses)
    with pytest.raises(StoreError, match="run: cannot be written: No locks available"), folder.lock():
        pass


def test_a_folder_that_is_gone_may_be_cleared(folder: Folder) -> None:
    folder.clear()
    assert not folder.path.exists()


def test_only_the_files_of_a_run_are_cleared_and_the_folder_if_it_is_empty_then(folder: Folder) -> None:
    (folder.path / "logs").mkdir(parents=True)
    for name in ("arena.sqlite", "logs/1.log", "mine.txt"):
        (folder.path / name).touch()
    assert folder.foreign_files == ("mine.txt",)
    folder.clear()
    assert [path.name for path in folder.path.iterdir()] == ["mine.txt"]
    (folder.path / "mine.txt").unlink()
    folder.clear()
    assert not folder.path.exists()


def test_a_file_in_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "run").touch()
    with (
        pytest.raises(StoreError, match=r"run: is a file, or lies in one; expected the folder of a run"),
        Folder(tmp_path / "run").lock(),
    ):
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
