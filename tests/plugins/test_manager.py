"""Arena's own parts, third-party plugins, and plugins that cannot be loaded."""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from msgspec import json
from support.commands.calls import arena
from support.hostile.submissions import wheel
from support.repository import every_kind
from support.repository.distributions import install

from arena.errors import PluginError
from arena.plugins import builtin, consent, door, hookspecs, manager, strangers
from arena.roster.distributions import EntryPoint
from arena.tournament import spec


def test_every_hook_has_a_docstring() -> None:
    hooks = {name for name in vars(hookspecs) if name.startswith("arena_")}
    parts = ("rulesets", "formats", "sandboxes", "executors", "ratings", "tie_breaks", "reports")
    others = ("commands", "documents", "pages", "stored_kinds", "recorded", "event", "round")
    assert hooks == {f"arena_{name}" for name in (*parts, *others)}
    assert all(vars(hookspecs)[name].__doc__ for name in hooks)


NO_PARTS = ("base", "probe")  # modules with tagged classes that a spec cannot name


def test_every_part_in_arenas_folders_is_registered() -> None:
    kinds = manager.kinds(manager.load(entry_points=False))
    executors = manager.executors(manager.load()).values()
    parts = (*kinds.rules, *kinds.formats, *kinds.sandboxes, *kinds.ratings, *kinds.reports, *executors)
    registered = {part.__module__ for part in parts}
    root = Path(builtin.__file__).parents[1]
    folders = ("gin/rulesets", "tournament/formats", "tournament/executors", "stats/ratings", "reports", "players/sandboxes")
    for folder in folders:
        for path in (root / folder).glob("*.py"):
            if path.stem not in NO_PARTS and ', tag="' in path.read_text(encoding="utf-8"):
                assert f"arena.{folder.replace('/', '.')}.{path.stem}" in registered, path


def test_every_part_has_a_docstring() -> None:
    kinds = manager.kinds(manager.load(entry_points=False))
    for parts in (kinds.rules, kinds.formats, kinds.sandboxes, kinds.ratings, kinds.reports):
        for part in parts:
            assert part.__doc__, part


def test_each_call_returns_a_new_manager() -> None:
    assert manager.load(entry_points=False) is not manager.load(entry_points=False)


FORMAT = '''
from arena.plugins.hookspecs import hookimpl
from arena.records import Fixture
from arena.tournament.formats.base import Format

class Once(Format, frozen=True, kw_only=True, tag="once"):
    """One match."""

    def fixtures(self, field, played):
        return [] if played else [Fixture("only", (field[0], field[1]), "only")]

@hookimpl
def arena_formats():
    return [Once]
'''
POINT = "[arena]\nonce = once\n"
ErrorOf = Callable[[str], str]


@pytest.fixture
def error_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ErrorOf:
    """Return a function that loads a plugin with the given source and returns the error message."""

    def load(text: str) -> str:
        install(tmp_path, "once", {"once.py": text}, POINT)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "once", raising=False)
        with pytest.raises(PluginError) as caught:
            manager.kinds(manager.load())
        return str(caught.value)

    return load


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "import nothing_of_that_name",
            "'once' cannot be loaded: ModuleNotFoundError: No module named 'nothing_of_that_name'",
        ),
        ("def (", "'once' cannot be loaded: SyntaxError: "),
        ("raise SystemExit('no display')", "'once' cannot be loaded: SystemExit: no display"),
        ("raise ValueError('one\\ntwo')", "'once' cannot be loaded: ValueError: one two"),
        (
            FORMAT.replace("arena_formats", "arena_formatz"),
            "a plugin: cannot be loaded: PluginValidationError: unknown hook 'arena_formatz'",
        ),
        (
            FORMAT.replace("arena_formats()", "arena_formats(colour)"),
            "'once' cannot be loaded: PluginValidationError: ",
        ),
        (
            FORMAT.replace("return [Once]", "return Once"),
            "hook arena_formats: found <class 'once.Once'>; expected a list",
        ),
        (
            FORMAT.replace("return [Once]", "return [Twice]"),
            "hook arena_formats: NameError: name 'Twice' is not",
        ),
        (
            FORMAT.replace('"once"', '"round-robin"'),
            "two parts are called 'round-robin': arena.tournament.formats.round_robin and once",
        ),
    ],
)
def test_a_plugin_that_cannot_be_loaded_gives_one_line(error_of: ErrorOf, text: str, line: str) -> None:
    found = error_of(text)
    assert found.removeprefix("plugin 'once' of once 1.2: ").startswith(line)
    assert "\n" not in found


def test_a_plugins_part_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "once", {"once.py": FORMAT}, POINT)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "once", raising=False)
    read = spec.parse_spec("bots: [a, b]\nformat: once\n", manager.kinds(manager.load()), "league.yaml")
    assert type(read.format).__name__ == "Once"


