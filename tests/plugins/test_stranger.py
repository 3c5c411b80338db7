"""A stranger's plugin adds a command, a page of the manual and a kind of run, in less than 150 lines."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.commands.calls import arena
from support.repository.distributions import install

if TYPE_CHECKING:
    import subprocess

DRILL = Path(__file__).with_name("drill")
FILES = {f"drill/{path.name}": path.read_text(encoding="utf-8") for path in DRILL.iterdir() if path.is_file()}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    install(tmp_path / "site", "drill", {**FILES, "drill/__init__.py": ""}, "[arena]\ndrill = drill.plugin\n")
    return tmp_path


def call(site: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return arena(*words, folder=site, PYTHONPATH=str(site / "site"))


@pytest.mark.process
def test_a_stranger_adds_a_command_a_page_and_a_kind_of_run(site: Path) -> None:
    assert sum(len(text.splitlines()) for text in FILES.values()) < 150
    assert call(site, "docs", "drill").stdout.startswith("# Drills\n")
    assert "Drill a bot against itself." in call(site, "--help").stdout.partition("Play:")[2].partition(":\n")[0]
    assert call(site, "drill", "mine").stdout == "Drilled in mine\n"
    verified = call(site, "verify", "mine")
    assert verified.returncode == 0, verified.stderr
    assert "\ndrill: ann and bob are one bot\n" in verified.stdout
    assert verified.stdout.endswith(" hands, 0 differences\n")
    for words in (("report", "mine"), ("export", "mine", "--to", "hands.jsonl")):
        done = call(site, *words)
        assert done.returncode == 0, done.stderr
    shutil.rmtree(site / "site")
    refused = call(site, "verify", "mine")
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert refused.stderr.startswith("arena: mine: holds a run of the kind 'drill'; the plugin that reads it is not installed")
    assert "pip install drill==" in refused.stderr
