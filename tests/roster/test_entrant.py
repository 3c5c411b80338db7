"""When two entrants are the same program."""

import shutil
from pathlib import Path

import pytest

from arena.roster.entrant import same_program
from arena.roster.finder import find

BOT = "from arena.sdk import Bot\n\n\nclass Mine(Bot):\n    pass\n\n\nclass Other(Mine):\n    pass\n"
MANIFEST = "name: counter\ncommand: [awk, -f, bot.awk]\n"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return two folders with the same bots."""
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "mine.py").write_text(BOT)
    (tmp_path / "old" / "bot.yaml").write_text(MANIFEST)
    (tmp_path / "old" / "bot.awk").write_text("{}\n")
    shutil.copytree(tmp_path / "old", tmp_path / "new")
    return tmp_path / "old", tmp_path / "new"


@pytest.mark.parametrize("bot", ["mine.py:Mine", "bot.yaml"])
def test_a_copy_in_another_folder_is_the_same_program(folders: tuple[Path, Path], bot: str) -> None:
    old, new = (find(str(folder / bot)) for folder in folders)
    assert same_program(old, new)


@pytest.mark.parametrize(("file", "bot"), [("mine.py", "mine.py:Mine"), ("bot.awk", "bot.yaml"), ("bot.yaml", "bot.yaml")])
def test_any_changed_file_makes_another_program(folders: tuple[Path, Path], file: str, bot: str) -> None:
    changed = folders[1] / file
    changed.write_text(changed.read_text() + "# changed\n")
    old, new = (find(str(folder / bot)) for folder in folders)
    assert not same_program(old, new)


def test_two_classes_of_one_file_are_two_programs(folders: tuple[Path, Path]) -> None:
    mine, other = (find(f"{folders[0]}/mine.py:{name}") for name in ("Mine", "Other"))
    assert mine.digest == other.digest
    assert not same_program(mine, other)
