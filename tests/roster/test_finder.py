"""Bots are found by entry point, path and manifest, without being imported."""

import os
import re
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from support import refusals
from support.repository.distributions import install

from arena.errors import RosterError
from arena.roster import bot_classes, finder
from arena.roster.entrant import Entrant
from arena.roster.python_source import outline

MARKED = """
from pathlib import Path
from arena.sdk import Bot
Path(__file__).with_suffix(".imported").touch()
class Loud(Bot): pass
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder on ``sys.path``."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def listed(name: str) -> Entrant:
    assert finder.names().count(name) == 1
    return finder.find(name)


def refused(bot: str, folder: Path = Path()) -> str:
    """Return why a bot is refused, which is one line."""
    with pytest.raises(RosterError) as caught:
        finder.find(bot, folder=folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def imported(folder: Path) -> list[Path]:
    return list(folder.rglob("*.imported"))


HELPED = {
    "mine.py": "from helper import best\nfrom arena.sdk import Bot\nclass Mine(Bot):\n    pass\n",
    "helper.py": "def best(view):\n    return view\n",
}


def written(folder: Path, files: dict[str, str]) -> Path:
    """Return a folder with these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_a_folder_is_a_bot_if_one_class_in_it_is(tmp_path: Path) -> None:
    bot = finder.find(str(written(tmp_path / "class 1", HELPED)))
    assert (bot.name, bot.launch.command[-1]) == ("Mine", "mine:Mine")
    assert dict(bot.launch.environment)["PYTHONPATH"] == str(tmp_path / "class 1")
    (tmp_path / "class 1" / "helper.py").write_text("def best(view):\n    return None\n", encoding="utf-8")
    assert finder.find("class 1", folder=tmp_path).digest != bot.digest


def test_the_only_folder_in_a_folder_is_the_bot_as_in_an_archive(tmp_path: Path) -> None:
    written(tmp_path / "packed" / "inner", HELPED)
    (tmp_path / "packed" / "__MACOSX").mkdir()
    assert finder.find(str(tmp_path / "packed")).source == f"{tmp_path}/packed/inner mine:Mine"


def test_the_only_python_file_of_a_folder_is_the_bot_alone(tmp_path: Path) -> None:
    bot = finder.find(
        str(written(tmp_path / "one", {"mine.py": "from arena.sdk import Bot\nclass Mine(Bot):\n    pass\n", "notes.txt": ""}))
    )
    assert bot.source == f"{tmp_path}/one/mine.py:Mine"
    assert bot.launch.files == (f"{tmp_path}/one/mine.py",)


def test_a_class_from_which_another_one_in_the_folder_inherits_is_not_the_bot(tmp_path: Path) -> None:
    base = "from arena.sdk import Bot\nclass Base(Bot):\n    pass\n"
    folder = written(
        tmp_path / "two", {"base.py": base, "mine.py": "from base import Base as Start\nclass Mine(Start):\n    pass\n"}
    )
    assert finder.find(str(folder)).launch.command[-1] == "mine:Mine"


def test_a_folder_with_several_bots_or_none_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path / "many", {**HELPED, "other.py": HELPED["mine.py"].replace("Mine", "Other")})
    assert refused(str(folder)) == (
        f"{folder}: found {folder}/mine.py:Mine, {folder}/other.py:Other; expected one bot in it, or the name of one of them"
    )
    assert "found no class that inherits from Bot" in refused(str(written(tmp_path / "none", {"a.py": "", "b.py": ""})))


