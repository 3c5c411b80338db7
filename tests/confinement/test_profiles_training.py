"""A bot plays with the kernel of ``arena.train`` in its sandbox, under every strict profile, in a folder with any name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.confinement.profiles import StrictProfile
from arena.players.sandboxes import StandardSandbox, StrictSandbox
from arena.roster.finder import find

SEARCHER = """
import sys
{imported}
from arena.sdk import Bot

class Mine(Bot):
    pass

hands = Hands(2)
hands.finish("greedy", "greedy")
print("finished", int(hands.decisions > 0), flush=True)
"""
WAYS = (
    "from arena.train import Hands",
    "import arena.train.hands\nHands = arena.train.hands.Hands",
    "from arena import train\nHands = train.Hands",
)


def finished(live: Callable[..., Any], folder: Path, imported: str, sandbox: Any) -> bool:
    folder.mkdir()
    (folder / "mine.py").write_text(SEARCHER.format(imported=imported), encoding="utf-8")
    life = live(sandbox, find(f"{folder / 'mine.py'}:Mine").launch)
    return "finished 1" in life.log.splitlines()


def test_a_bot_may_import_the_kernel(live: Callable[..., Any], bot_folder: Path, profile: StrictProfile) -> None:
    assert finished(live, bot_folder / "Ünï çode dir", WAYS[0], StrictSandbox(profile=profile))


@pytest.mark.parametrize("way", WAYS, ids=["from", "import", "package"])
def test_a_bot_may_import_the_kernel_in_any_way(live: Callable[..., Any], bot_folder: Path, way: str) -> None:
    assert finished(live, bot_folder / "own", way, StandardSandbox())
