"""A stranger's plugin adds a command, a page of the manual and a kind of run, in less than 150 lines."""

import shutil
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.commands.calls import arena
from support.repository.distributions import install

if TYPE_CHECKING:
    import subprocess


def written(folder: Path) -> dict[str, str]:
    """Return the files of a new extra by their paths."""
    done = arena("plugins", "new", "drill", "--kind", "extra", folder=folder)
    assert done.returncode == 0, done.stderr
    home = folder / "drill"
    return {str(path.relative_to(home)): path.read_text(encoding="utf-8") for path in home.rglob("*.*")}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder with a new extra, which is installed in its folder ``site``."""
    files = written(tmp_path)
    assert sum(len(text.splitlines()) for text in files.values()) < 150
    (point,) = tomllib.loads(files["pyproject.toml"])["project"]["entry-points"]["arena"].items()
    package = {path: text for path, text in files.items() if path.startswith("drill/")}
    install(tmp_path / "site", "drill", package, "[arena]\n{} = {}\n".format(*point))
    return tmp_path


def call(site: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return arena(*words, folder=site, PYTHONPATH=str(site / "site"))


@pytest.mark.process
def test_a_stranger_adds_a_command_a_page_and_a_kind_of_run(site: Path) -> None:
    assert call(site, "docs", "drill").stdout.startswith("# The command drill\n")
    assert "Play a bot against itself." in call(site, "--help").stdout.partition("Play:")[2].partition(":\n")[0]
    assert call(site, "drill", "mine").stdout == "Played in mine\n"
    again = call(site, "drill", "mine")
    assert (again.returncode, again.stderr) == (2, "arena: mine: holds a run already; expected a new folder\n")
    verified = call(site, "verify", "mine")
    assert verified.returncode == 0, verified.stderr
    assert "\ndrill: one and other are one bot\n" in verified.stdout
    assert verified.stdout.endswith(" hands, 0 differences\n")
    for words in (("report", "mine"), ("export", "mine", "--to", "hands.jsonl")):
        done = call(site, *words)
        assert done.returncode == 0, done.stderr
    shutil.rmtree(site / "site")
    refused = call(site, "verify", "mine")
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert refused.stderr.startswith("arena: mine: holds a run of the kind 'drill'; the plugin that reads it is not installed")
    assert "pip install drill==" in refused.stderr


@pytest.mark.process
def test_a_broken_kind_of_run_ends_a_command_with_one_line(site: Path) -> None:
    assert call(site, "drill", "mine").returncode == 0
    run = site / "site" / "drill" / "run.py"
    run.write_text(run.read_text(encoding="utf-8").replace("return [*remarks", "[*remarks"), encoding="utf-8")
    broken = call(site, "verify", "mine")
    assert (broken.returncode, broken.stderr.count("\n")) == (2, 1)
    named = "plugin 'drill' of drill 1.2: hook arena_stored_kinds, kind 'drill', differences: found None at its end"
    assert broken.stderr.startswith(f"arena: {named}")
