"""Arena's own plugins: each is entered and installed, and arena works without them."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.commands.calls import arena
from support.repository.files import ROOT, copied

from arena.plugins import door

HOME = ROOT / "arena" / "extras"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SPEC = "{title: Cup, bots: [greedy, cautious], rules: {target: 10, best_of: 1}, format: {pairs: 1}, sandbox: none}"
# The tests whose lists and documents are about all of arena, with its extras.
ABOUT_ALL = (
    "tests/cli/test_commands.py",
    "tests/cli/test_commands_links.py",
    "tests/cli/test_progress_quiet.py",
    "tests/stats/test_statements.py",
    "tests/test_docs.py",
    "tests/test_github.py",
)


def test_every_extra_is_entered_and_found() -> None:
    folders = sorted(path.parent.name for path in HOME.glob("*/plugin.py"))
    entered = {name: f"arena.extras.{name}.plugin" for name in folders}
    assert PROJECT["project"]["entry-points"]["arena"] == entered
    assert sorted(door.extras()) == sorted(entered.values()), "the project has changed since it was installed: pip install -e ."


def test_an_extra_that_was_deleted_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(door, "__file__", str(tmp_path / "arena" / "plugins" / "door.py"))
    assert door.extras() == ()


@pytest.mark.process
def test_arena_without_its_extras_plays_and_reports(tmp_path: Path) -> None:
    left_out = shutil.ignore_patterns("extras", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "arena", tmp_path / "site" / "arena", ignore=left_out)
    (tmp_path / "cup.yaml").write_text(SPEC, encoding="utf-8")

    def without(*line: str) -> str:
        done = arena(*line, folder=tmp_path, PYTHONPATH=str(tmp_path / "site"))
        assert done.returncode == 0, done.stderr
        return done.stdout

    commands = door.commands(door.load(entry_points=False)).keys()
    shown = {line.split()[0] for line in without("--help").splitlines() if line.startswith("  ")}
    assert "run" in shown
    assert commands
    assert commands.isdisjoint(shown)
    assert without("run", "cup.yaml", "--results", "run", "--seed", "s") == without("report", "run")
    assert without("verify", "run").endswith(" 0 differences\n")
    assert arena("export", "run", "--to", "hands.jsonl", folder=tmp_path).returncode == 0
    assert arena("import", "hands.jsonl", "--results", "imported", folder=tmp_path).returncode == 0
    refused = arena("report", "imported", folder=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    missing = "holds a run of the kind 'import'; the plugin that reads it is not installed"
    assert (refused.returncode, refused.stderr) == (2, f"arena: imported: {missing}\n")
    assert "duel" in without("schema").splitlines()
    assert "executors   local, serial" in without("plugins", "list").splitlines()
    for line, message in (
        (("rate", "greedy"), "no such command 'rate'"),
        (("docs", "cluster"), "no page 'cluster'"),
        (("duel", "greedy", "cautious", "--executor", "dask"), "--executor: found 'dask'; expected one of local, serial"),
    ):
        refused = arena(*line, folder=tmp_path, PYTHONPATH=str(tmp_path / "site"))
        assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
        assert refused.stderr.startswith(f"arena: {message}")


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_the_tests_of_the_core_pass_without_the_extras(tmp_path: Path) -> None:
    core = copied(tmp_path / "core")
    for folder in (core / "arena" / "extras", core / "tests" / "extras"):
        shutil.rmtree(folder)
    for compiled in (ROOT / "arena" / "train").glob("compiled_*"):
        shutil.copytree(compiled, core / "arena" / "train" / compiled.name)
    project = (core / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    lines = [line for line in project if "arena.extras" not in line]
    (core / "pyproject.toml").write_text("\n".join(lines), encoding="utf-8")
    shown = {**os.environ, "PYTHONPATH": str(core)}
    line = [sys.executable, "-m", "pytest", "-q", *(f"--ignore={path}" for path in ABOUT_ALL)]
    done = subprocess.run(line, cwd=core, env=shown, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:]
