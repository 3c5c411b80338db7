"""A command in Python may read the interpreter that it names and the libraries that its sources import, and nothing else of it."""

import os
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from distributions import install_wheel, row

from arena.confinement.profiles import LimitedSandbox, policy
from arena.errors import RosterError
from arena.gin.rules import Rules
from arena.players.remote import TimeLimits
from arena.players.sandboxes import StrictSandbox
from arena.roster.entrant import Launch
from arena.roster.finder import find
from arena.tournament.audition import Audition

LIBRARY = {"tables/__init__.py": "SIZE = 4\n"}
PLAYS = """
import json, sys
import tables
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "protocol": 1}
    elif message["type"] == "turn":
        may = message["may"]
        kind = next(kind for kind in ("pass", "draw", "discard", "lay_off", "knock") if kind in may)
        answer = {"kind": kind, "card": message["may_discard"][0]} if kind in ("discard", "knock") else {"kind": kind}
    else:
        continue
    print(json.dumps(answer), flush=True)
"""


def environment(folder: Path) -> Path:
    """Return the ``site-packages`` of a new virtual environment with the library ``tables``, which needs ``more_tables``."""
    venv.create(folder, symlinks=True)
    site = next(folder.glob("lib/python3*/site-packages"))
    install_wheel(site, "tables", LIBRARY, "", requires="Requires-Dist: more-tables\n")
    install_wheel(site, "more_tables", {"more_tables.py": ""}, "")
    install_wheel(site, "unused", {"unused/__init__.py": ""}, "")
    install_wheel(site, "foe", {"foe/__init__.py": ""}, "[arena.bots]\nfoe = foe:Foe\n")
    return site


