"""No command loads a plugin that came with a bot, unless ARENA_PLUGINS names it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import json
from support.commands.calls import arena
from support.repository.distributions import install

from arena.errors import InputError, PluginError, SpecError
from arena.plugins import consent, manager
from arena.runs.runner import Runner
from arena.tournament import spec

MARKED = """
from pathlib import Path
Path(__file__).with_suffix(".imported").touch()
"""
FORMAT = f'''{MARKED}
from arena.plugins.hookspecs import hookimpl
from arena.tournament.formats.base import Format

class Once(Format, frozen=True, kw_only=True, tag="once"):
    """Nothing."""

    def fixtures(self, field, played):
        return []

@hookimpl
def arena_formats():
    return [Once]
'''
BOT = f"{MARKED}from arena.sdk import Bot\nclass Stranger(Bot): pass\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder with a bot that is also a plugin, a library that it requires, which is also a plugin, and a normal plugin."""
    points = "[arena.bots]\nstranger = stranger_bot:Stranger\n[arena]\nstranger = stranger_plugin\n"
    install(
        tmp_path,
        "stranger",
        {"stranger_bot.py": BOT, "stranger_plugin.py": FORMAT},
        points,
        requires="Strangers_Library>=1; python_version > '3'",
    )
    install(tmp_path, "strangers-library", {"library.py": MARKED}, "[arena]\nlibrary = library\n")
    install(tmp_path, "swiss", {"swiss.py": FORMAT}, "[arena]\nonce = swiss\n")
    return tmp_path


def imported(site: Path) -> set[str]:
    return {path.stem for path in site.rglob("*.imported")}


COMMANDS = (
    ("--help",),
    ("bots", "list"),
    ("bots", "list", "--json"),
    ("doctor",),
    ("melds", "3c", "4c", "5c"),
    ("plan", "{}/league.yaml"),
    ("bots", "check", "stranger", "--hands", "2", "--sandbox", "strict"),
    ("match", "greedy", "stranger", "--hands", "2", "--rules", "nothing"),
)


@pytest.mark.parametrize(
    "command", [COMMANDS[0], *(pytest.param(command, marks=pytest.mark.nightly) for command in COMMANDS[1:])], ids=" ".join
)
def test_no_command_imports_a_plugin_that_came_with_a_bot(site: Path, command: tuple[str, ...]) -> None:
    (site / "league.yaml").write_text("bots: [stranger, greedy]\nformat: once\n")
    site.chmod(0o755)
    arena(*(word.format(site) for word in command), PYTHONPATH=str(site))
    assert imported(site) <= {"swiss"}


@pytest.mark.process
def test_a_plugin_that_came_with_a_bot_is_loaded_if_the_user_names_it(site: Path) -> None:
    for name in ("strangers-library", "STRANGERS_LIBRARY", " strangers-library ,"):
        assert arena("--help", PYTHONPATH=str(site), ARENA_PLUGINS=name).returncode == 0
    assert imported(site) == {"swiss", "library"}


@pytest.mark.process
def test_the_name_of_a_missing_plugin_gives_one_line(site: Path) -> None:
    done = arena("bots", "list", PYTHONPATH=str(site), ARENA_PLUGINS="swis")
    message = "found 'swis'; expected distributions with plugins; installed: stranger, strangers-library, swiss"
    assert (done.returncode, done.stderr) == (2, f"arena: ARENA_PLUGINS: {message}\n")
    assert arena("--help", ARENA_PLUGINS="greedy").stderr.endswith("expected distributions with plugins; none is installed\n")


@pytest.mark.process
def test_plugins_that_are_not_loaded_are_shown(site: Path) -> None:
    line = "plugin of {0}: not loaded; ARENA_PLUGINS={0} loads it, if you trust it"
    lines = [line.format(name) for name in ("stranger", "strangers-library")]
    assert arena("bots", "list", PYTHONPATH=str(site)).stderr.splitlines() == lines
    assert arena("doctor", PYTHONPATH=str(site), ARENA_PLUGINS="stranger").stdout.splitlines()[-1:] == lines[1:]
    shown = json.decode(arena("doctor", "--json", PYTHONPATH=str(site)).stdout.encode())
    assert shown["plugins_refused"] == ["stranger", "strangers-library"]


HINT = "; plugins not loaded: stranger, strangers-library; ARENA_PLUGINS=stranger,strangers-library loads them, if you trust them"


def test_a_spec_with_an_unknown_part_gives_an_error_that_lists_the_plugins_not_loaded(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(site)
    monkeypatch.delitem(sys.modules, "swiss", raising=False)
    kinds = manager.kinds(manager.load())
    with pytest.raises(SpecError) as caught:
        spec.parse_spec("bots: [a, b]\nformat: twice\n", kinds, "league.yaml")
    assert str(caught.value).startswith("league.yaml:2: format.name: found 'twice'; ")
    assert str(caught.value).endswith(HINT)
    with pytest.raises(SpecError) as caught:
        spec.parse_spec("bots: [a, b]\nformat: {name: once, pears: 3}\n", kinds, "league.yaml")
    assert "plugins not loaded" not in str(caught.value)
    with pytest.raises(InputError) as other:
        Runner(manager.load(), "cluster")
    assert str(other.value).endswith(HINT)


@pytest.mark.process
@pytest.mark.parametrize("version", ["1.0 --index-url http://evil", "1.0; rm", "1!rm", "-r file", "1.0\n", ""])
def test_only_a_name_and_a_version_of_a_stored_run_enter_a_proposed_command(version: str) -> None:
    assert consent.missing(f"evil {version}") == ""
    assert consent.missing(f"evil {version}, stranger 0.7+local") == consent.missing("stranger 0.7+local") != ""


@pytest.mark.process
def test_an_unknown_command_gives_an_error_that_lists_the_plugins_not_loaded(site: Path) -> None:
    done = arena("shout", PYTHONPATH=str(site))
    assert done.returncode == 2
    assert HINT in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("line", ["evil", "evil =", "evil = evil:", "evil = ../evil", "evil = a b"])
def test_a_malformed_plugin_that_came_with_a_bot_is_an_error_only_if_the_user_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    install(tmp_path, "evil", {}, f"[arena.bots]\nevil = evil:Evil\n[arena]\n{line}\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert consent.refused_plugins() == ("evil",)
    manager.load()
    monkeypatch.setenv("ARENA_PLUGINS", "evil")
    with pytest.raises(PluginError, match=r"of evil 1\.2: .* cannot be loaded: ValueError: ") as caught:
        manager.load()
    assert "\n" not in str(caught.value)


@pytest.mark.process
def test_a_program_that_uses_arena_as_a_library_loads_the_same_plugins(site: Path) -> None:
    code = "from arena.plugins import manager; manager.kinds(manager.load())"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(site)})
    assert imported(site) == {"swiss"}
