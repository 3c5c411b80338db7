"""The bots in other languages: each is a program, a manifest and a README."""

import shutil
import subprocess
from pathlib import Path

import pytest
from builders import RULESETS
from match_records import untimed
from matches import match

from arena.gin.rules import Rules
from arena.players.remote import LineLimits, RemotePlayer, TimeLimits
from arena.players.sandboxes import StandardSandbox
from arena.records import HandRecord
from arena.roster.finder import find
from arena.tournament import audition

BOTS = Path(__file__).parents[2] / "bots"


def c_counter(folder: Path) -> Path:
    """Copy and compile the bot in C, as its README says, and return its manifest."""
    if shutil.which("make") is None or shutil.which("cc") is None:
        pytest.skip("make or a C compiler is not installed here")
    copy = folder / "c_counter"
    shutil.copytree(BOTS / "c_counter", copy, ignore=shutil.ignore_patterns("bot"))
    made = subprocess.run(["make"], cwd=copy, capture_output=True, text=True, check=False)  # noqa: S607 - the author's step
    assert made.returncode == 0, made.stderr
    return copy / "bot.yaml"


def node_counter(_: Path) -> Path:
    """Return the manifest of the bot in JavaScript."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed here")
    return BOTS / "node_counter" / "bot.yaml"


def played(manifest: Path, rules: Rules, hands: int = 30) -> tuple[HandRecord, ...]:
    """Return legal hands played in the sandbox."""
    launch = StandardSandbox(threads=8).wrap(find(str(manifest)).launch)
    bot = RemotePlayer(launch, rules, TimeLimits(), LineLimits(), "seed")
    record = match(bot, audition.partner("languages"), rules=rules, hands=hands)
    assert record.faults == ()
    assert bot.ended is not None
    assert bot.ended.code == 0
    return untimed(record).hands


@pytest.mark.process
@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
@pytest.mark.parametrize("made", [c_counter, node_counter])
def test_they_play_legal_hands_under_every_ruleset(made: type, rules: Rules, tmp_path: Path) -> None:
    assert len(played(made(tmp_path), rules)) == 30


@pytest.mark.process
def test_the_bots_in_c_and_javascript_play_the_same(tmp_path: Path) -> None:
    assert played(c_counter(tmp_path), Rules(), 60) == played(node_counter(tmp_path), Rules(), 60)


@pytest.mark.parametrize("folder", ["awk_counter", "c_counter", "node_counter"])
def test_each_bot_has_a_readme_and_a_manifest_with_its_name(folder: str) -> None:
    name = folder.replace("_", "-")
    assert (BOTS / folder / "README.md").read_text(encoding="utf-8").startswith(f"# {name}\n")
    assert f"name: {name}\n" in (BOTS / folder / "bot.yaml").read_text(encoding="utf-8")