def bot(folder: Path, *command: object, source: str = "import tables, foe, json\n") -> Path:
    """Return the manifest of a command in a folder with the file ``bot.py``."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    (folder / "bot.py").write_text(source)
    (folder / "bot.yaml").write_text(f"name: mine\ncommand: [{', '.join(map(str, command))}]\n")
    return folder / "bot.yaml"


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    return environment(tmp_path / "env")


def launch(manifest: Path) -> Launch:
    return find(str(manifest)).launch


def below(paths: tuple[str, ...], folder: Path) -> set[str]:
    return {str(Path(path).relative_to(folder)) for path in paths if Path(path).is_relative_to(folder)}


@pytest.mark.parametrize("arguments", [("bot.py",), ("-u", "bot.py", "fast"), ("-m", "bot")])
def test_what_the_sources_import_is_granted_from_the_environment_of_the_interpreter(
    arguments: tuple[str, ...], packages: Path, tmp_path: Path
) -> None:
    reads = launch(bot(tmp_path / "mine", tmp_path / "env/bin/python", *arguments)).reads
    assert below(reads, packages) == {"tables", "tables-1.2.dist-info", "more_tables.py", "more_tables-1.2.dist-info"}
    assert str(tmp_path / "env/pyvenv.cfg") in reads
    assert sysconfig.get_path("stdlib") in reads


def test_the_packages_among_the_standard_library_stay_hidden(packages: Path, tmp_path: Path) -> None:
    mine = launch(bot(tmp_path / "mine", tmp_path / "env/bin/python", "bot.py"))
    base = Path(sysconfig.get_path("stdlib"))
    granted = policy(mine, "A", LimitedSandbox(), seals=False).reads
    inside = [path for path in granted.paths if Path(path).is_relative_to(base / "site-packages")]
    assert inside == []
    if (base / "site-packages").is_dir():
        assert str(base / "site-packages") in granted.hidden
    assert str(packages) in granted.listed


@pytest.mark.parametrize("source", ["import json\n", "import nothing\n", "def", "import more.of.this\n"])
def test_sources_that_import_no_library_or_cannot_be_read_are_granted_none(source: str, packages: Path, tmp_path: Path) -> None:
    reads = launch(bot(tmp_path / "mine", tmp_path / "env/bin/python", "bot.py", source=source)).reads
    assert below(reads, packages) == set()


def test_a_file_that_the_source_imports_from_the_folder_counts_too(packages: Path, tmp_path: Path) -> None:
    manifest = bot(tmp_path / "mine", tmp_path / "env/bin/python", "bot.py", source="import helper\n")
    (manifest.parent / "helper.py").write_text("import tables\n")
    assert "tables" in below(launch(manifest).reads, packages)


def test_another_program_is_granted_nothing_of_python(tmp_path: Path) -> None:
    assert launch(bot(tmp_path / "mine", "/bin/sh", "bot.py")).reads == ()


def test_the_library_of_another_environment_with_the_same_name_is_not_granted(packages: Path, tmp_path: Path) -> None:
    environment(tmp_path / "other")
    reads = launch(bot(tmp_path / "mine", tmp_path / "other/bin/python", "bot.py")).reads
    assert below(reads, packages) == set()


def test_a_forged_record_opens_no_other_file(packages: Path, tmp_path: Path) -> None:
    (packages / "secret.py").write_text("KEY = 1\n")
    install_wheel(packages, "forged", {"forged.py": ""}, "", rows=row("secret.py", "anything") + row("unused/__init__.py", ""))
    reads = launch(bot(tmp_path / "mine", tmp_path / "env/bin/python", "bot.py", source="import forged\n")).reads
    assert below(reads, packages) == {"forged.py", "forged-1.2.dist-info"}


def test_an_environment_in_the_bots_folder_may_link_to_its_interpreter_and_to_nothing_else(tmp_path: Path) -> None:
    manifest = bot(tmp_path / "mine", "venv/bin/python", "bot.py")
    environment(tmp_path / "mine/venv")
    mine = launch(manifest)
    assert mine.command[0] == str(tmp_path / "mine/venv/bin/python")
    assert below(mine.reads, tmp_path) == set(), "all of the folder is the bot's"
    assert sysconfig.get_path("stdlib") in mine.reads
    (tmp_path / "secret").touch()
    (tmp_path / "mine/venv/bin/other").symlink_to(tmp_path / "secret")
    with pytest.raises(RosterError, match="a link out of the bot's folder"):
        launch(manifest)


def test_a_link_named_as_python_is_refused_outside_of_an_environment_or_to_another_file(tmp_path: Path) -> None:
    manifest = bot(tmp_path / "mine", "bin/python3", "bot.py")
    (tmp_path / "mine/bin").mkdir()
    (tmp_path / "mine/bin/python3").symlink_to(os.path.realpath(sys.executable))
    with pytest.raises(RosterError, match="a link out of the bot's folder"):
        launch(manifest)
    (tmp_path / "secret").touch(0o755)
    (tmp_path / "mine/pyvenv.cfg").touch()
    (tmp_path / "mine/bin/python3").unlink()
    (tmp_path / "mine/bin/python3").symlink_to(tmp_path / "secret")
    with pytest.raises(RosterError, match="a link out of the bot's folder"):
        launch(manifest)


@pytest.mark.process
@pytest.mark.parametrize("inside", [False, True])
def test_a_command_plays_with_a_library_of_its_environment_in_a_strict_sandbox(tmp_path: Path, *, inside: bool) -> None:
    place = tmp_path / "a folder with ä/mine"
    place.parent.mkdir()
    env = place / "venv" if inside else place.parent / "env"
    manifest = bot(place, "venv/bin/python" if inside else env / "bin/python", "bot.py", source=PLAYS)
    environment(env)
    audition = Audition(launch=launch(manifest), rules=(Rules(),), sandbox=StrictSandbox(), time=TimeLimits(), hands=2)
    assert [finding.summary for finding in audition.findings() if not finding.passed] == []


@pytest.mark.process
def test_a_command_of_this_interpreter_imports_numpy_and_sees_no_bots(tmp_path: Path) -> None:
    source = (
        f"import importlib.util, numpy\nassert importlib.util.find_spec('arena_bots') is None\n{PLAYS.replace('import tables', '')}"
    )
    manifest = bot(tmp_path / "mine", sys.executable, "bot.py", source=source)
    audition = Audition(launch=launch(manifest), rules=(Rules(),), sandbox=StrictSandbox(), time=TimeLimits(), hands=2)
    assert [finding.summary for finding in audition.findings() if not finding.passed] == []
