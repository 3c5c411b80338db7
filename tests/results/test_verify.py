"""The bots of a stored run are found again, from any folder."""

from pathlib import Path

import pytest

from arena.errors import RosterError
from arena.roster.entrant import IN_PROCESS_SOURCE, NO_DIGEST, PERSONS_SOURCE, Entered
from arena.roster.finder import find
from arena.runs.stored import find_recorded_bot
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


def test_a_person_is_not_searched_as_a_bot(tmp_path: Path) -> None:
    with pytest.raises(RosterError, match="'ann' is a person"):
        find_recorded_bot("person", Entered("ann", "0", PERSONS_SOURCE, NO_DIGEST), Folder(tmp_path))


def test_a_bot_of_another_process_is_not_confused_with_an_installed_one_of_its_name(tmp_path: Path) -> None:
    then = Entered("greedy", "0", IN_PROCESS_SOURCE, NO_DIGEST)
    with pytest.raises(RosterError, match="bot 'greedy' played in the process of a program, so it cannot be started again"):
        find_recorded_bot("greedy", then, Folder(tmp_path))
