"""A command in Python may read the interpreter that it names and the libraries that its sources import, and nothing else of it."""

import os
import re
import sys
import sysconfig
import venv
from contextlib import suppress
from pathlib import Path

import pytest
from support.repository.distributions import install_wheel, row
from support.sizes import mostly_nightly

from arena.confinement.profiles import LimitedSandbox, policy
from arena.errors import RosterError
from arena.gin.rules import Rules
from arena.limits import TimeLimits
from arena.players.sandboxes import StrictSandbox
from arena.roster.distributions import LARGEST_METADATA
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


STANDARD = Path(sysconfig.get_path("stdlib"))


def stranger(folder: Path) -> Path:
    """Return the ``site-packages`` of an environment that a stranger has made by hand, with the library ``tables``."""
    site = folder / "lib/python3.1/site-packages"
    site.mkdir(parents=True)
    (folder / "lib/python3.1/os.py").touch()
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to(os.path.realpath(sys.executable))
    (folder / "pyvenv.cfg").write_text(f"home = {folder / 'bin'}\n")
    install_wheel(site, "tables", LIBRARY, "")
    return site


def opened(manifest: Path, secret: Path) -> list[str]:
    """Return the paths that a bot may read in every profile and that let it read a secret."""
    policies = [policy(launch(manifest), profile, LimitedSandbox(), seals=False).reads for profile in ("A", "B", "C")]
    paths = {os.path.realpath(path) for granted in policies for path in granted.paths}
    return [path for path in paths if Path(path).is_relative_to(secret) or secret.is_relative_to(path)]


ATTACKS = {  # the secret is a folder with the sources of a package: what a command in an environment of a stranger links to it
    "the settings": ("pyvenv.cfg", "credentials"),
    "a shared library": ("lib/libpython3.1.so.1", "credentials"),
    "a folder as a shared library": ("lib/libpython3.so", ""),
    "another name of a shared library": ("lib/libpython-mine", ""),
    "the standard library": ("lib/python3.2", ""),
    "a folder beside the standard library": ("lib/python3.secret", ""),
    "packages": ("lib/python3.3/site-packages", ""),
    "a package": ("lib/python3.1/site-packages/more", ""),
    "a module": ("lib/python3.1/site-packages/alone.py", "os.py"),
    "metadata": ("lib/python3.1/site-packages/tables-3.dist-info", ""),
}


