"""Commands that plugins describe, so that their modules are imported when they are called."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands.calls import arena
from support.repository.distributions import install
from typer.testing import CliRunner, Result

from arena import signals
from arena.cli import app
from arena.errors import PluginError

PLUGIN = """
from pathlib import Path

from arena.plugins.command import Command
from arena.plugins.hookspecs import hookimpl

@hookimpl
def arena_commands():
    return {"shout": Command("loud.shouting:shout", "Say it loud.", "Compare", resumes=True), "sing": Command(%r, "Sing.")}

@hookimpl
def arena_documents():
    return {"volume": "loud.shouting:Volume"}

@hookimpl
def arena_pages():
    return {"loudness": Path(__file__).with_name("LOUD.md")}
"""
COMMANDS = """
import typer
from msgspec import Struct

class Volume(Struct, frozen=True):
    decibels: int

app = typer.Typer()

@app.command()
def shout(word: str) -> None:
    typer.echo(word.upper())

@app.command()
def whisper(word: str) -> None:
    typer.echo(word.lower())

def shout(word: str) -> None:
    '''Say it loud.'''
    typer.echo(word.upper())
"""
COROUTINE = """
from arena.plugins.command import Command
from arena.plugins.hookspecs import hookimpl

async def sing() -> None:
    pass

@hookimpl
def arena_commands():
    return {"sing": sing}
"""


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    modules = {"loud/__init__.py": "", "loud/plugin.py": PLUGIN % "loud.shouting:app", "loud/shouting.py": COMMANDS}
    install(tmp_path, "loud", modules, "[arena]\nloud = loud.plugin\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("loud", "loud.plugin", "loud.shouting"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def call(monkeypatch: pytest.MonkeyPatch, *words: str) -> Result:
    monkeypatch.setattr("sys.argv", ["arena", *words])
    return CliRunner().invoke(app.build(), words, prog_name="arena")


def test_the_help_has_a_described_command_in_its_group_and_imports_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = call(monkeypatch, "--help").stdout
    compare = shown.partition("Compare:")[2].partition("Understand:")[0]
    assert "Say it loud." in compare
    assert "Sing." in shown.partition("From plugins:")[2]
    assert "loud.shouting" not in sys.modules


def test_the_help_with_a_plugin_that_describes_its_commands_imports_no_base_class_of_parts(site: Path) -> None:
    seen = "import sys; from arena.plugins import door; door.commands(door.load()); print(*sorted(SEEN & sys.modules.keys()))"
    code = f"SEEN = {{'loud.plugin', 'numpy', 'arena.reports.base', 'arena.tournament.formats.swiss'}}; {seen}"
    variables = {**os.environ, "PYTHONPATH": str(site)}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=variables)
    assert ended.stdout == "loud.plugin\n", ended.stderr


def test_a_described_command_is_imported_when_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []
    monkeypatch.setattr(signals, "set_stop_code", codes.append)
    assert call(monkeypatch, "shout", "gin").stdout == "GIN\n"
    assert call(monkeypatch, "sing", "whisper", "GIN").stdout == "gin\n"
    assert codes == [signals.RESUMABLE]


def test_a_document_of_a_plugin_has_a_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "volume" in call(monkeypatch, "schema").stdout.split()
    assert "loud.shouting" not in sys.modules
    assert '"decibels"' in call(monkeypatch, "schema", "volume").stdout


@pytest.mark.process
def test_a_page_of_a_plugin_is_in_the_manual(site: Path) -> None:
    (site / "loud" / "LOUD.md").write_text("# How loud\n\nSee [the code](plugin.py).\n", encoding="utf-8")
    listed = arena("docs", PYTHONPATH=str(site))
    assert "loudness      How loud\n" in listed.stdout, listed.stderr
    assert arena("docs", "LOUDNESS", PYTHONPATH=str(site)).stdout.startswith("# How loud\n")


@pytest.mark.process
def test_a_plugin_that_is_broken_closes_no_page_of_arena(site: Path) -> None:
    shown = arena("docs", PYTHONPATH=str(site)).stdout  # its page is missing
    assert "LOUD.md: the page cannot be read: No such file or directory; install its plugin again" in shown
    assert "\nspecs " in shown
    (site / "loud" / "plugin.py").write_text("1 / 0")
    for words in (("docs", "specs"), ("schema", "duel")):
        assert arena(*words, PYTHONPATH=str(site)).returncode == 0
    assert arena("docs", PYTHONPATH=str(site)).stderr.count("\n") == 1


@pytest.mark.parametrize("place", ["loud.nothing:Volume", "loud.shouting:Nothing", "loud.shouting:app", "pathlib:Path"])
def test_a_document_that_is_no_struct_is_refused_in_one_line(site: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    plugin = site / "loud" / "plugin.py"
    plugin.write_text(plugin.read_text().replace("loud.shouting:Volume", place))
    refused = call(monkeypatch, "schema", "volume").exception
    assert isinstance(refused, PluginError)
    assert "hook arena_documents, document 'volume': " in str(refused)


def test_a_command_of_arena_imports_no_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(monkeypatch, "melds", "7h").exit_code == 0
    assert "loud.plugin" not in sys.modules


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("loud.nothing:sing", "ModuleNotFoundError: No module named 'loud.nothing'"),
        ("loud.shouting:sing", "AttributeError: module 'loud.shouting' has no attribute 'sing'"),
        ("loud.shouting", "found 'loud.shouting' as the place of the command 'sing'; expected 'module:function'"),
    ],
)
def test_a_described_command_that_is_not_there_gives_one_line(
    site: Path, monkeypatch: pytest.MonkeyPatch, where: str, line: str
) -> None:
    (site / "loud" / "plugin.py").write_text(PLUGIN % where, encoding="utf-8")
    with pytest.raises(PluginError, match=f"hook arena_commands.*: {line}"):
        error = call(monkeypatch, "sing", "gin").exception
        if error:
            raise error


@pytest.mark.parametrize("plugin", [COROUTINE, COROUTINE.replace("sing}", "Command('loud.plugin:sing', 'Sing.')}")])
def test_a_coroutine_is_no_command(site: Path, monkeypatch: pytest.MonkeyPatch, plugin: str) -> None:
    (site / "loud" / "plugin.py").write_text(plugin, encoding="utf-8")
    with pytest.raises(PluginError, match=r"plugin 'loud' of loud 1\.2: hook arena_commands, command 'sing': found a coroutine"):
        error = call(monkeypatch, "sing").exception
        if error:
            raise error


def test_a_document_without_a_json_schema_is_refused_in_one_line(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shouting = site / "loud" / "shouting.py"
    shouting.write_text(COMMANDS.replace("decibels: int", "decibels: typer.Typer"), encoding="utf-8")
    refused = call(monkeypatch, "schema", "volume").exception
    assert isinstance(refused, PluginError)
    assert str(refused).startswith("plugin 'loud' of loud 1.2: hook arena_documents, document 'volume': TypeError: ")
