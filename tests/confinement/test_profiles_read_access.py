import os
import sys
from pathlib import Path

import msgspec
import pytest

import arena
from arena.confinement import read_access
from arena.confinement.launch_policy import ReadAccess
from arena.roster.entrant import Launch


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    for name in ("mine.py", "theirs.py"):
        (tmp_path / name).touch()
    return tmp_path


def readable(path: str, access: ReadAccess) -> bool:
    """Return whether a path may be read: the deepest entry that contains it is not a covered folder."""
    containing = [entry for entry in (*access.paths, *access.hidden) if path == entry or path.startswith(entry + "/")]
    return bool(containing) and max(containing, key=len) in access.paths


@pytest.mark.parametrize("expanded", [True, False])
def test_a_bot_reads_interpreter_package_and_its_own_folder(bots: Path, expanded: bool) -> None:  # noqa: FBT001 - a case
    access = read_access.required_access(Launch(command=("x",), folder=str(bots)), None, expanded=expanded)

    for path in (os.__file__, arena.__file__, msgspec.__file__, str(bots / "mine.py")):
        assert readable(os.path.realpath(path or ""), access), path


@pytest.mark.parametrize("expanded", [True, False])
def test_a_bot_reads_no_other_package_and_no_home(bots: Path, expanded: bool) -> None:  # noqa: FBT001 - a case
    access = read_access.required_access(Launch(command=("x",), folder=str(bots)), "/bin/sh", expanded=expanded)

    for path in (pytest.__file__, str(Path.home() / ".ssh/id"), "/etc/passwd", "/proc/self/maps", str(bots.parent / "other")):
        assert not readable(os.path.realpath(path), access), path


def test_a_link_back_to_a_folder_with_hidden_packages_is_followed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(os.path.realpath(tmp_path))
    (folder / "python" / "site-packages").mkdir(parents=True)
    (folder / "shared").touch()
    (folder / "python" / "again").symlink_to(folder)
    monkeypatch.setattr(read_access, "_folders_to_hide", lambda: frozenset({str(folder / "python" / "site-packages")}))
    access = read_access.required_access(Launch(command=("x",), folder=str(folder)), None, expanded=True)
    assert [path for path in access.paths if path.startswith(str(folder))] == [str(folder / "shared")]


@pytest.mark.parametrize("expanded", [True, False])
def test_a_bot_that_is_one_file_does_not_read_its_neighbours(bots: Path, expanded: bool) -> None:  # noqa: FBT001 - a case
    launch = Launch(command=("x",), folder=str(bots), files=(str(bots / "mine.py"),))

    access = read_access.required_access(launch, None, expanded=expanded)

    assert readable(str(bots / "mine.py"), access)
    assert not readable(str(bots / "theirs.py"), access)


@pytest.mark.parametrize("expanded", [True, False])
def test_a_bot_reads_only_the_package_that_it_requires(bots: Path, expanded: bool) -> None:  # noqa: FBT001 - a case
    wanted = os.path.realpath(Path(pytest.__file__).parent)

    access = read_access.required_access(Launch(command=("x",), folder=str(bots), reads=(wanted,)), None, expanded=expanded)

    assert readable(f"{wanted}/__init__.py", access)
    assert not readable(f"{Path(wanted).parent}/_pytest/main.py", access)


def test_only_a_bot_that_becomes_a_program_may_execute_files(bots: Path) -> None:
    launch = Launch(command=(sys.executable,), folder=str(bots))

    assert not read_access.required_access(launch, None, expanded=False).programs
    assert read_access.required_access(launch, "/bin/sh", expanded=False).programs


def test_a_path_through_a_link_leads_to_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    access = read_access.required_access(Launch(command=("x",), folder=str(tmp_path / "link")), None, expanded=False)

    assert str(tmp_path / "real") in access.paths
    assert (str(tmp_path / "link"), str(tmp_path / "real")) in access.links