def test_a_bot_is_found_although_its_installation_was_seen_half_done_or_the_search_path_has_what_cannot_be_read(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend("x" * 5000)
    metadata = site / "slow_bots-1.2.dist-info"
    written(metadata, {"METADATA": "Metadata-Version: 2.1\nName: slow-bots\nVersion: 1.2\n"})
    assert "slow" not in finder.names()
    written(metadata, {"entry_points.txt": "[arena.bots]\nslow = slow_bots:Slow\n"})
    assert "slow" in finder.names()


def test_an_installed_bot_is_listed_and_found_without_being_imported(site: Path) -> None:
    install(
        site,
        "loud-bots",
        {"loud_bots/__init__.py": MARKED, "loud_bots/inner.py": MARKED},
        "[arena.bots]\nloud = loud_bots.inner:Loud\n",
    )
    bot = listed("loud")
    assert bot == finder.find("loud")
    assert (bot.version, bot.source) == ("1.2", "loud-bots loud_bots.inner:Loud")
    assert bot.launch.command == (sys.executable, "-s", "-P", "-m", "arena.sdk", "loud_bots.inner:Loud")
    assert imported(site) == []
    assert "loud_bots" not in sys.modules


def test_a_bot_on_disk_is_found_from_the_folder_of_its_spec_without_being_imported(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MARKED)
    bot = finder.find("mine.py:Loud", folder=tmp_path)
    assert (bot.name, bot.version, bot.source) == ("Loud", "0", f"{tmp_path}/mine.py:Loud")
    assert bot.launch.folder == str(tmp_path)
    assert imported(tmp_path) == []


def test_an_entrant_may_have_another_name_than_its_bot() -> None:
    assert finder.find("greedy", "second").name == "second"


def manifest(folder: Path, text: str = "name: mine\ncommand: [./run.sh, -x]\nversion: '3'\nthreads: 2\nscratch_mb: 4\n") -> Path:
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "bot.yaml").write_text(text)
    return folder / "bot.yaml"


def test_a_bot_in_any_language_is_found_by_its_manifest(tmp_path: Path) -> None:
    bot = finder.find(str(manifest(tmp_path)))
    assert (bot.name, bot.version, bot.source) == ("mine", "3", str(tmp_path / "bot.yaml"))
    assert bot.launch.command[1:] == ("-x",)
    assert Path(bot.launch.command[0]).samefile(tmp_path / "run.sh")
    assert (bot.launch.threads, bot.launch.scratch_mb) == (2, 4)


@pytest.mark.parametrize(("written", "version"), [("1", "1"), ("1.5", "1.5"), ("'1.50'", "1.50")])
def test_a_version_may_be_written_as_a_number(tmp_path: Path, written: str, version: str) -> None:
    text = f"name: mine\ncommand: [./run.sh]\nversion: {written}\n"
    assert finder.find(str(manifest(tmp_path, text))).version == version


def test_an_installed_program_is_found_on_the_path(tmp_path: Path) -> None:
    bot = finder.find(str(manifest(tmp_path, "name: mine\ncommand: [sh, run.sh]\n")))
    assert Path(bot.launch.command[0]).name == "sh"
    assert Path(bot.launch.command[0]).is_absolute()


def test_a_bot_gets_nothing_of_the_users_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    for launch in (finder.find("greedy").launch, finder.find(str(manifest(tmp_path))).launch):
        assert {name for name, _ in launch.environment} <= {"PATH", "LANG", "PYTHONHASHSEED"}


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        (
            "gredy",
            r"^no bot 'gredy'; did you mean 'greedy'\? installed: .*greedy.*; or name a file, as my/bot.py or my/bot.yaml$",
        ),
        ("", r"^no bot ''; installed: "),
        ("zzz", r"^no bot 'zzz'; installed: "),
        ("mine.py", r"^no file 'mine.py' in /"),
        ("nowhere.py:Mine", r"^no file 'nowhere.py' in /"),
        ("nowhere/bot.yaml", r"^no file 'nowhere/bot.yaml' in /"),
    ],
)
def test_an_unknown_bot_gives_one_line_with_the_nearest_name(bot: str, message: str) -> None:
    assert re.search(message, refused(bot))


def test_a_file_of_another_kind_is_not_taken_for_a_name(tmp_path: Path) -> None:
    (tmp_path / "mine.exe").touch()
    with pytest.raises(RosterError, match=r"^'mine.exe' is a file, but not of a bot; expected one as my/bot.py or my/bot.yaml$"):
        finder.find("mine.exe", folder=tmp_path)


