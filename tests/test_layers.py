"""The layers of arena, as pyproject.toml draws them."""

import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import structure

ROOT = Path(__file__).parents[1]
OF_NO_PACKAGE = {"bots", "rogues", "studies"}  # folders of tests of something else than a package of arena


@pytest.mark.process
def test_an_import_goes_down_the_layers_or_not_at_all() -> None:
    check = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", check, "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


def test_no_module_imports_itself_by_way_of_others_not_even_for_a_type() -> None:
    try:
        TopologicalSorter({module: structure.mentioned(module) for module in structure.modules()}).prepare()
    except CycleError:  # perhaps of texts that mention modules
        TopologicalSorter(
            {module: structure.imports(module) for module in structure.modules()}
        ).prepare()  # raises CycleError with the ring


@pytest.mark.parametrize("entry", structure.MOST_REACHED)
def test_an_entry_reaches_no_more_of_the_tree_than_it_does(entry: str) -> None:
    assert structure.lines(structure.reached(entry)) <= structure.MOST_REACHED[entry], (
        f"python tests/studies/structure.py {entry} shows it"
    )


def test_arena_itself_imports_nothing_of_its_own() -> None:
    assert {name for name in loaded("import arena") if name.startswith("arena")} == {"arena"}


def test_signals_are_handled_before_anything_of_arena_is_imported() -> None:
    assert {name for name in loaded("import arena.__main__") if name.startswith(("arena", "msgspec"))} == {
        *("arena", "arena.__main__", "arena.signals"),
    }


def test_links_are_followed_in_one_place_which_knows_links_to_themselves() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "arena").rglob("*.py")}
    assert not [str(path) for path, source in sources.items() if re.search(r"(?<!Path)\.resolve\((strict=\w+)?\)", source)]


def test_tests_stand_in_the_folder_of_the_package_that_they_test() -> None:
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    inside = {folder for folder in folders if folder.parts and folder.parts[0] not in OF_NO_PACKAGE}
    assert {str(folder) for folder in inside if not (ROOT / "arena" / folder / "__init__.py").is_file()} == set()


def loaded(statement: str) -> set[str]:
    """Return the modules that are there after a statement in a fresh interpreter."""
    code = f"{statement}\nimport sys\nsys.stdout.write('\\n' + ' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_what_a_bot_imports_has_nothing_of_the_harness() -> None:
    modules = loaded("import arena.sdk, arena.sdk.loop")
    assert not {name for name in modules if name.startswith("arena.")} & {
        f"arena.{part}"
        for part in (
            "cli",
            "players",
            "plugins",
            "records",
            "referee",
            "reports",
            "roster",
            "stats",
            "store",
            "tournament",
        )
    }


def test_help_waits_for_nothing_heavy() -> None:
    modules = loaded(
        "import sys\nsys.argv = ['arena', '--help']\nfrom arena.cli.app import main\ntry: main()\nexcept SystemExit: pass"
    )
    assert "typer" in modules
    assert not modules & {"numpy", "scipy", "rich.table", "yaml", "sqlite3", "multiprocessing_logging"}
