"""The files of a bot, and the digest that identifies their version."""

from hashlib import sha256
from pathlib import Path

import pytest

from arena.errors import RosterError
from arena.roster import python_bot, python_source
from arena.roster.entrant import digest
from arena.roster.finder import find


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    files = {
        "__init__.py": "",
        "mine.py": "import helper\nfrom package import part\nimport json\nclass Mine(json.JSONDecoder): pass\n",
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


PARTS = {"package/__init__.py", "package/part.py", "package/other.py"}
USED = {"__init__.py", "mine.py", "mine.json", "helper.py", "deeper.py", *PARTS}


def files(module: Path) -> tuple[Path, ...]:
    return python_bot.read(python_bot.root_of_path(module.resolve(), [])).files


def named(files: tuple[Path, ...], folder: Path) -> set[str]:
    return {str(path.relative_to(folder.resolve())) for path in files}


def test_a_bot_consists_of_its_module_and_what_that_imports_from_its_own_folder(bot: Path) -> None:
    assert named(files(bot), bot.parent) == USED


@pytest.mark.parametrize("name", sorted(USED))
def test_the_digest_changes_with_every_file_of_the_bot(bot: Path, name: str) -> None:
    before = find(f"{bot}:Mine").digest
    with (bot.parent / name).open("a") as file:
        file.write("\n")
    assert find(f"{bot}:Mine").digest != before


@pytest.mark.parametrize("name", ["unused.py", "unused.json", "package/unused.py"])
def test_the_digest_does_not_change_with_files_that_the_bot_does_not_import(bot: Path, name: str) -> None:
    before = find(f"{bot}:Mine").digest
    (bot.parent / name).write_text("changed")
    assert find(f"{bot}:Mine").digest == before


def test_a_folder_without_files_has_a_digest() -> None:
    assert digest([]) == sha256(b"").hexdigest()


def test_the_digest_does_not_depend_on_the_bots_folder(bot: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    moved = [elsewhere / path.name for path in files(bot) if path.parent == bot.parent.resolve()]
    for path in moved:
        path.write_bytes((bot.parent / path.name).read_bytes())
    assert digest(moved) == digest(bot.parent / path.name for path in reversed(moved))


INVALID = {
    "a syntax error": (b"x = 1\ndef (:\n", ":2: not valid Python: "),
    "many signs": (b"-" * 200_000 + b"1", ": not valid Python: nested too deeply"),
    "many attributes": (b"a" + b".a" * 200_000, ": not valid Python: nested too deeply"),
    "many calls": (b"a" + b"()" * 100_000, ": not valid Python: nested too deeply"),
    "many brackets": (b"(" * 200_000, ":1: not valid Python: too many nested parentheses"),
    "a null byte": (b"a\0b", ":1: not valid Python: "),
    "not text": (b"\xff\xfe\x80", ":1: not valid Python: "),
    "unknown encoding": (b"# coding: klingon\n", ":1: not valid Python: "),
    "a hundred dots": (b"from " + b"." * 100 + b" import x\n", ":1: imports from outside the bot's own package"),
    "a source that is too large": (b"#" * (python_source.LARGEST + 1), ": larger than 1048576 bytes"),
}


@pytest.mark.parametrize("case", INVALID)
def test_a_source_that_the_parser_refuses_gives_one_line(tmp_path: Path, case: str) -> None:
    text, line = INVALID[case]
    (tmp_path / "broken.py").write_bytes(text)
    with pytest.raises(RosterError) as caught:
        find(f"{tmp_path}/broken.py:Broken")
    assert str(caught.value).startswith(f"{tmp_path}/broken.py{line}")
    assert "\n" not in str(caught.value)


def test_an_invalid_escape_in_a_source_causes_no_warning(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from arena.sdk import Bot\nclass Mine(Bot): x = '\\d'\n")
    assert find(f"{tmp_path}/mine.py:Mine").name == "Mine"  # pytest turns warnings into errors


def test_a_bot_with_a_manifest_consists_of_its_whole_folder(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("name: mine\ncommand: [sh, run]\n")
    before = find(f"{tmp_path}/bot.yaml").digest
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "weights").write_text("1")
    assert find(f"{tmp_path}/bot.yaml").digest != before


def test_swapping_two_files_with_the_same_name_changes_the_digest(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("name: mine\ncommand: [sh, run]\n")
    early, late = tmp_path / "early" / "weights", tmp_path / "late" / "weights"
    for file in (early, late):
        file.parent.mkdir()
        file.write_text(file.parent.name)
    before = find(f"{tmp_path}/bot.yaml").digest
    early.write_text("late")
    late.write_text("early")
    assert find(f"{tmp_path}/bot.yaml").digest != before


def test_the_init_file_of_every_package_around_a_module_is_part_of_the_bot(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for path in (tmp_path / "outer" / "__init__.py", inner / "__init__.py", inner / "bot.py"):
        path.touch()
    assert files(inner / "bot.py") == (tmp_path / "outer" / "__init__.py", inner / "__init__.py", inner / "bot.py")