def test_the_folder_of_a_package_gives_a_message_with_what_to_write_instead(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pyproject.toml").touch()
    expected = f"'mine' is a folder with a package; install it (pip install -e {tmp_path}/mine) and use the bot's name"
    assert refused("mine", tmp_path) == expected


def test_a_folder_with_a_manifest_is_that_bot(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    made = manifest(tmp_path / "mine")
    assert finder.find("mine", folder=tmp_path) == finder.find(str(tmp_path / "mine")) == finder.find(str(made))


BOMB = "a: &a {k: 1, l: 2}\n" + "".join(
    f"{new}: &{new} {{<<: [{', '.join([f'*{old}'] * 10)}]}}\n" for old, new in pairwise("abcdefghijkl")
)
MANIFESTS = (
    "",
    "name: x\n",
    "name: x y\ncommand: [sh]\n",
    "name: x\ncommand: []\n",
    "name: x\ncommand: sh\n",
    "name: x\ncommand: [nothing-of-that-name]\n",
    'name: x\ncommand: ["sh\\0"]\n',
    "name: x\ncommand: [sh]\ncolour: red\n",
    'name: x\ncommand: [sh]\nversion: "\\e[31m"\n',
    "name: x\ncommand: [sh]\nthreads: 0\n",
    "name: [\n",
    "name: \xe9\n",
    "version: 2001-13-45\n",
    "name: \xff",
)
LIMITS = {
    "merges": BOMB,
    "twice": "name: mine\nname: yours\ncommand: [sh]\n",
    "a long number": "name: mine\ncommand: [sh]\nversion: " + "1" * 60_001,
    "hexadecimal": "name: mine\ncommand: [sh]\nversion: 0x" + "f" * 300,
    "too large": "name: mine\ncommand: [sh]\ndescription: " + "x" * 70_000,
}


def find_manifest(folder: Path, text: str) -> Entrant:
    (folder / "bot.yaml").write_bytes(text.encode("latin-1"))
    return finder.find(str(folder / "bot.yaml"))


def test_an_invalid_manifest_gives_one_line_with_its_path(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    texts = {**{text: text for text in MANIFESTS}, **LIMITS}
    causes = {cause: partial(find_manifest, tmp_path, text) for cause, text in texts.items()}
    page = refusals.page(RosterError, causes, hidden=tmp_path)
    golden("messages/manifest.txt", page)
    assert all(line.startswith("    …/bot.yaml:") for line in page.splitlines()[1::2])


@pytest.mark.process
def test_a_manifest_that_is_nested_too_deeply_is_invalid(tmp_path: Path) -> None:
    with pytest.raises(RosterError, match=r"bot\.yaml:"):
        find_manifest(tmp_path, "[" * 20_000)


@pytest.mark.parametrize("value", ["nothing_there:Bot", "loud_bots.nothing:Bot", "loud_bots.inner.deeper:Bot"])
def test_an_entry_point_to_a_missing_module_gives_one_line_that_names_the_bot(site: Path, value: str) -> None:
    install(site, "loud-bots", {"loud_bots/__init__.py": MARKED}, f"[arena.bots]\nloud = {value}\n")
    assert refused("loud").startswith("bot 'loud': ")
    assert imported(site) == []


def test_a_missing_extra_gives_the_command_that_installs_it(site: Path) -> None:
    points = "[arena.bots]\nneedy = needy:Needy [far]\nplain = needy:Needy\n"
    install(site, "needy", {"needy.py": "from arena.sdk import Bot\nclass Needy(Bot): pass\n"}, points)
    metadata = site / "needy-1.2.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text() + 'Provides-Extra: far\nRequires-Dist: no-such-thing>=1; extra == "far"\n')
    others = 'Requires-Dist: for-others; sys_platform == "no-system" and extra == "far"\n'
    metadata.write_text(metadata.read_text().replace("Requires-Dist:", f"{others}Requires-Dist:", 1))
    with pytest.raises(RosterError, match=r"needs no-such-thing, which is not installed: pip install 'needy\[far\]'"):
        finder.find("needy")
    assert finder.find("plain").launch.command[-1] == "needy:Needy"


def test_an_extra_without_a_record_of_its_files_gives_the_command_that_installs_it_again(site: Path) -> None:
    points = "[arena.bots]\nneedy = needy:Needy [far]\n"
    install(site, "needy", {"needy.py": "from arena.sdk import Bot\nclass Needy(Bot): pass\n"}, points)
    metadata = site / "needy-1.2.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text() + 'Provides-Extra: far\nRequires-Dist: old-way>=1; extra == "far"\n')
    (site / "old_way-1.0.egg-info").mkdir()
    (site / "old_way-1.0.egg-info" / "PKG-INFO").write_text("Metadata-Version: 1.0\nName: old-way\nVersion: 1.0\n")
    remedy = r"pip install --force-reinstall --no-deps --use-pep517 old-way$"
    with pytest.raises(RosterError, match=r"bot 'needy' needs old-way, which was installed without a RECORD .*: " + remedy):
        finder.find("needy")


def test_a_missing_program_beside_a_makefile_gives_the_command_that_compiles_it(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("name: made\ncommand: [./bot]\n")
    (tmp_path / "Makefile").touch()
    with pytest.raises(RosterError, match=f"compile it first: make -C {tmp_path}"):
        finder.find(str(tmp_path / "bot.yaml"))


ONE_BOT = [
    "from arena.sdk import Bot\nclass Mine(Bot): pass\n",
    "from enum import Enum\nfrom arena.sdk import Bot\nclass A(Enum): pass\nclass Mine(Bot): pass\nclass B(A): pass\n",
    "import typing\nfrom arena.sdk import Bot\nclass A(typing.NamedTuple): x: int\nclass Mine(Bot): pass\n",
    "from arena.sdk import Bot\nclass A: pass\nclass B(A, Exception): pass\nclass Mine(Bot): pass\n",
    "import arena.sdk\nclass Mine(arena.sdk.Bot): pass\n",
    "from arena.sdk import Bot as Base\nclass Mine(Base): pass\n",
    "from arena_bots.greedy import Greedy\nclass Mine(Greedy): pass\n",
    "import arena_bots.greedy as theirs\nfrom msgspec import Struct\nclass S(Struct): pass\nclass Mine(theirs.Greedy): pass\n",
    "from elsewhere import Player\nfrom enum import Enum\nclass A(Enum): pass\nclass Mine(Player): pass\n",
    "from typing import Generic as G\nfrom arena.sdk import Bot\nclass A(G['T']): pass\nclass Mine(Bot): pass\n",
]


@pytest.mark.parametrize("text", ONE_BOT)
def test_a_file_with_one_bot_needs_no_name_of_a_class(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.py").write_text(text)
    assert bot_classes.only_bot(outline(text.encode()), "mine.py") == "Mine"
    for bot in ("mine.py", "mine.py:"):
        assert finder.find(bot, folder=tmp_path) == finder.find("mine.py:Mine", folder=tmp_path)


OTHER_NUMBERS = (
    "from arena.sdk import Bot\nclass A(Bot): pass\nclass B(A): pass\n",
    "from a import X\nclass A(X): pass\nclass B(X): pass\n",
    "from enum import Enum\nclass A(Enum): pass\nclass B: pass\n",
    f"class X(Bot{'.x' * 950}): pass\nclass Y(Bot): pass",
)


def find_in(folder: Path, text: str) -> Entrant:
    (folder / "mine.py").write_text(text)
    return finder.find("mine.py", folder=folder)


def test_a_file_with_another_number_of_bots_gives_a_message_with_what_to_write_instead(
    tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    causes = {text: partial(find_in, tmp_path, text) for text in OTHER_NUMBERS}
    golden("messages/bots_in_a_file.txt", refusals.page(RosterError, causes, hidden=tmp_path))


def test_a_bot_in_two_packages_is_ambiguous(site: Path) -> None:
    for name in ("one", "two"):
        install(site, f"{name}-bots", {f"{name}_bots.py": MARKED}, f"[arena.bots]\nloud = {name}_bots:Loud\n")
    with pytest.raises(RosterError, match="bot 'loud' is in two packages, one-bots and two-bots"):
        listed("loud")


def test_a_named_pipe_in_place_of_a_manifest_or_source_is_not_opened(tmp_path: Path) -> None:
    for name in ("bot.yaml", "bot.py"):
        os.mkfifo(tmp_path / name)
    for bot in ("bot.yaml", "bot.py:Mine"):
        with pytest.raises(RosterError, match="no file"):
            finder.find(bot, folder=tmp_path)


@pytest.mark.parametrize(
    ("source", "bot", "message"),
    [
        ("class Other(Bot): pass", "Mine", "no class 'Mine'; found Other"),
        ("x = 1", "Mine", "no class 'Mine'; the file has no classes"),
        ("x = 1\ndef Mine(): pass", "Mine", ":2: Mine is a function; expected a subclass of arena.sdk.Bot"),
        ("class Mine: pass", "Mine", ":1: class Mine has no base class; expected a subclass of arena.sdk.Bot"),
    ],
)
def test_a_class_that_is_not_a_bot_gives_one_line(site: Path, source: str, bot: str, message: str) -> None:
    install(site, "none", {"none.py": source}, f"[arena.bots]\nnone = none:{bot}\n")
    for name in (f"{site}/none.py:{bot}", "none"):
        assert message in refused(name)


@pytest.mark.parametrize(
    "source", ["from x import *", "from arena.sdk import Bot as Mine", "Mine = type('Mine', (), {})", "def __getattr__(name): ..."]
)
def test_a_class_that_may_be_created_at_run_time_is_checked_only_by_the_bots_process(tmp_path: Path, source: str) -> None:
    (tmp_path / "mine.py").write_text(source)
    assert finder.find(f"{tmp_path}/mine.py:Mine").name == "Mine"


MALFORMED = {
    "no equals sign": "evil",
    "no name": "= evil:Bot",
    "no value": "evil =",
    "two colons": "evil = evil:Bot:Bot",
    "no module": "evil = :Bot",
    "dots": "evil = ..evil:Bot",
    "a path": "evil = ../evil:Bot",
    "escapes": "\x1b[31mevil\x1b[0m = evil:Bot",
    "escapes in the value": "evil = evil:Bot\x1b[31m",
    "a name with a blank": "two words = evil:Bot",
    "a long name": "e" * 200 + " = evil:Bot",
    "a module of the interpreter": "evil = sys:Bot",
    "the main module": "evil = __main__:Bot",
    "a long module": f"evil = {'e' * 300}:Bot",
    "many parts": f"evil = evil{'.a' * 50_000}:Bot",
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_entry_point_gives_one_line_and_does_not_affect_others(site: Path, case: str) -> None:
    install(site, "evil", {"evil.py": "raise SystemExit"}, f"[arena.bots]\n{MALFORMED[case]}\n")
    install(site, "fair", {"fair.py": MARKED}, "[arena.bots]\nfair = fair:Loud\n")
    lines = [line for line in finder.invalid_entry_points() if line.startswith("evil: ")]
    if "evil" in finder.names():
        lines.append(refused("evil"))
    assert [len(line.splitlines()) for line in lines] == [1]
    assert finder.find("fair").name == "fair"


@pytest.mark.parametrize("file", ["METADATA", "entry_points.txt", "RECORD", "direct_url.json"])
def test_malformed_metadata_does_not_affect_other_distributions(site: Path, file: str) -> None:
    contents = (b"", b"\xff\xfe", b"[", b"\0" * 9, b'"' * 9, b"[" * 99_999, b"[arena.bots]\n\xe9=x")
    for number, content in enumerate(contents):
        evil = f"evil{number}"
        install(site, evil, {f"{evil}.py": "raise SystemExit"}, f"[arena.bots]\n{evil} = {evil}:Bot\n")
        (site / f"{evil}-1.2.dist-info" / file).write_bytes(content)
    install(site, "fair", {"fair.py": f"import numpy\n{MARKED}"}, "[arena.bots]\nfair = fair:Loud\n")
    assert "fair" in finder.names()
    assert all(len(line.splitlines()) == 1 for line in finder.invalid_entry_points())
    assert any(path.endswith("/numpy") for path in finder.find("fair").launch.reads)


def test_a_manifest_may_ask_to_open_files_while_the_bot_plays(tmp_path: Path) -> None:
    sealed = finder.find(str(manifest(tmp_path)))
    reading = finder.find(str(manifest(tmp_path, "name: mine\ncommand: [./run.sh]\nreads_while_playing: true\n")))
    assert not sealed.reads_while_playing
    assert not sealed.launch.reads_while_playing
    assert reading.reads_while_playing
    assert reading.launch.reads_while_playing
