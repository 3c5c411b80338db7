"""A disk that is full, read-only or gone under a run: one line, nothing half-written, and the run resumes afterwards."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands.calls import arena, command, only_small_files
from support.commands.runs import finished_run, league, matches_stored, stored
from support.processes.waiting import until

from arena.store.folder import Folder

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="leftovers are read from Linux's /proc"),
    pytest.mark.usefixtures("nothing_left_behind"),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that nothing happened to."""
    return finished_run(tmp_path_factory.mktemp("whole"), PAIRS)


OWN_MOUNTS = ("/usr/bin/unshare", "--mount")
PAIRS = "format: {pairs: 4}"


def only_line(error: str) -> str:
    line = error.strip().splitlines()[-1]
    assert line.startswith("arena: ")
    assert "Traceback" not in error
    assert "Logging error" not in error
    return line


@pytest.mark.parametrize("most", [40, 10_000, 70_000, 110_000])
def test_a_full_disk_is_shown_and_a_run_goes_on_when_there_is_room_again(tmp_path: Path, whole: Path, most: int) -> None:
    spec = league(tmp_path, PAIRS)
    full = arena("run", spec, "--results", tmp_path / "run", "--seed", "s", first=only_small_files(most))
    assert full.returncode == 2, full
    assert str(tmp_path / "run") in only_line(full.stderr)
    assert not list((tmp_path / "run").glob(".*"))
    assert arena("run", spec, "--results", tmp_path / "run", "--seed", "s").returncode == 0
    assert stored(tmp_path / "run") == stored(whole)
    assert arena("verify", tmp_path / "run").returncode == 0


def test_a_database_that_vanishes_is_shown_and_no_other_run_takes_its_place(tmp_path: Path, whole: Path) -> None:
    spec = league(tmp_path, PAIRS)
    database = Folder(tmp_path / "run").database
    with subprocess.Popen(
        command("run", spec, "--results", tmp_path / "run", "--seed", "s"), stderr=subprocess.PIPE, text=True
    ) as run:
        until(lambda: matches_stored(tmp_path / "run") or run.poll() is not None)
        database.unlink()
        _, error = run.communicate()
    assert run.returncode == 2
    line = only_line(error)
    assert line.startswith(f"arena: {database}: removed or replaced while this run was writing it")
    again = arena("run", spec, "--results", tmp_path / "run", "--seed", "s")
    assert again.returncode == 2
    assert "the database lacks link " in only_line(again.stderr)
    assert arena("run", spec, "--results", tmp_path / "new", "--seed", "s").returncode == 0
    assert stored(tmp_path / "new") == stored(whole)


SIZES = (4, 12, 36, 44, 76)  # kilobytes: the database, its log, or the index of that has no room
IN_SMALL_WORLDS = """
for size in {sizes}; do
    mount -t tmpfs -o size=${{size}}k small {run} || exit 99
    {arena}
    umount {run}
done
"""


def test_a_full_disk_is_named_wherever_a_database_meets_it(tmp_path: Path) -> None:
    if subprocess.run([*OWN_MOUNTS, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no mount namespace of its own can be had here")
    (tmp_path / "run").mkdir()
    line = " ".join(command("run", league(tmp_path, PAIRS, "sandbox: none"), "--results", tmp_path / "run", "--quiet"))
    script = IN_SMALL_WORLDS.format(run=tmp_path / "run", arena=line, sizes=" ".join(map(str, SIZES)))
    done = subprocess.run([*OWN_MOUNTS, "sh", "-c", script], capture_output=True, text=True, check=False)
    said = [one for one in done.stderr.splitlines() if one.startswith(f"arena: {tmp_path}/run")]
    assert len(said) == len(SIZES), done
    assert all(one.endswith(": No space left on device") for one in said), said


IN_A_SMALL_WORLD = """
mount -t tmpfs -o size=100k small {run} || exit 99
{arena}; echo "exit code $?"
mount -o remount,size=100m {run}
{arena}; echo "exit code $?"
mount -o remount,ro {run}
{arena}; echo "exit code $?"
cp -r {run} {copy}
"""


def test_a_full_file_system_and_one_that_is_read_only_are_shown(tmp_path: Path, whole: Path) -> None:
    if subprocess.run([*OWN_MOUNTS, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no mount namespace of its own can be had here")
    (tmp_path / "run").mkdir()
    line = " ".join(command("run", league(tmp_path, PAIRS), "--results", tmp_path / "run", "--seed", "s"))
    script = IN_A_SMALL_WORLD.format(run=tmp_path / "run", arena=f"{line} > {tmp_path}/report", copy=tmp_path / "copy")
    done = subprocess.run([*OWN_MOUNTS, "sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:3] == ["exit code 2", "exit code 0", "exit code 2"], done
    only_line(done.stderr)
    assert "cannot be written: No space left on device" in done.stderr
    assert done.stderr.strip().splitlines()[-1].endswith("cannot be written: Read-only file system")
    assert stored(tmp_path / "copy") == stored(whole)
    shutil.rmtree(tmp_path / "copy")
