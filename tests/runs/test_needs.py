"""What a play needs of the machine: known before it begins, with numbers, and enough."""

import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import json
from support.commands.calls import arena, command
from support.commands.every_command import leaves, right_call
from support.commands.runs import league
from support.sizes import mostly_nightly

from arena.cli.app import own_commands
from arena.cli.commands import PLAYING_INSIDE
from arena.errors import MachineError
from arena.runs import needs

PLAYING = {name for name, described in own_commands().items() if described.plays} | PLAYING_INSIDE
WITH_LIMITS = """
import resource, runpy, sys
from arena.runs import needs
wanted = {need.what: need.needed for need in needs.needs(%d)}
few, little = wanted["descriptors"] + %d, wanted["address space"] + %d
resource.setrlimit(resource.RLIMIT_NOFILE, (few, few))
resource.setrlimit(resource.RLIMIT_AS, (little, little))
sys.argv = ["arena", *sys.argv[1:]]
runpy.run_module("arena", run_name="__main__", alter_sys=True)
"""


def limited(workers: int, *line: object, descriptors: int = 0, addresses: int = 0) -> "subprocess.CompletedProcess[str]":
    """Run a command that has exactly what a play by a number of workers is said to need, and a little more or less."""
    text = WITH_LIMITS % (workers, descriptors, addresses)
    arguments = [*map(str, line), "--workers", str(workers)]
    return subprocess.run([sys.executable, "-c", text, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.process
@pytest.mark.parametrize("workers", [1, pytest.param(8, marks=pytest.mark.nightly)])
def test_what_a_play_is_said_to_need_is_enough(tmp_path: Path, workers: int) -> None:
    done = limited(workers, "duel", "greedy", "cautious", "--hands", 64, "--results", tmp_path / "duel")
    assert done.returncode == 0, done.stderr
    assert "fault" not in done.stderr
    done = limited(workers, "run", league(tmp_path, "format: {pairs: 4}"), "--results", tmp_path / "run")
    assert done.returncode == 0, done.stderr


@pytest.mark.process
@pytest.mark.parametrize(
    ("given", "said"),
    [({"descriptors": -1}, "descriptors: found "), ({"addresses": -needs.MIB}, "address space: found ")],
    ids=["descriptors", "addresses"],
)
def test_less_is_one_line_with_both_numbers_before_anything_is_played(tmp_path: Path, given: dict[str, int], said: str) -> None:
    done = limited(8, "run", league(tmp_path), "--results", tmp_path / "run", **given)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert f"arena: this machine gives too little for 8 workers; fewer need less: {said}" in done.stderr
    assert ", needed " in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.process
@pytest.mark.parametrize("name", sorted(PLAYING & leaves().keys()))
@pytest.mark.parametrize("few", [16, 32])
def test_every_command_that_plays_says_that_there_are_few_descriptors(tmp_path: Path, name: str, few: int) -> None:
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({few}, {few}))"
    done = arena(*right_call(name), folder=tmp_path, first=limit)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith(f"arena: this machine gives too little: descriptors: found {few}, needed ")
    assert done.stderr.endswith(" (ulimit -n)\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.process
def test_a_soft_limit_of_descriptors_is_raised_where_that_is_allowed(tmp_path: Path) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    few = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (20, {hard}))"
    assert arena("match", "greedy", "cautious", "--hands", 4, folder=tmp_path, first=few).returncode == 0


def test_the_limit_of_a_user_who_may_start_few_processes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(needs, "tasks_of_user", lambda: 46)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (75, 75) if which == resource.RLIMIT_NPROC else (-1, -1))
    with pytest.raises(MachineError, match=r"processes and threads: found 29, needed 30 \(ulimit -u\)"):
        needs.check(1)
    monkeypatch.setattr(needs, "tasks_of_user", lambda: 45)
    needs.check(1)


def test_more_workers_need_more() -> None:
    few, many = ([need.needed for need in needs.needs(workers)[:3]] for workers in (2, 64))
    assert all(less < more for less, more in zip(few, many, strict=True))


@pytest.mark.process
def test_doctor_shows_what_a_play_needs_and_what_was_found() -> None:
    done = document_of("doctor", "--json")
    assert {row["what"] for row in done["needs"]} >= {"descriptors", "address space", "processes and threads"}
    assert all(row["enough"] for row in done["needs"])


@pytest.mark.process
def test_doctor_does_not_try_a_sandbox_where_nothing_can_be_played() -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))"
    shown = arena("doctor", first=limit)
    assert (shown.returncode, shown.stderr) == (2, "")
    assert shown.stdout.startswith("descriptors: found 20, needed ")
    assert "This machine gives too little to play" in shown.stdout
    listed = arena("doctor", "--json", first=limit)
    assert (listed.returncode, list(json.decode(listed.stdout))) == (2, ["schema", "needs"])


def document_of(*line: object) -> dict[str, list[dict[str, object]]]:
    """Return the document that a command prints, whatever its exit code says of the machine."""
    found: dict[str, list[dict[str, object]]] = json.decode(arena(*line).stdout)
    return found


WORLDS = {
    "no shared memory": ("mount -t tmpfs -o ro none /dev/shm", 0, ""),
    "no /proc": ("mount -t tmpfs none /proc", 2, "file system /proc: found 0, needed 1"),
    "no room for temporary files": (
        "mount -t tmpfs -o size=64k none {small}; export TMPDIR={small}",
        2,
        "found 0 MiB, needed 8 MiB",
    ),
    "no home": ("unset HOME USER LOGNAME; export TMPDIR=/nowhere", 0, ""),
    "another encoding": ("export LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0", 0, ""),
    "no current folder": ("mkdir {small}/gone; cd {small}/gone; rmdir {small}/gone", 0, ""),
}


@pytest.mark.process
@pytest.mark.parametrize("world", mostly_nightly(WORLDS, *list(WORLDS)[::3]))
def test_a_play_in_a_bare_world_is_whole_or_refused_in_one_line(tmp_path: Path, world: str) -> None:
    if subprocess.run(["/usr/bin/unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no mount namespace of its own can be had here")
    (tmp_path / "small").mkdir()
    change, code, said = WORLDS[world]
    line = shlex.join(command("run", league(tmp_path), "--results", tmp_path / "run", "--quiet"))
    script = f"{change.format(small=tmp_path / 'small')}; {line}"
    done = subprocess.run(["/usr/bin/unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == (1 if code else 0)