@pytest.mark.parametrize("inside", mostly_nightly(["", "mine/", "mine/../"], "mine/../"))
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_link_in_a_strangers_environment_opens_nothing(attack: str, inside: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    for name in ("os.py", "__init__.py", "credentials"):
        (secret / name).write_text("key = 1\n" if name == "credentials" else "")
    folder, source = tmp_path / "mine", "import tables, more, alone\n"
    manifest = bot(folder, f"{tmp_path}/{inside}env/bin/python", "bot.py", source=source)
    environment = folder / "env" if inside == "mine/" else tmp_path / "env"
    site = stranger(environment)
    rows = row("more/__init__.py", "") + row("alone.py", "") + "tables-3.dist-info/key,,\n"
    install_wheel(site, "forged", {"forged.py": ""}, "", rows=rows)
    name, target = ATTACKS[attack]
    link = environment / name
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(secret / target)
    with suppress(RosterError):  # a link out of the bot's folder is refused
        assert opened(manifest, secret) == []
    assert inside == "mine/" or "lib/python3.1" in below(launch(manifest).reads, environment) or attack == "the settings"


@pytest.mark.parametrize(
    "home", ["/", "/root", "~/.ssh", "/proc/self/cwd/x", "..", "{secret}/bin", "{mine}/../secret/bin", "a\0b", "/" + "x" * 5000]
)
def test_settings_of_a_stranger_open_no_folder_that_is_no_interpreter(home: str, tmp_path: Path) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "mine"
    (secret / "lib/python3.1").mkdir(parents=True)
    (secret / "lib/libpython3.so").touch()
    manifest = bot(folder, "env/bin/python", "bot.py")
    stranger(folder / "env")
    (folder / "env/pyvenv.cfg").write_text(f"home = {home.format(secret=secret, mine=folder)}\n")
    assert opened(manifest, secret) == []
    assert all(re.search(r"/lib/(python3\.\d+t?|libpython3[^/]*)$", path) for path in launch(manifest).reads)


def test_no_spelling_of_the_bots_folder_leads_out_of_it_by_a_link_named_as_an_interpreter(tmp_path: Path) -> None:
    secret, folder = tmp_path / "python3", tmp_path / "mine"
    secret.mkdir()
    (secret / "os.py").touch()
    manifest = bot(folder, "env/bin/python", "bot.py")
    stranger(folder / "env")
    (folder / "env/pyvenv.cfg").write_text(f"home = {folder}/../mine/env/bin\n")
    assert below(launch(manifest).reads, tmp_path) == set()
    (folder / "env/lib/python3.2").symlink_to(secret)
    with pytest.raises(RosterError, match="a link out of the bot's folder"):
        launch(manifest)


def test_an_environment_or_a_program_in_the_folder_of_another_bot_is_refused(tmp_path: Path) -> None:
    bot(tmp_path / "other", "env/bin/python", "bot.py")
    stranger(tmp_path / "other/env")
    (tmp_path / "other/engine").touch(0o755)
    for program in ("other/env/bin/python", "other/engine", "link"):
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to("other/engine")
        with pytest.raises(RosterError, match="in the folder of another bot"):
            launch(bot(tmp_path / "mine", tmp_path / program, "bot.py"))


def test_settings_that_name_an_interpreter_in_the_folder_of_another_bot_open_nothing_of_it(tmp_path: Path) -> None:
    bot(tmp_path / "other", "env/bin/python", "bot.py")
    stranger(tmp_path / "other/env")
    manifest = bot(tmp_path / "mine", "env/bin/python", "bot.py")
    stranger(tmp_path / "mine/env")
    (tmp_path / "mine/env/pyvenv.cfg").write_text(f"home = {tmp_path}/other/env/bin\n")
    assert below(launch(manifest).reads, tmp_path) == set()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ["\n" * 65_000, "a=" + " " * 65_000 + "x", "a" * 65_000])
def test_settings_are_read_in_linear_time(text: str, tmp_path: Path) -> None:
    stranger(tmp_path / "env")
    manifest = bot(tmp_path / "mine", tmp_path / "env/bin/python", "bot.py")
    (tmp_path / "env/pyvenv.cfg").write_text(text)
    assert str(STANDARD) in launch(manifest).reads


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "name", ["pyvenv.cfg", "tables/__init__.py", "forged-1.2.dist-info/RECORD", "forged-1.2.dist-info/METADATA"]
)
@pytest.mark.parametrize("endless", ["pipe", "/dev/zero"])
def test_a_file_without_an_end_in_a_strangers_environment_is_not_read(name: str, endless: str, tmp_path: Path) -> None:
    site = stranger(tmp_path / "env")
    install_wheel(site, "forged", {"forged.py": ""}, "")
    manifest = bot(tmp_path / "mine", tmp_path / "env/bin/python", "bot.py", source="import tables, forged\n")
    file = tmp_path / "env" / name if name == "pyvenv.cfg" else site / name
    file.unlink()
    if endless == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to(endless)
    assert str(file) not in launch(manifest).reads


def test_metadata_that_is_too_large_grants_nothing(tmp_path: Path) -> None:
    site = stranger(tmp_path / "env")
    manifest = bot(tmp_path / "mine", tmp_path / "env/bin/python", "bot.py")
    assert "tables" in below(launch(manifest).reads, site)
    os.truncate(site / "tables-1.2.dist-info/RECORD", LARGEST_METADATA + 1)
    assert below(launch(manifest).reads, site) == set()


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
