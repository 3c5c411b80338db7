"""The seed is a secret of the harness while bots run: no bot behind walls finds it, wherever it lies."""

from pathlib import Path

import pytest
from commands import arena, filed, league

from arena.errors import SandboxError
from arena.players.sandboxes.strict import Strict

CURIOUS = """
import glob
from arena.sdk import Bot

SECRET = b"a seed that nobody should see"

def found():
    for path in [RESULTS + "/arena.sqlite", RESULTS + "/arena.sqlite-wal", *glob.glob("/proc/[0-9]*/cmdline")]:
        try:
            with open(path, "rb") as file:
                if SECRET in file.read():
                    return path
        except OSError:
            pass

class Mine(Bot):
    def discard(self, view):
        if path := found():
            raise RuntimeError(f"found the seed in {path}")
        return super().discard(view)
"""


def played(folder: Path, sandbox: str) -> set[str]:
    """Return what kinds of faults two curious bots have."""
    spec = league(folder, f"sandbox: {{name: {sandbox}}}", text=f"RESULTS = {str(folder / 'run')!r}\n{CURIOUS}")
    done = arena("run", spec, "--results", folder / "run", "--seed", "a seed that nobody should see")
    assert done.returncode == 0, done.stderr
    return {fault.kind for record in filed(folder / "run").values() for fault in record.faults}


def test_a_bot_behind_walls_does_not_find_the_seed(tmp_path: Path) -> None:
    try:
        Strict().assurance()
    except SandboxError as error:
        pytest.skip(f"no walls can be proved here: {error}")
    assert played(tmp_path, "strict") == set()


def test_a_bot_without_walls_does(tmp_path: Path) -> None:
    assert played(tmp_path, "none") == {"crash"}
