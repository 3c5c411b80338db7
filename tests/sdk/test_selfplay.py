"""``python -m arena.sdk.selfplay``: a bot against itself, and one line for what its author mistyped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import arena

ENVIRONMENT = {"PYTHONPATH": str(Path(arena.__file__).parents[1]), "PATH": os.environ["PATH"]}
MINE = """
from arena.sdk import Bot, Discard

class Mine(Bot):
    pass

class Wrong(Bot):
    def throws(self, view):
        return "Ks"

class Illegal(Bot):
    def discard(self, view):
        return Discard(min(set(range(52)) - {card for card in range(52) if view.cards >> card & 1}))
"""
USAGE = "expected python -m arena.sdk.selfplay module:Class [HANDS], as mine:Mine or mine.py:Mine"


def selfplay(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    command = [sys.executable, "-m", "arena.sdk.selfplay", *words]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=100)


@pytest.mark.process
@pytest.mark.parametrize("target", ["mine:Mine", "mine.py:Mine"])
def test_a_bot_plays_itself(tmp_path: Path, target: str) -> None:
    done = selfplay(tmp_path, target, "4")
    assert (done.returncode, done.stderr) == (0, "")
    assert "hands a second" in done.stdout


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), f"found no bot; {USAGE}"),
        (("--help",), f"found '--help'; {USAGE}"),
        (("mine", "5"), f"found 'mine'; {USAGE}"),
        (("mine:Mine", "5", "6"), f"found '6' after the hands; {USAGE}"),
        (("mine:Mine", "many"), "hands: found 'many'; expected a whole number from 1 to 10,000,000"),
        (("mine:Mine", "0"), "hands: found '0'; expected a whole number from 1 to 10,000,000"),
        (("mine:Mien", "5"), "mine has no class 'Mien'; it has Mine, Wrong, Illegal"),
        (("mien:Mine", "5"), "No module named 'mien'"),
        (("mien.py:Mine", "5"), "{here}/mien.py is not a file"),
        (("mine:Wrong", "5"), "Wrong.throws (mine.py:8) returned 'Ks', of type str; expected a card, a number from 0 to 51, "),
        (("mine:Illegal", "5"), "an illegal answer: "),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, words: tuple[str, ...], complaint: str) -> None:
    done = selfplay(tmp_path, *words)
    assert done.stderr.startswith(f"selfplay: {complaint.format(here=tmp_path)}")
    assert done.stderr.count("\n") == 1
    assert (done.returncode, done.stdout) == (2, "")
