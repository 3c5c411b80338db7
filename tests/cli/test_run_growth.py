"""A run whose spec grows, as commands: killed while it grows, continued, and checked against the report from before."""

import re
import signal
import subprocess
from pathlib import Path

import pytest
from support.commands.calls import arena, command
from support.commands.runs import stored

pytestmark = pytest.mark.process

SPEC = """
title: Grown
bots: [{bots}]
rules: {{target: 10, best_of: 1}}
format: {{pairs: {pairs}}}
sandbox: none
reports: [console]
"""
BOT = """
from arena.sdk import Bot

class Mine(Bot):
    '''{0}'''
"""


def write(folder: Path, names: str, pairs: int) -> Path:
    for name in names:
        (folder / f"{name}.py").write_text(BOT.replace("{0}", name))
    spec = folder / "spec.yaml"
    spec.write_text(SPEC.format(bots=", ".join(f"{{bot: '{name}.py:Mine', name: {name}}}" for name in names), pairs=pairs))
    return spec


@pytest.mark.timeout(240)
def test_a_run_that_is_killed_while_it_grows_ends_with_all_matches_and_knows_its_earlier_link(tmp_path: Path) -> None:
    spec, results = write(tmp_path, "ab", 1), tmp_path / "run"
    assert arena("run", spec, "--results", results, "-q").returncode == 0
    old = re.search(r"link ([0-9a-f]{64})", arena("verify", results).stdout)
    assert old
    before = stored(results)
    write(tmp_path, "abc", 3)
    with subprocess.Popen(
        command("run", spec, "--results", results, "--workers", "1", "-q"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as growing:
        assert growing.stderr
        line = next(line for line in growing.stderr if "has grown" in line)
        growing.send_signal(signal.SIGKILL)
    assert "bots was ['a', 'b'], and is ['a', 'b', 'c'] now; format.pairs was 1, and is 3 now; 2 results stay as on file" in line
    again = arena("run", spec, "--results", results, "-q")
    assert again.returncode == 0, again.stderr
    assert len(stored(results)) == 18
    assert before.items() <= stored(results).items()
    checked = arena("verify", results, "--replay", "--sandbox", "none", "--expect", old[1])
    assert (checked.returncode, "with 2 matches; it has grown since" in checked.stdout) == (0, True), checked.stdout
    write(tmp_path, "abc", 2)
    refused = arena("run", spec, "--results", results, "-q")
    _, line = refused.stderr.splitlines()  # the first one says that there is no sandbox
    assert (refused.returncode, "format.pairs was 3, and is 2 now; it may only grow" in line) == (2, True)
