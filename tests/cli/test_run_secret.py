"""The seed is a secret of the harness while bots run: no sandboxed bot finds it, wherever it lies."""

from pathlib import Path

import pytest
from support.commands.calls import arena
from support.commands.runs import league, stored

from arena.errors import SandboxError
from arena.players.sandboxes import StrictSandbox
from arena.tournament.seeds import run_seed

SEED = "a seed that nobody should see"
CURIOUS = """
import glob
from arena.sdk import Bot

SECRETS = [secret.encode() for secret in ("a seed that nobody should see", RUN_SEED)]

def found():
    for path in [RESULTS + "/arena.sqlite", RESULTS + "/arena.sqlite-wal", *glob.glob("/proc/[0-9]*/cmdline")]:
        try:
            with open(path, "rb") as file:
                text = file.read()
                if any(secret in text for secret in SECRETS):
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
    seeks = f"RESULTS = {str(folder / 'run')!r}\nRUN_SEED = {run_seed(SEED)!r}\n{CURIOUS}"
    spec = league(folder, f"sandbox: {{name: {sandbox}}}", text=seeks)
    done = arena("run", spec, "--results", folder / "run", "--seed", SEED)
    assert done.returncode == 0, done.stderr
    return {fault.kind for record in stored(folder / "run").values() for fault in record.faults}


@pytest.mark.process
def test_a_bot_behind_sandbox_does_not_find_the_seed(tmp_path: Path) -> None:
    try:
        StrictSandbox().assurance()
    except SandboxError as error:
        pytest.skip(f"no strict sandbox can be proved here: {error}")
    assert played(tmp_path, "strict") == set()


@pytest.mark.process
def test_a_bot_without_sandbox_does(tmp_path: Path) -> None:
    assert played(tmp_path, "none") == {"crash"}
