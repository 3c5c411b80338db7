"""What is installed, and what stands at the top."""

import ast
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TOP = {".ci", ".git", ".gitignore", "README.md", "arena", "bots", "pyproject.toml", "results", "tests", "tournaments"}
MODULES = sorted(path for folder in ("arena", "bots") for path in (ROOT / folder).rglob("*.py"))


def test_every_package_is_installed() -> None:
    sources = [path for path in (ROOT / "arena").rglob("*.py") if "templates" not in path.parts]  # those are copied, not imported
    there = {".".join(path.parent.relative_to(ROOT).parts) for path in sources}
    bots = {".".join(("arena_bots", *path.parent.relative_to(ROOT / "bots").parts)) for path in (ROOT / "bots").rglob("*.py")}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) >= there
    assert "arena_bots" in bots & set(PROJECT["tool"]["setuptools"]["packages"])


def test_every_package_that_is_installed_is_there() -> None:
    for package in PROJECT["tool"]["setuptools"]["packages"]:
        first, *rest = package.split(".")
        folder = (ROOT / PROJECT["tool"]["setuptools"]["package-dir"][first]).joinpath(*rest)
        assert (folder / "__init__.py").is_file() or (folder / "bot.yaml").is_file(), package


def test_nothing_stands_at_the_top_that_has_no_business_there() -> None:
    there = {path.name for path in ROOT.iterdir()} - {path.name for path in ROOT.glob(".*_cache")} - {".hypothesis", ".venv"}
    assert there <= TOP


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path == ROOT / "arena" / "__init__.py":
        return  # empty, so that a bot starts fast
    assert ast.get_docstring(ast.parse(text))


def test_every_bot_that_is_entered_is_installed() -> None:
    declared = PROJECT["project"]["entry-points"]["arena.bots"]
    installed = {point.name: point.value for point in entry_points(group="arena.bots")}
    assert declared.items() <= installed.items(), "the project has changed since it was installed: pip install -e ."
    for value in declared.values():
        module, colon, _ = value.partition(":")
        place = ROOT / "bots" / module.removeprefix("arena_bots.").replace(".", "/")
        assert (place.with_suffix(".py") if colon else place / "bot.yaml").is_file(), value
