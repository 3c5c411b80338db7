"""The bots of a stored run are found again, from any folder."""

from pathlib import Path

import pytest

from arena.results.verify import find_recorded_bot
from arena.roster.finder import find
from arena.store.folder import Folder

BOT = "from arena.sdk import Bot, Parameter\n\n\nclass Mine(Bot):\n    weight = Parameter(1.0, 0.0, 5.0)\n"


@pytest.mark.parametrize(
    "bot", ["mine.py", "mine.py:Mine", "mine.py(weight=2.5)", "../bots/mine.py", "program", "program/bot.yaml", "greedy"]
)
def test_a_bot_is_found_where_the_run_found_it(bot: str, tmp_path: Path) -> None:
    for name in ("specs", "bots"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(BOT)
    (tmp_path / "specs" / "program").mkdir()
    (tmp_path / "specs" / "program" / "bot.yaml").write_text("name: mine\ncommand: [sh, run.sh]\n")
    then = find(bot, folder=tmp_path / "specs")
    assert find_recorded_bot(bot, then, Folder(tmp_path / "run")) == then
