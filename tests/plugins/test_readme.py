"""The examples of arena/plugins/README.md work when saved under the names on the page."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.commands.calls import arena
from support.repository.distributions import install
from support.repository.pages import ROOT, blocks

from arena import testing

PAGE = "arena/plugins/README.md"
EXAMPLES = {block.file: block.text for block in blocks("python") if block.page == PAGE if block.file}
(POINTS,) = (block.text for block in blocks("toml") if block.page == PAGE)
(SPEC,) = (block.text for block in blocks("yaml") if block.page == PAGE)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder in which the examples are installed as one distribution."""
    points = "[arena]" + POINTS.partition("[project.entry-points.arena]")[2].replace('"', "")
    install(tmp_path, "examples", EXAMPLES, points)
    return tmp_path


def test_there_is_an_example_of_each_common_kind() -> None:
    for hook in ("rulesets", "formats", "ratings", "tie_breaks", "reports", "commands"):
        assert [name for name, text in EXAMPLES.items() if f"def arena_{hook}()" in text], hook


@pytest.mark.process
def test_the_examples_play_rank_rate_and_report_a_league(site: Path) -> None:
    (site / "league.yaml").write_text(SPEC, encoding="utf-8")
    ran = arena("run", "league.yaml", "--results", "run", folder=site, PYTHONPATH=str(site))
    assert ran.returncode == 0, ran.stderr
    headline = (site / "run" / "headline.txt").read_text(encoding="utf-8")
    won = arena("winner", "run", folder=site, PYTHONPATH=str(site))
    assert won.returncode == 0, won.stderr
    assert headline.startswith(" and ".join(won.stdout.split()) + " wins Against the champion after ")


@pytest.mark.process
def test_the_command_reports_a_folder_without_a_run_in_one_line(site: Path) -> None:
    refused = arena("winner", ".", folder=site, PYTHONPATH=str(site))
    assert refused.returncode == 2
    assert refused.stderr.startswith("arena: results.json: cannot be read: ")
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.process
def test_the_tests_of_the_page_pass(site: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_challenge.py"]
    done = subprocess.run(command, cwd=site, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout


def test_every_builder_is_on_the_page() -> None:
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    builders = [name for name, value in vars(testing).items() if getattr(value, "__module__", "") == testing.__name__]
    assert len(builders) >= 8
    assert [name for name in builders if f"`{name}`" not in page] == []