def test_a_plugin_can_add_a_part_of_each_kind() -> None:
    plugins = manager.load(entry_points=False)
    plugins.register(every_kind, "every-kind")
    kinds = manager.kinds(plugins)
    parts = (kinds.rules[-1], kinds.formats[-1], kinds.sandboxes[-1], kinds.ratings[-1], kinds.reports[-1])
    assert [manager.name_of(part) for part in parts] == ["sprint", "once", "bare", "wins", "winner"]
    assert kinds.tie_breaks[-1].name == "opponents"
    assert {"processes"} < set(manager.executors(plugins))
    assert door.commands(plugins).keys() - door.commands(door.load(entry_points=False)).keys() == {"shout"}
    hooks = {name for name in vars(hookspecs) if name.startswith("arena_")}
    assert hooks <= set(vars(every_kind))


@pytest.mark.parametrize("found", ["[int]", "[Once()]", "[Rating]"])
def test_a_plugin_with_a_part_of_another_kind_gives_one_line(error_of: ErrorOf, found: str) -> None:
    text = FORMAT.replace("return [Once]", f"return {found}")
    line = error_of(f"from arena.stats.estimate import Rating\n{text}")
    expected = "hook arena_formats: found .*; expected a list of subclasses of arena.tournament.formats.base.Format"
    assert re.fullmatch(rf"plugin 'once' of once 1.2: {expected}", line)


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ("[TieBreak('games', 'games: again', print)]", "two tie-breaks are called 'games'; expected another name for the plugin's"),
        (
            "['games']",
            "hook arena_tie_breaks: found 'games'; expected a list of TieBreak of arena.stats.score_ranking",
        ),
    ],
)
def test_a_plugin_with_a_wrong_tie_break_gives_one_line(error_of: ErrorOf, found: str, line: str) -> None:
    hook = f"@hookimpl\ndef arena_tie_breaks():\n    return {found}\n"
    found = error_of(f"from arena.stats.score_ranking import TieBreak\n{FORMAT}\n{hook}")
    assert found.removeprefix("plugin 'once' of once 1.2: ") == line


def test_a_plugin_whose_command_is_no_function_gives_one_line() -> None:
    class AddsNumber:
        @staticmethod
        @hookspecs.hookimpl
        def arena_commands() -> dict[str, int]:
            return {"shout": 3}

    plugins = manager.load(entry_points=False)
    plugins.register(AddsNumber(), "number")
    with pytest.raises(PluginError, match="hook arena_commands: found 3 as the command 'shout'; expected a function"):
        door.commands(plugins)


def test_two_commands_with_one_name_are_an_error() -> None:
    class AddsCommand:
        @staticmethod
        @hookspecs.hookimpl
        def arena_commands() -> dict[str, Callable[..., None]]:
            return {"shout": print}

    plugins = manager.load(entry_points=False)
    plugins.register(AddsCommand(), "one")
    assert door.commands(plugins).keys() - door.commands(door.load(entry_points=False)).keys() == {"shout"}
    plugins.register(AddsCommand(), "two")
    with pytest.raises(PluginError, match="two plugins add a command 'shout'"):
        door.commands(plugins)


# --- a third-party distribution, in a separate environment


BOT = """
from arena.sdk import Bot

class Stranger(Bot):
    '''Plays as every bot does.'''
"""
PLUGIN = f'''{FORMAT}
import typer
from arena.gin.rules import Rules, Target
from arena.stats.score_ranking import TieBreak

class Sprint(Rules, frozen=True, kw_only=True, tag="sprint"):
    """Very short."""

    target: Target = 20
    best_of: int = 1

@hookimpl
def arena_rulesets():
    return [Sprint]

@hookimpl
def arena_tie_breaks():
    return [TieBreak("opponents", "opponents: number of them", lambda scores, name, _: len(scores.results(name)))]

@hookimpl
def arena_commands():
    return {{"shout": shout}}

def shout(word: str) -> None:
    """Say it loud."""
    typer.echo(word.upper())

@hookimpl
def arena_recorded(record):
    typer.echo(f"recorded {{record.fixture.id}}")
'''


