"""What the READMEs show runs, and what there is, they show."""

import re
import runpy
import subprocess
from pathlib import Path

import pytest
from commands import command
from readmes import ROOT, Block, blocks, pages

from arena.cli.app import build
from arena.players.remote import TimeLimits
from arena.plugins import hookspecs, manager
from arena.referee.faults import FaultCosts
from arena.sdk import Bot, View
from arena.sdk.selfplay import selfplay
from arena.tournament import plan, spec

PLUGINS = manager.load(entry_points=False)
PYTHON, YAML, SHELL = blocks("python"), blocks("yaml"), blocks("sh")
SDK = "arena/sdk/README.md"


def name(block: Block) -> str:
    return f"{block.page}:{block.number}"


@pytest.mark.parametrize("block", PYTHON, ids=name)
def test_every_python_block_runs(block: Block, tmp_path: Path) -> None:
    path = tmp_path / (block.file or "block.py")
    path.write_text(block.text, encoding="utf-8")
    made = runpy.run_path(str(path))
    for bot in [one for one in made.values() if isinstance(one, type) and issubclass(one, Bot) and one.__module__ == "<run_path>"]:
        assert selfplay((bot("one"), bot("two")), hands=5) > 50


@pytest.mark.parametrize("block", [block for block in YAML if "bots:" in block.text], ids=name)
def test_every_spec_can_be_played(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in PYTHON:
        if other.page == block.page and other.file:
            (tmp_path / other.file).write_text(other.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    read = spec.parse(block.text, manager.kinds(PLUGINS), "spec.yaml")
    from arena.roster.finder import find  # noqa: PLC0415 - reads the entry points, as a run does

    assert plan.make(read, "seed", find).names


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_bots_of_the_sdks_page_are_as_strong_as_it_says(tmp_path: Path) -> None:
    for block in PYTHON:
        if block.page == SDK and block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    commands = [line for block in SHELL if block.page == SDK for line in block.text.splitlines() if line.startswith("arena match")]
    told = [line for block in blocks("text") if block.page == SDK for line in block.text.splitlines()]
    assert len(commands) == len(told) == 4
    for asked, line in zip(commands, told, strict=True):
        asking = command(*asked.split()[1:], "--sandbox", "none")
        ended = subprocess.run(asking, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert ended.stdout.splitlines()[0] == line


@pytest.mark.parametrize("block", SHELL, ids=name)
def test_every_command_of_a_page_is_there(block: Block) -> None:
    known = commands()
    for line in re.findall(r"^(?:.*&& )?(?:\.venv/bin/)?arena (.*)$", block.text, re.MULTILINE):
        words = line.split()
        assert words[0] in known
        if words[0] == "bots":
            assert f"bots {words[1]}" in known


def test_every_command_stands_in_the_table() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [one for one in commands() if one not in ("bots", "strength") and f"`arena {one}" not in page] == []


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
        *(key for key in spec.Spec.__struct_fields__ if key not in ("text", "folder")),
        *(f"time.{key}" for key in TimeLimits.__struct_fields__),
        *(f"faults.{key}" for key in FaultCosts.__struct_fields__),
        *(manager.name_of(part) for part in parts),
    }
    assert sorted(option for option in options if f"`{option}" not in page) == []
    told = {key for part in parts for key in part.__struct_fields__ if not re.search(rf"`(?:\w+\.)?{key}`", page)}
    assert sorted(told) == []


def test_every_method_and_value_of_the_sdk_is_on_its_page() -> None:
    page = (ROOT / SDK).read_text(encoding="utf-8")
    values = [*View.__struct_fields__, *(key for key, value in vars(View).items() if isinstance(value, property))]
    methods = [key for key, value in vars(Bot).items() if callable(value) and not key.startswith("_")]
    assert [key for key in values if f"`{key}`" not in page] == []
    assert [key for key in methods if f"`{key}(" not in page] == []


def test_every_link_leads_somewhere() -> None:
    for page in pages():
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert link.startswith("http") or (page.parent / link).exists(), f"{page}: {link}"


def commands() -> list[str]:
    """Return every command, those of groups with their group."""
    app = build()
    groups = {group.name: group.typer_instance for group in app.registered_groups if group.typer_instance}
    found = [_called(one.name, one.callback) for one in app.registered_commands]
    for group, inside in groups.items():
        found += [str(group), *(f"{group} {_called(one.name, one.callback)}" for one in inside.registered_commands)]
    return found


def _called(given: str | None, function: object) -> str:
    return given or str(getattr(function, "__name__", "")).replace("_", "-")
