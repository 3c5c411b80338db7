"""What is built from the repository, and how it works in an environment that has nothing else."""

import shutil
import sys
import tarfile
import time
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import arena_build
import pytest
from installing import environment, environment_or_skip, ran
from msgspec import Struct, json
from readmes import blocks
from repository import ROOT, copied, tracked
from serving import ask, serving

from arena.runs import manual
from arena.web.pages import STATIC

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PAGES = ("README.md", "arena/plugins/README.md", "arena/sdk/README.md")
EVERY_KIND = ROOT / "tests" / "support" / "every_kind.py"
BOT = ROOT / "arena" / "cli" / "templates" / "python"
STAYS = ("arena/studies/", "arena_bots/training/")


class Installed(Struct, frozen=True):
    """A distribution, and an environment into which its wheel was installed."""

    wheel: Path
    sdist: Path
    scripts: Path  # the environment's folder of programs

    def run(self, *command: object, folder: Path, code: int = 0) -> str:
        """Run a program of the environment in a folder, and return its output; ``code`` is the exit code it must have."""
        program, *arguments = map(str, command)
        return ran(self.scripts / program, *arguments, folder=folder, code=code)


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"still not so after {seconds:g} s"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build an sdist, from it a wheel, and install the wheel with the extra ``web``."""
    folder = tmp_path_factory.mktemp("wheel")
    folder.chmod(0o755)  # root plays bots as another user, who has to read them
    builder = environment_or_skip(folder / "builder", "build")
    source = copied(folder / "source")
    ran(builder / "python", "-m", "build", "--outdir", folder / "dist", source, folder=folder)
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    shutil.rmtree(source)  # nothing below may read it
    return Installed(wheel, sdist, environment(folder / "venv", f"{wheel}[web]", "pytest"))


def expected() -> set[str]:
    """Return every tracked file of the packages, as it is called in a wheel, except what stays in the repository; and the manual."""
    names = [path.as_posix() for path in tracked() if path.parts[0] in ("arena", "bots")]
    renamed = {name.replace("bots/", "arena_bots/", 1) if name.startswith("bots/") else name for name in names}
    return {name for name in renamed if not name.startswith(STAYS)} | {f"arena/pages/{page}" for page in arena_build.PAGES}


def test_the_wheel_holds_the_packages_and_nothing_else(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert sorted(names - expected()) == []
    assert sorted(expected() - names) == []


def test_the_sdist_holds_what_the_wheel_is_built_from(installed: Installed) -> None:
    with tarfile.open(installed.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "pyproject.toml",
        "README.md",
        "arena/py.typed",
        "bots/greedy.py",
        "bots/node_counter/bot.js",
        ".packaging/arena_build.py",
    } <= names
    assert not [name for name in names if name.startswith(("arena/studies/", "bots/training/"))]


def test_every_page_of_the_manual_is_shown(installed: Installed, tmp_path: Path) -> None:
    for name, path in manual.PAGES.items():
        assert installed.run("arena", "docs", name, folder=tmp_path) == (ROOT / path).read_text(encoding="utf-8")


def test_every_bot_is_found_and_entered_unless_it_needs_something_else(installed: Installed, tmp_path: Path) -> None:
    bots = json.decode(installed.run("arena", "bots", "list", "--json", folder=tmp_path).encode())
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]["arena.bots"]
    assert {bot["name"] for bot in bots} == set(declared)
    refused = {bot["name"] for bot in bots if "error" in bot}
    assert refused <= {
        "guest-openspiel-simple",
        "guest-rlcard-novice",
        "node-counter",
        "awk-counter",
    }  # extras, and other languages


@pytest.mark.parametrize(
    ("lang", "files"),
    [
        ("python", {"README.md", "pyproject.toml", "sly_fox.py", "tests/test_sly_fox.py"}),
        ("node", {"README.md", "bot.js", "bot.yaml"}),
        ("c", {"Makefile", "README.md", "bot.c", "bot.yaml"}),
        ("awk", {"README.md", "bot.awk", "bot.yaml"}),
    ],
)
def test_a_bot_is_written_in_every_language(installed: Installed, tmp_path: Path, lang: str, files: set[str]) -> None:
    installed.run("arena", "bots", "new", "sly-fox", "--lang", lang, folder=tmp_path)
    there = {path.relative_to(tmp_path / "sly-fox").as_posix() for path in (tmp_path / "sly-fox").rglob("*") if path.is_file()}
    assert there == files


def test_a_league_is_played_and_served_with_every_asset(installed: Installed, tmp_path: Path) -> None:
    spec = "title: League\nbots: [greedy, scholar]\nrules: {target: 30, best_of: 1}\n"
    (tmp_path / "league.yaml").write_text(spec, encoding="utf-8")
    assert "scholar" in installed.run("arena", "run", "league.yaml", "--results", "results/run", folder=tmp_path)
    assert "<script" in (tmp_path / "results" / "run" / "report.html").read_text(encoding="utf-8")
    with serving(tmp_path / "results", installed.scripts / "python") as address:
        wait_for(lambda: b"/runs/run/" in ask(address, "/").body)  # the server looks for runs in the background
        paths = ["/", "/runs/run/", *(f"/static/{name}" for name in STATIC)]
        assert {path: ask(address, path).status for path in paths} == dict.fromkeys(paths, 200)


def test_the_first_league_is_written_played_and_reported(installed: Installed, tmp_path: Path) -> None:
    installed.run("arena", "init", folder=tmp_path)
    installed.run("arena", "run", "league.yaml", "--results", "results/first", folder=tmp_path)
    assert "my-bot" in installed.run("arena", "report", "results/first", folder=tmp_path)


def test_a_type_checker_finds_nothing_wrong_with_a_plugin_a_bot_and_their_tests(installed: Installed, tmp_path: Path) -> None:
    checked = {block.file or f"block_{block.number}.py": block.text for block in blocks("python") if block.page in PAGES}
    checked |= {path.name: path.read_text(encoding="utf-8") for path in [EVERY_KIND, *BOT.rglob("*.py")]}
    for name, text in checked.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", installed.scripts / "python", *checked]
    assert ran(*mypy, folder=tmp_path) == f"Success: no issues found in {len(checked)} source files\n"
