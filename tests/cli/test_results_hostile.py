"""A results database from anybody, given to the commands that read one: a line, and in a moment."""

import re
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import pytest
from support.commands.calls import arena
from support.commands.runs import league
from support.hostile.databases import SCHEMA, edited, read
from support.sizes import size

pytestmark = pytest.mark.process

EDITS = 8  # of a seed
TRACE = re.compile(r"Traceback|Exception ignored|Error:")
BROKEN = """
from arena.sdk import Bot, Discard

class Mine(Bot):
    def discard(self, view):
        return Discard(0)
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a run of each kind: matches with faults, and batches with luck."""
    made = {}
    for name, form in (("matches", "format: {name: round-robin, pairs: 2}"), ("batches", "format: {name: batches, hands: 12}")):
        folder = tmp_path_factory.mktemp(name)
        spec = league(folder, form, "sandbox: none")
        (folder / "two.py").write_text(BROKEN, encoding="utf-8")
        done = arena("run", spec, "--results", folder / "run", "--seed", "s")
        assert done.returncode == 0, done.stderr
        made["one:two/0/0" if name == "matches" else "one:two/0/1"] = folder / "run"
    return made


def check(run: Path, fixture: str) -> None:
    """Read a changed run, and make sure that each command says at most a line of what is wrong."""
    for command, said in read(run, fixture):
        assert not TRACE.search(said), (command, said)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, size(10, 60)))])
def test_whatever_a_database_holds_is_shown_in_a_line(runs: dict[str, Path], tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    for turn in range(EDITS):
        fixture = chance.choice(sorted(runs))
        run = shutil.copytree(runs[fixture], tmp_path / f"{turn}" / "run")
        did = edited(run / "arena.sqlite", chance)
        try:
            check(run, fixture)
        except Exception as error:
            raise AssertionError(f"seed {seed}, turn {turn}, {fixture}: {did}") from error


@pytest.mark.parametrize("part", [pytest.param(part, marks=[] if part == 0 else pytest.mark.slow) for part in range(6)])
def test_so_is_another_schema_and_what_is_changed_in_many_rows(runs: dict[str, Path], tmp_path: Path, part: int) -> None:
    for number, script in enumerate(SCHEMA[part::6]):
        fixture = sorted(runs)[(number + part) % len(runs)]
        run = shutil.copytree(runs[fixture], tmp_path / f"{number}" / "run")
        with closing(sqlite3.connect(run / "arena.sqlite")) as database, suppress(sqlite3.Error):
            database.executescript(script)
        try:
            check(run, fixture)
        except Exception as error:
            raise AssertionError(f"{fixture}: {script}") from error