def environment_with(folder: Path, wheel: Path) -> Path:
    """Return the interpreter of a new environment with the wheel and everything that this environment has."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    (site,) = folder.glob("lib/python*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (site / "beside.pth").write_text("\n".join(f"import site; site.addsitedir({path!r})" for path in here) + "\n")
    with zipfile.ZipFile(wheel) as archive:  # to install a wheel of pure Python is to unpack it: PEP 427
        archive.extractall(site)
    return python


@pytest.fixture(scope="module")
def third_party(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stranger")
    folder.chmod(0o755)
    points = "[arena.bots]\nstranger = stranger_bots:Stranger\n\n[arena]\nstranger = stranger_plugin\n"
    files = {"stranger_bots.py": BOT, "stranger_plugin.py": PLUGIN}
    return environment_with(folder / "venv", wheel(folder, "stranger", files, points, version="0.7"))


def third_party_runs(python: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [str(python), "-m", "arena", *map(str, arguments)]
    environment = {**os.environ, "ARENA_PLUGINS": "stranger"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.process
def test_a_third_party_bot_is_listed(third_party: Path) -> None:
    done = third_party_runs(third_party, "bots", "list", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    bots = {bot["name"]: bot for bot in json.decode(done.stdout.encode())["bots"]}
    assert (bots["stranger"]["version"], bots["stranger"]["source"]) == ("0.7", "stranger stranger_bots:Stranger")
    assert "greedy" in bots


@pytest.mark.process
def test_a_third_party_command_is_available(third_party: Path) -> None:
    assert third_party_runs(third_party, "shout", "gin").stdout == "GIN\n"
    assert "Say it loud" in third_party_runs(third_party, "--help").stdout


@pytest.mark.process
def test_a_third_party_bot_format_and_ruleset_can_be_played(third_party: Path, tmp_path: Path) -> None:
    path = tmp_path / "league.yaml"
    path.write_text("bots: [stranger, greedy]\nformat: once\nrules: sprint\n")
    done = third_party_runs(third_party, "run", path, "--results", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert "recorded only" in done.stdout
    assert "1 match," in done.stdout
    assert third_party_runs(third_party, "verify", tmp_path / "run").stdout.endswith(" 0 differences\n")


@pytest.mark.process
def test_a_run_whose_plugin_is_not_installed_gives_one_line(third_party: Path, tmp_path: Path) -> None:
    path = tmp_path / "league.yaml"
    path.write_text("bots: [greedy, cautious]\nformat: once\nrules: sprint\n")
    assert third_party_runs(third_party, "run", path, "--results", tmp_path / "run").returncode == 0
    report = json.decode((tmp_path / "run" / "results.json").read_bytes())
    assert report["provenance"]["plugins"] == "stranger 0.7"
    done = arena("report", tmp_path / "run")
    assert done.returncode == 2
    assert done.stderr.startswith(f"arena: {tmp_path}/run/spec.yaml:")
    assert "expected one of" in done.stderr
    assert done.stderr.endswith(
        "; this was played with stranger 0.7, which is not loaded; if you trust it: pip install stranger==0.7\n"
    )


@pytest.mark.process
def test_a_run_that_is_resumed_without_its_plugins_says_so(third_party: Path, tmp_path: Path) -> None:
    path = tmp_path / "league.yaml"
    path.write_text("bots: [greedy, cautious]\nformat: {pairs: 1}\nrules: {target: 20, best_of: 1}\n")
    assert third_party_runs(third_party, "run", path, "--results", tmp_path / "run").returncode == 0
    resumed = arena("run", path, "--results", tmp_path / "run")
    assert resumed.returncode == 0
    assert f"{tmp_path}/run: this run began with stranger 0.7; found no plugins" in resumed.stderr


@pytest.mark.process
def test_a_run_ranked_by_a_plugins_tie_break_is_verified_with_it_and_names_it_where_it_is_missing(
    third_party: Path, tmp_path: Path
) -> None:
    path = tmp_path / "league.yaml"
    path.write_text(
        "bots: [greedy, cautious]\nformat: {name: swiss, rounds: 1, tie_breaks: [opponents]}\nrules: {target: 20, best_of: 1}\n"
    )
    done = third_party_runs(third_party, "run", path, "--results", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert "opponents" in done.stdout
    assert third_party_runs(third_party, "verify", tmp_path / "run").stdout.endswith(" 0 differences\n")
    for command in ("report", "verify"):
        without = arena(command, tmp_path / "run")
        assert without.returncode == 2
        assert "format.tie_breaks.0: found 'opponents'; did you mean 'points'? expected one of buchholz, games" in without.stderr
        assert "if you trust it: pip install stranger==0.7" in without.stderr
        assert len(without.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("sly.part", "rank, line 1 of part.py: JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
        ("arena.stats", ""),
    ],
)
def test_an_error_in_a_plugins_code_is_one_line_and_one_in_arenas_own_is_not(
    monkeypatch: pytest.MonkeyPatch, module: str, line: str
) -> None:
    monkeypatch.setattr(consent, "allowed_plugins", lambda: [EntryPoint("sly", "sly.part", distribution("pluggy"))])
    called: dict[str, Any] = {"__name__": module}
    exec(compile("def rank(): import json; json.loads('')", "part.py", "exec"), called)  # noqa: S102 - our own text
    caller: dict[str, Any] = {"__name__": "sly", "rank": called["rank"]}
    exec(compile("def command(): rank()", "sly.py", "exec"), caller)  # noqa: S102 - likewise
    with pytest.raises(ValueError, match="Expecting value") as caught:
        caller["command"]()
    found = strangers.fault_of_plugin(caught.value)
    assert found == (line and f"plugin 'sly' of pluggy {distribution('pluggy').version}: {line}")
