"""Bots found by entry point, path and manifest, and none of them imported."""

import sys
from pathlib import Path

import pytest
from distributions import install

from arena.errors import RosterError
from arena.roster import finder
from arena.roster.entrant import Entrant

LOUD = """
from pathlib import Path
Path(__file__).with_suffix(".imported").touch()
class Loud: pass
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder on the path of imports."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def listed(name: str) -> Entrant:
    assert finder.names().count(name) == 1
    return finder.find(name)


def imported(folder: Path) -> list[Path]:
    return list(folder.rglob("*.imported"))


def test_an_installed_bot_is_listed_and_found_without_being_imported(site: Path) -> None:
    install(
        site,
        "loud-bots",
        {"loud_bots/__init__.py": LOUD, "loud_bots/inner.py": LOUD},
        "[arena.bots]\nloud = loud_bots.inner:Loud\n",
    )
    bot = listed("loud")
    assert bot == finder.find("loud")
    assert (bot.version, bot.source) == ("1.2", "loud-bots loud_bots.inner:Loud")
    assert bot.launch.command == (sys.executable, "-s", "-P", "-m", "arena.sdk", "loud_bots.inner:Loud")
    assert imported(site) == []
    assert "loud_bots" not in sys.modules


def test_a_bot_on_disk_is_found_from_the_folder_of_its_spec_without_being_imported(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LOUD)
    bot = finder.find("mine.py:Loud", folder=tmp_path)
    assert (bot.name, bot.version, bot.source) == ("Loud", "0", f"{tmp_path}/mine.py:Loud")
    assert bot.launch.folder == str(tmp_path)
    assert imported(tmp_path) == []


def test_a_bot_may_be_called_something_else() -> None:
    assert finder.find("greedy", "second").name == "second"


def manifest(folder: Path, text: str = "name: mine\ncommand: [./run.sh, -x]\nversion: '3'\nthreads: 2\nscratch_mb: 4\n") -> Path:
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "bot.yaml").write_text(text)
    return folder / "bot.yaml"


def test_a_bot_of_any_language_is_found_by_its_manifest(tmp_path: Path) -> None:
    bot = finder.find(str(manifest(tmp_path)))
    assert (bot.name, bot.version, bot.source) == ("mine", "3", str(tmp_path / "bot.yaml"))
    assert bot.launch.command[1:] == ("-x",)
    assert Path(bot.launch.command[0]).samefile(tmp_path / "run.sh")
    assert (bot.launch.threads, bot.launch.scratch_mb) == (2, 4)


@pytest.mark.parametrize(("written", "version"), [("1", "1"), ("1.5", "1.5"), ("'1.50'", "1.50")])
def test_a_version_may_be_written_as_a_number(tmp_path: Path, written: str, version: str) -> None:
    text = f"name: mine\ncommand: [./run.sh]\nversion: {written}\n"
    assert finder.find(str(manifest(tmp_path, text))).version == version


def test_a_program_that_is_installed_is_found_on_the_path(tmp_path: Path) -> None:
    bot = finder.find(str(manifest(tmp_path, "name: mine\ncommand: [sh, run.sh]\n")))
    assert Path(bot.launch.command[0]).name == "sh"
    assert Path(bot.launch.command[0]).is_absolute()


def test_nothing_of_the_users_environment_reaches_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    for launch in (finder.find("greedy").launch, finder.find(str(manifest(tmp_path))).launch):
        assert {name for name, _ in launch.environment} <= {"PATH", "LANG", "PYTHONHASHSEED"}


@pytest.mark.parametrize(
    ("bot", "told"),
    [
        (
            "gredy",
            r"^no bot 'gredy'; did you mean 'greedy'\? installed: .*greedy.*; or name a file, as my/bot.py:Class or my/bot.yaml$",
        ),
        ("", r"^no bot ''; installed: "),
        ("zzz", r"^no bot 'zzz'; installed: "),
        ("mine.py", r"^no bot 'mine.py'; "),
        ("nowhere.py:Mine", r"^no file 'nowhere.py' in /"),
        ("nowhere/bot.yaml", r"^no file 'nowhere/bot.yaml' in /"),
    ],
)
def test_what_is_not_there_is_one_line_with_the_nearest(bot: str, told: str) -> None:
    with pytest.raises(RosterError, match=told) as caught:
        finder.find(bot)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("bot.yaml", "'mine' is a folder; name the manifest in it: mine/bot.yaml"),
        ("pyproject.toml", "'mine' is a folder with a package; install it (pip install -e {}/mine), and call the bot by its name"),
    ],
)
def test_a_folder_that_is_named_for_the_bot_in_it_is_told_what_to_name(tmp_path: Path, file: str, told: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / file).touch()
    with pytest.raises(RosterError) as caught:
        finder.find("mine", folder=tmp_path)
    assert str(caught.value) == told.format(tmp_path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected a mapping; found nothing"),
        ("name: x\n", "'command' is missing"),
        ("name: x y\ncommand: [sh]\n", r"name: expected a text of the form \[A-Za-z0-9\]\[A-Za-z0-9_.-\]\{0,49\}$"),
        ("name: x\ncommand: []\n", "length >= 1"),
        ("name: x\ncommand: sh\n", "command: expected a list; found a text"),
        ("name: x\ncommand: [nothing-of-that-name]\n", "'nothing-of-that-name' is neither in the bot's folder nor installed"),
        ('name: x\ncommand: ["sh\\0"]\n', "of the form"),
        ("name: x\ncommand: [sh]\ncolour: red\n", "unknown key 'colour'"),
        ('name: x\ncommand: [sh]\nversion: "\\e[31m"\n', "of the form"),
        ("name: x\ncommand: [sh]\nthreads: 0\n", ">= 1"),
        ("name: [\n", "while parsing"),
        ("name: \xff", "cannot be read"),
    ],
)
def test_a_manifest_that_is_none_is_one_line(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "bot.yaml").write_bytes(text.encode("latin-1"))
    with pytest.raises(RosterError, match=told) as caught:
        finder.find(str(tmp_path / "bot.yaml"))
    assert str(caught.value).startswith(f"{tmp_path}/bot.yaml: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", ["nothing_there:Bot", "loud_bots.nothing:Bot", "loud_bots.inner.deeper:Bot"])
def test_an_entry_point_to_nothing_is_one_line_that_names_the_bot(site: Path, value: str) -> None:
    install(site, "loud-bots", {"loud_bots/__init__.py": LOUD}, f"[arena.bots]\nloud = {value}\n")
    with pytest.raises(RosterError, match=r"^bot 'loud': ") as caught:
        finder.find("loud")
    assert "\n" not in str(caught.value)
    assert imported(site) == []


def test_a_bot_whose_extra_is_not_installed_says_how_to_install_it(site: Path) -> None:
    points = "[arena.bots]\nneedy = needy:Needy [far]\nplain = needy:Needy\n"
    install(site, "needy", {"needy.py": "class Needy: pass\n"}, points)
    metadata = site / "needy-1.2.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text() + 'Provides-Extra: far\nRequires-Dist: no-such-thing>=1; extra == "far"\n')
    with pytest.raises(RosterError, match=r"needs no-such-thing, which is not installed: pip install 'needy\[far\]'"):
        finder.find("needy")
    assert finder.find("plain").launch.command[-1] == "needy:Needy"


def test_what_a_makefile_would_make_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("name: made\ncommand: [./bot]\n")
    (tmp_path / "Makefile").touch()
    with pytest.raises(RosterError, match=f"compile it first: make -C {tmp_path}"):
        finder.find(str(tmp_path / "bot.yaml"))


def test_a_file_that_is_named_without_the_class_in_it_is_told_what_to_name(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LOUD)
    for bot in ("mine.py", "mine.py:"):
        with pytest.raises(RosterError, match=r"is a file; name the class in it too, as mine\.py:Class"):
            finder.find(bot, folder=tmp_path)


def test_a_name_that_two_packages_bring_is_nobodys(site: Path) -> None:
    for name in ("one", "two"):
        install(site, f"{name}-bots", {f"{name}_bots.py": LOUD}, f"[arena.bots]\nloud = {name}_bots:Loud\n")
    with pytest.raises(RosterError, match="bot 'loud' is brought by two packages, one-bots and two-bots"):
        listed("loud")


@pytest.mark.parametrize("text", [b"version: 2001-13-45\n", b"[" * 20_000, b"name: \xe9\n"])
def test_a_manifest_that_is_no_yaml_is_told_in_one_line(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "bot.yaml").write_bytes(text)
    with pytest.raises(RosterError) as told:
        finder.find("bot.yaml", folder=tmp_path)
    assert str(told.value).startswith(f"{tmp_path}/bot.yaml: ")
    assert "\n" not in str(told.value)
