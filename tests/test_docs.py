"""What the READMEs show runs, and everything that can be used is on its page."""

import ast
import os
import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands.calls import arena
from support.commands.every_command import leaves
from support.repository.pages import ROOT, Block, blocks, is_here, pages

from arena.league.rules import spec as leagues
from arena.league.rules.field import FieldLimits
from arena.league.rules.history import SuspensionRule
from arena.league.rules.pairing import PairingPolicy
from arena.league.rules.seasons import SeasonTerms
from arena.limits import FaultCosts, TimeLimits
from arena.plugins import hookspecs, manager
from arena.sdk import Bot, View
from arena.sdk.selfplay import selfplay
from arena.tournament import plan, spec

PLUGINS = manager.load(entry_points=False)
PYTHON, YAML, SHELL = blocks("python"), blocks("yaml"), blocks("sh")
SDK = "arena/sdk/README.md"


def name(block: Block) -> str:
    return f"{block.page}:{block.number}"


@pytest.mark.parametrize(
    "block", [pytest.param(one, id=name(one), marks=pytest.mark.process if "arena.duel(" in one.text else ()) for one in PYTHON]
)
def test_every_python_block_runs(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)  # a block may import another of its page by the name that it is saved under
    for other in PYTHON:
        if other.page == block.page and other.file:
            (tmp_path / other.file).write_text(other.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # where it may begin a run
    path = tmp_path / (block.file or "block.py")
    path.write_text(block.text, encoding="utf-8")
    made = runpy.run_path(str(path))
    for bot in [one for one in made.values() if isinstance(one, type) and issubclass(one, Bot) and one.__module__ == "<run_path>"]:
        assert selfplay((bot("one"), bot("two")), hands=5) > 50


PLUGIN_PAGE = "arena/plugins/README.md"  # its spec needs its plugins: tests/plugins/test_readme.py installs them and plays it


@pytest.mark.parametrize("block", [block for block in YAML if "bots:" in block.text and block.page != PLUGIN_PAGE], ids=name)
def test_every_spec_can_be_played(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in PYTHON:
        if other.page == block.page and other.file:
            (tmp_path / other.file).write_text(other.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    read = spec.parse_spec(block.text, manager.kinds(PLUGINS), "spec.yaml")
    from arena.roster.finder import find  # noqa: PLC0415 - reads the entry points, as a run does

    assert plan.make(read, "seed", find).names


MATCHES = [line for block in SHELL if block.page == SDK for line in block.text.splitlines() if line.startswith("arena match")]
PRINTED = [line for block in blocks("text") if block.page == SDK for line in block.text.splitlines()]


def test_the_sdks_page_shows_four_matches_and_what_they_print() -> None:
    assert len(MATCHES) == len(PRINTED) == 4


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("asked", "printed"), [*zip(MATCHES, PRINTED, strict=False)], ids=MATCHES)
def test_the_bots_of_the_sdks_page_are_as_strong_as_it_says(asked: str, printed: str, tmp_path: Path) -> None:
    for block in PYTHON:
        if block.page == SDK and block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    ended = arena(*asked.split()[1:], "--sandbox", "none", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[0] == printed


@pytest.mark.parametrize("block", SHELL, ids=name)
def test_every_command_of_a_page_is_there_with_its_options(block: Block) -> None:
    for line in re.findall(r"^(?:.*&& )?(?:\S*bin/)?arena (.*)$", block.text.replace("\\\n", ""), re.MULTILINE):
        words = [word for word in re.split(r" [|>]| && |  #", line)[0].split() if not word.startswith("`")]
        named = max((name for name in leaves() if words[: len(name.split())] == name.split()), key=len, default=None)
        assert named, line
        options = {option for param in leaves()[named].params for option in (*param.opts, *param.secondary_opts)}
        asked = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert asked <= {*options, "--help"}, line


def test_every_hook_is_documented() -> None:
    page = (ROOT / "arena/plugins/README.md").read_text(encoding="utf-8")
    hooks = [name for name in vars(hookspecs) if name.startswith("arena_")]
    assert len(hooks) >= 8
    assert [hook for hook in hooks if f"`{hook}`" not in page] == []


def test_every_key_and_every_part_of_a_spec_is_documented() -> None:
    page = (ROOT / "tournaments/README.md").read_text(encoding="utf-8")
    kinds = manager.kinds(PLUGINS)
    parts = [part for several in (kinds.formats, kinds.sandboxes, kinds.ratings, kinds.reports) for part in several]
    options = {
        *(key for key in spec.Spec.__struct_fields__ if key not in ("text", "folder", "sandbox_named")),
        *(f"time.{key}" for key in TimeLimits.__struct_fields__),
        *(f"faults.{key}" for key in FaultCosts.__struct_fields__),
        *(manager.name_of(part) for part in parts),
    }
    assert sorted(option for option in options if f"`{option}" not in page) == []
    missing = {key for part in parts for key in part.__struct_fields__ if not re.search(rf"`(?:\w+\.)?{key}`", page)}
    assert sorted(missing) == []


def test_every_method_and_value_of_the_sdk_is_on_its_page() -> None:
    page = (ROOT / SDK).read_text(encoding="utf-8")
    values = [*View.__struct_fields__, *(key for key, value in vars(View).items() if isinstance(value, property))]
    methods = [key for key, value in vars(Bot).items() if callable(value) and not key.startswith("_")]
    assert [key for key in values if f"`{key}`" not in page] == []
    assert [key for key in methods if f"`{key}(" not in page] == []


def test_every_link_leads_somewhere() -> None:
    for page in pages():
        for link in re.findall(r"\]\(([^)#]+)\)", re.sub("`[^`\n]+`", "", page.read_text(encoding="utf-8"))):
            place = os.path.relpath(page.parent / link, ROOT)
            assert link.startswith("http") or (page.parent / link).exists() or not is_here(place), f"{page}: {link}"


MAP = ROOT / "arena" / "README.md"
SPAN = re.compile(r"`([\w/]+\.(?:py|js))`|`([A-Za-z_]\w*(?:\.\w+)?)(?:\(\))`|`([A-Z]\w*\.\w+)`")


def steps_of_the_map() -> Iterator[tuple[str, str]]:
    """Yield each function, method or field that the map of the code names, with the file named before it."""
    file = ""
    for path, function, field in SPAN.findall(MAP.read_text(encoding="utf-8")):
        file = path or file
        if function or field:
            yield file, function or field


def defined_in(path: Path) -> set[str]:
    """Return the names of a file's functions, and of its classes' methods and fields behind the name of the class."""
    if path.suffix == ".js":
        return set(re.findall(r"(?:function|const) (\w+)", path.read_text(encoding="utf-8")))
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
            names |= {
                f"{node.name}.{one.target.id}"
                for one in node.body
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
            }
    return names


def test_every_file_of_the_map_exists() -> None:
    files = {path for path, _, _ in SPAN.findall(MAP.read_text(encoding="utf-8")) if path and path != "base.py"}
    assert len(files) >= 30
    assert sorted(path for path in files if not (ROOT / "arena" / path).is_file()) == []


def test_every_function_of_the_map_is_in_the_file_named_before_it() -> None:
    steps = list(steps_of_the_map())
    assert len(steps) >= 30
    assert [step for step in steps if step[1] not in defined_in(ROOT / "arena" / step[0])] == []


def test_the_map_groups_the_layers_in_six_in_their_order() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]
    rows = re.findall(r"^\| (`.+?`) \|", MAP.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == 6
    shown = [line.replace("`", "").split(" + ") for row in rows for line in row.split(", ")]
    assert shown == [[layer.strip().removeprefix("arena.") for layer in line.split("|")] for line in contract["layers"]]


def test_the_glossary_is_in_alphabetical_order_and_has_each_term_once() -> None:
    terms = re.findall(r"^- \*\*([a-z ]+)\*\*: ", MAP.read_text(encoding="utf-8").partition("## Glossary")[2], re.MULTILINE)
    assert len(terms) >= 60
    assert terms == sorted(set(terms))


def test_the_readme_begins_with_the_two_commands() -> None:
    shown = [block for block in blocks("sh") if block.page == "README.md"]
    install, tests = (block.text for block in shown[:2])
    assert "tournaments/quickstart.yaml" in install
    assert "pytest" in tests


def test_the_readme_shows_how_the_console_report_begins() -> None:
    shown = next(block.text.splitlines() for block in blocks("text") if block.page == "README.md")
    report = (ROOT / "tests" / "golden" / "reports" / "console.txt").read_text(encoding="utf-8").splitlines()
    assert (" won: " in shown[0], " won: " in report[0]) == (True, True)
    assert _headings(shown) == sorted(word.replace("rated", "Elo") for word in _headings(report))


def _headings(report: list[str]) -> list[str]:
    """Return the words of the first table's headings, sorted: a heading of several words may take several lines."""
    lines = report[report.index("Standings") + 2 :]
    rule = next(at for at, line in enumerate(lines) if line.startswith(" \N{BOX DRAWINGS LIGHT HORIZONTAL}"))
    return sorted(" ".join(lines[:rule]).split())


LEAGUES = [block for block in YAML if "aim:" in block.text]


@pytest.mark.parametrize("block", LEAGUES, ids=name)
def test_every_spec_of_a_league_can_be_read(block: Block) -> None:
    assert leagues.parse_league(block.text, manager.kinds(PLUGINS), "league.yaml").title


def test_every_key_of_a_leagues_spec_is_documented() -> None:
    page = (ROOT / "tournaments/README.md").read_text(encoding="utf-8")
    groups = {
        "pairing": PairingPolicy,
        "limits": FieldLimits,
        "suspension": SuspensionRule,
        "season": SeasonTerms,
        "audition": leagues.AuditionTerms,
    }
    inner = [f"{group}.{key}" for group, kind in groups.items() for key in kind.__struct_fields__]
    plain = [key for key in leagues.LeagueSpec.__struct_fields__ if key not in groups and key != "text"]
    assert [key for key in (*inner, *plain) if f"`{key}" not in page] == []
