"""``python -m arena.sdk`` as a real process: printed text does not disturb the conversation."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from random import Random

import pytest
from support.bots.conversation import play_hands, process
from support.hands.by_chance import any_action

import arena
from arena.gin.actions import Pass
from arena.gin.rules import Rules
from arena.protocol.codec import MalformedError

ROOT = Path(arena.__file__).parents[1]
ENVIRONMENT = {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", "PATH": os.environ["PATH"]}
START = [sys.executable, "-s", "-P", "-m", "arena.sdk"]

CHATTY = '''
"""Writes all the time, to every form of standard output."""
import os, sys
from neighbour import GREETING
print(GREETING)

from arena.sdk import Bot

class Chatty(Bot):
    def answer(self, view):
        print('{"kind":"pass"}', flush=True)
        sys.stdout.write("thinking about " + str(view.stock) + "\\n")
        sys.stdout.flush()
        os.write(1, b"straight to descriptor 1\\n")
        os.system("echo from a child")
        return super().answer(view)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a bot that prints, and a module beside it that it imports."""
    (tmp_path / "bot.py").write_text(CHATTY, encoding="utf-8")
    (tmp_path / "__init__.py").touch()
    (tmp_path / "neighbour.py").write_text("GREETING = 'hello from the import'\n", encoding="utf-8")
    return tmp_path


def test_printed_text_does_not_reach_the_referee(folder: Path) -> None:
    chance = Random(3)
    with process([*START, f"{folder / 'bot.py'}:Chatty"], folder, ENVIRONMENT) as (teller, bot):
        played = list(play_hands(teller, Rules(), 3, lambda hand: any_action(hand, chance)))
        assert bot.wait(10) == 0
        assert bot.stdout is not None
        assert bot.stderr is not None
        rest, log = bot.stdout.read(), bot.stderr.read().decode()
    assert len(played) == 3
    assert rest == b""
    for said in ("hello from the import", "thinking about 31", "straight to descriptor 1", "from a child"):
        assert said in log


def test_a_bot_can_be_named_by_its_module() -> None:
    with process([*START, "arena.sdk.bot:Bot"], ROOT, ENVIRONMENT) as (teller, bot):
        ready = teller.greet(Rules())
        assert bot.stdin is not None
        bot.stdin.close()
        assert bot.wait(10) == 0
    assert ready.bot == "Bot"


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("bot.py:Missing", "Missing"),
        ("missing.py:Bot", "missing.py"),
        ("no_such_module:Bot", "No module named 'no_such_module'"),
    ],
)
def test_a_bot_that_cannot_be_found_exits_with_a_reason_in_its_log(folder: Path, target: str, complaint: str) -> None:
    with process([*START, target], folder, ENVIRONMENT) as (_, bot):
        assert bot.wait(10) == 1
        assert bot.stdout is not None
        assert bot.stderr is not None
        assert bot.stdout.read() == b""
        assert complaint in bot.stderr.read().decode()


def test_the_same_seed_plays_the_same_hands_in_every_process(folder: Path) -> None:
    gambler = (
        "from arena.sdk import *\nclass G(Bot):\n    def upcard(self, view):\n        return self.random.choice([Take(), Pass()])\n"
    )
    (folder / "gambler.py").write_text(gambler, encoding="utf-8")
    plays = []
    for hash_seed in ("1", "2"):
        chance = Random(4)
        with process([*START, "gambler.py:G"], folder, ENVIRONMENT | {"PYTHONHASHSEED": hash_seed}) as (teller, _):
            plays.append([played.actions for played in play_hands(teller, Rules(), 10, partial(any_action, chance=chance))])
    assert plays[0] == plays[1]


def test_a_traceback_begins_at_the_bots_own_code(folder: Path) -> None:
    (folder / "broken.py").write_text(
        "from arena.sdk import Bot\n\nclass Broken(Bot):\n    def upcard(self, view):\n        return 1 / 0\n"
    )
    with process([*START, "broken.py:Broken"], folder, ENVIRONMENT) as (teller, bot):
        with pytest.raises(MalformedError):
            list(play_hands(teller, Rules(), 1, lambda _: Pass()))
        assert bot.stderr is not None
        first, second, *_ = bot.stderr.read().decode().splitlines()
    assert first == "Traceback (most recent call last):"
    assert "broken.py" in second


def test_a_bot_in_a_file_does_not_import_a_neighbouring_file_in_place_of_a_library(tmp_path: Path) -> None:
    (tmp_path / "fractions.py").write_text("raise SystemExit('somebody else ran')")
    (tmp_path / "mine.py").write_text("import statistics\nfrom arena.sdk import Bot\nclass Mine(Bot): pass\n")
    done = subprocess.run(
        [sys.executable, "-s", "-P", "-m", "arena.sdk", f"{tmp_path}/mine.py:Mine"],
        input=b"",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
