"""The bots in other languages: each is a program, a manifest and a README."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support.hands.builders import RULESETS
from support.matches.in_process import match
from support.matches.records import untimed
from support.sizes import mostly_nightly

from arena.gin.rules import Rules
from arena.limits import LineLimits, TimeLimits
from arena.players.process_player import ProcessPlayer
from arena.players.sandboxes import StandardSandbox
from arena.records import HandRecord
from arena.roster.finder import find
from arena.tournament import sparring

BOTS = Path(__file__).parents[2] / "bots"


def compiled(name: str, folder: Path, compiler: str) -> Path:
    """Copy and compile a bot, as its README says, and return its manifest."""
    if shutil.which("make") is None or shutil.which(compiler) is None:
        pytest.skip(f"make or {compiler} is not installed here")
    copy = folder / name
    shutil.copytree(BOTS / name, copy, ignore=shutil.ignore_patterns("bot", "target"))
    made = subprocess.run(["make"], cwd=copy, capture_output=True, text=True, check=False)  # noqa: S607 - the author's step
    assert made.returncode == 0, made.stderr
    return copy / "bot.yaml"


def c_counter(folder: Path) -> Path:
    """Return the manifest of the bot in C."""
    return compiled("c_counter", folder, "cc")


def rust_counter(folder: Path) -> Path:
    """Return the manifest of the bot in Rust."""
    return compiled("rust_counter", folder, "cargo")


def node_counter(_: Path) -> Path:
    """Return the manifest of the bot in JavaScript."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed here")
    return BOTS / "node_counter" / "bot.yaml"


def played(manifest: Path, rules: Rules, hands: int = 30) -> tuple[HandRecord, ...]:
    """Return legal hands played in the sandbox."""
    launch = StandardSandbox(threads=8).wrap(find(str(manifest)).launch)
    bot = ProcessPlayer(launch, rules, TimeLimits(), LineLimits(), "seed")
    record = match(bot, sparring.partner("languages"), rules=rules, hands=hands)
    assert record.faults == ()
    assert bot.ended is not None
    assert bot.ended.code == 0
    return untimed(record).hands


@pytest.mark.process
@pytest.mark.parametrize("rules", mostly_nightly(RULESETS.values(), RULESETS["tournament"]), ids=RULESETS)
@pytest.mark.parametrize("made", [c_counter, node_counter, rust_counter])
def test_they_play_legal_hands_under_every_ruleset(made: Callable[[Path], Path], rules: Rules, tmp_path: Path) -> None:
    assert len(played(made(tmp_path), rules)) == 30


@pytest.mark.process
@pytest.mark.parametrize("made", [c_counter, rust_counter])
def test_the_compiled_bots_play_as_the_one_in_javascript(made: Callable[[Path], Path], tmp_path: Path) -> None:
    assert played(made(tmp_path), Rules(), 60) == played(node_counter(tmp_path), Rules(), 60)


@pytest.mark.parametrize("folder", ["awk_counter", "c_counter", "node_counter", "rust_counter"])
def test_each_bot_has_a_readme_and_a_manifest_with_its_name(folder: str) -> None:
    name = folder.replace("_", "-")
    assert (BOTS / folder / "README.md").read_text(encoding="utf-8").startswith(f"# {name}\n")
    assert f"name: {name}\n" in (BOTS / folder / "bot.yaml").read_text(encoding="utf-8")
