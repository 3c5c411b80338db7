"""Which files a bot consists of, and the digest that tells its versions apart."""

from pathlib import Path

import pytest

from arena.roster import content
from arena.roster.entrant import digest
from arena.roster.finder import find


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    files = {
        "mine.py": "import helper\nfrom package import part\nimport json\nclass Mine: pass\n",
        "helper.py": "import deeper\n",
        "deeper.py": "import mine\n",
        "package/__init__.py": "",
        "package/part.py": "from . import other\n",
        "package/other.py": "",
        "package/unused.py": "",
        "unused.py": "",
        "mine.json": "{}",
        "unused.json": "{}",
    }
    (tmp_path / "package").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "mine.py"


USED = {"mine.py", "mine.json", "helper.py", "deeper.py", "package/__init__.py", "package/part.py", "package/other.py"}


def named(files: list[Path], folder: Path) -> set[str]:
    return {str(path.relative_to(folder.resolve())) for path in files}


def test_a_bot_is_its_module_and_what_that_imports_from_its_own_folder(bot: Path) -> None:
    assert named(content.files(bot), bot.parent) == USED


@pytest.mark.parametrize("name", sorted(USED))
def test_the_digest_changes_with_every_file_of_the_bot(bot: Path, name: str) -> None:
    before = find(f"{bot}:Mine").digest
    with (bot.parent / name).open("a") as file:
        file.write("\n")
    assert find(f"{bot}:Mine").digest != before


@pytest.mark.parametrize("name", ["unused.py", "unused.json", "package/unused.py"])
def test_the_digest_does_not_change_with_what_belongs_to_others(bot: Path, name: str) -> None:
    before = find(f"{bot}:Mine").digest
    (bot.parent / name).write_text("changed")
    assert find(f"{bot}:Mine").digest == before


def test_the_digest_is_the_same_wherever_the_bot_stands(bot: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    moved = [elsewhere / path.name for path in content.files(bot) if path.parent == bot.parent.resolve()]
    for path in moved:
        path.write_bytes((bot.parent / path.name).read_bytes())
    assert digest(moved) == digest(bot.parent / path.name for path in reversed(moved))


def test_a_source_that_cannot_be_parsed_is_a_file_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def (:\n")
    assert [path.name for path in content.files(tmp_path / "broken.py")] == ["broken.py"]


def test_a_manifests_bot_is_all_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("name: mine\ncommand: [sh, run]\n")
    before = find(f"{tmp_path}/bot.yaml").digest
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "weights").write_text("1")
    assert find(f"{tmp_path}/bot.yaml").digest != before


def test_files_of_one_name_that_change_places_change_the_digest(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("name: mine\ncommand: [sh, run]\n")
    early, late = tmp_path / "early" / "weights", tmp_path / "late" / "weights"
    for file in (early, late):
        file.parent.mkdir()
        file.write_text(file.parent.name)
    before = find(f"{tmp_path}/bot.yaml").digest
    early.write_text("late")
    late.write_text("early")
    assert find(f"{tmp_path}/bot.yaml").digest != before


def test_every_package_around_a_module_is_part_of_its_bot(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for path in (tmp_path / "outer" / "__init__.py", inner / "__init__.py", inner / "bot.py"):
        path.touch()
    assert content.files(inner / "bot.py") == [tmp_path / "outer" / "__init__.py", inner / "__init__.py", inner / "bot.py"]
