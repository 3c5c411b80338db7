import os
import sys
from pathlib import Path

import msgspec
import pytest

import arena
from arena.players.sandboxes import grants
from arena.players.sandboxes.policy import Link, Reads
from arena.roster.entrant import Launch


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    for name in ("mine.py", "theirs.py"):
        (tmp_path / name).touch()
    return tmp_path


def shown(path: str, reads: Reads) -> bool:
    """Tell whether a path may be read: the deepest of all that holds it is no cover."""
    holders = [held for held in (*reads.paths, *reads.covered) if path == held or path.startswith(held + "/")]
    return bool(holders) and max(holders, key=len) in reads.paths


@pytest.mark.parametrize("expanded", [True, False])
def test_a_bot_reads_interpreter_package_and_its_own_folder(bots: Path, expanded: bool) -> None:  # noqa: FBT001 - a case
    reads = grants.reads(Launch(command=("x",), folder=str(bots)), None, expanded=expanded)

    for path in (os.__file__, arena.__file__, msgspec.__file__, str(bots / "mine.py")):
        assert shown(os.path.realpath(path or ""), reads), path


@pytest.mark.parametrize("expanded", [True, False])
def test_a_bot_reads_no_other_package_and_no_home(bots: Path, expanded: bool) -> None:  # noqa: FBT001 - a case
    reads = grants.reads(Launch(command=("x",), folder=str(bots)), "/bin/sh", expanded=expanded)

    for path in (pytest.__file__, str(Path.home() / ".ssh/id"), "/etc/passwd", "/proc/self/maps", str(bots.parent / "other")):
        assert not shown(os.path.realpath(path), reads), path


@pytest.mark.parametrize("expanded", [True, False])
def test_a_bot_that_is_one_file_does_not_read_its_neighbours(bots: Path, expanded: bool) -> None:  # noqa: FBT001 - a case
    launch = Launch(command=("x",), folder=str(bots), files=(str(bots / "mine.py"),))

    reads = grants.reads(launch, None, expanded=expanded)

    assert shown(str(bots / "mine.py"), reads)
    assert not shown(str(bots / "theirs.py"), reads)


@pytest.mark.parametrize("expanded", [True, False])
def test_a_required_package_is_read_alone(bots: Path, expanded: bool) -> None:  # noqa: FBT001 - a case
    wanted = os.path.realpath(Path(pytest.__file__).parent)

    reads = grants.reads(Launch(command=("x",), folder=str(bots), reads=(wanted,)), None, expanded=expanded)

    assert shown(f"{wanted}/__init__.py", reads)
    assert not shown(f"{Path(wanted).parent}/_pytest/main.py", reads)


def test_only_a_bot_that_becomes_a_program_may_execute(bots: Path) -> None:
    launch = Launch(command=(sys.executable,), folder=str(bots))

    assert not grants.reads(launch, None, expanded=False).programs
    assert grants.reads(launch, "/bin/sh", expanded=False).programs


def test_a_path_through_a_link_leads_to_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    reads = grants.reads(Launch(command=("x",), folder=str(tmp_path / "link")), None, expanded=False)

    assert str(tmp_path / "real") in reads.paths
    assert Link(str(tmp_path / "link"), str(tmp_path / "real")) in reads.links
