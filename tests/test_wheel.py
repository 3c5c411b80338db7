"""What is built from the repository, and how it works in an environment that has nothing else."""

import shutil
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import arena_build
import pytest
from msgspec import json
from support.processes.waiting import until
from support.repository.files import ROOT, tracked
from support.repository.installing import Place, built, give, installed, own_folder, public_python, ran
from support.repository.pages import blocks
from support.servers.serving import ask, serving

from arena.runs import manual
from arena.web.responses import STATIC

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PAGES = ("README.md", "arena/plugins/README.md", "arena/sdk/README.md")
EVERY_KIND = ROOT / "tests" / "support" / "repository" / "every_kind.py"
BOT = ROOT / "arena" / "runs" / "templates" / "python"
STAYS = ("arena/studies/", "arena_bots/training/")


@pytest.fixture
def place(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return an empty folder, and an environment into which the wheel was installed."""
    return Place(installed(tmp_path_factory, "wheel"), own_folder(tmp_path))


def expected() -> set[str]:
    """Return the names of files in a wheel: every tracked file of the packages, but for what stays behind, and the manual."""
    names = [path.as_posix() for path in tracked() if path.parts[0] in ("arena", "bots")]
    renamed = {name.replace("bots/", "arena_bots/", 1) if name.startswith("bots/") else name for name in names}
    return {name for name in renamed if not name.startswith(STAYS)} | {f"arena/pages/{page}" for page in arena_build.PAGES}


def test_the_wheel_holds_the_packages_and_nothing_else(tmp_path_factory: pytest.TempPathFactory) -> None:
    with zipfile.ZipFile(built(tmp_path_factory).wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name and "/compiled_" not in name}
    assert sorted(names - expected()) == []
    assert sorted(expected() - names) == []


def test_the_sdist_holds_what_the_wheel_is_built_from(tmp_path_factory: pytest.TempPathFactory) -> None:
    with tarfile.open(built(tmp_path_factory).sdist) as archive:
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


def test_every_page_of_the_manual_is_shown(place: Place) -> None:
    code = "from arena.runs import manual; print(*map(manual.markdown, manual.PAGES), sep='', end='')"
    assert place.run("python", "-P", "-c", code) == "".join(
        (ROOT / path).read_text(encoding="utf-8") for path in manual.PAGES.values()
    )


def test_every_bot_is_found_and_entered_unless_it_needs_something_else(place: Place) -> None:
    bots = json.decode(place.run("arena", "bots", "list", "--json").encode())["bots"]
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]["arena.bots"]
    assert {bot["name"] for bot in bots} == {*declared, "duo"}
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
        ("pettingzoo", {"README.md", "export.py", "sly_fox.npz", "sly_fox.py", "train.py"}),
        ("rlcard", {"README.md", "__init__.py", "rlcard_agents.py", "sly_fox.py"}),
        ("openspiel", {"README.md", "__init__.py", "events.py", "openspiel.py", "sly_fox.py"}),
        ("llm", {"README.md", "models.yaml", "sly_fox.py"}),
        ("node", {"README.md", "bot.js", "bot.yaml"}),
        ("c", {"Makefile", "README.md", "bot.c", "bot.yaml"}),
        ("rust", {"Cargo.toml", "Makefile", "README.md", "bot.yaml", "src/json.rs", "src/main.rs"}),
        ("awk", {"README.md", "bot.awk", "bot.yaml"}),
    ],
)
def test_a_bot_is_written_in_every_language(place: Place, lang: str, files: set[str]) -> None:
    place.run("arena", "bots", "new", "sly-fox", "--lang", lang)
    there = {
        path.relative_to(place.folder / "sly-fox").as_posix() for path in (place.folder / "sly-fox").rglob("*") if path.is_file()
    }
    assert there == files


def test_a_league_is_played_and_served_with_every_asset(place: Place) -> None:
    spec = "title: League\nbots: [greedy, scholar]\nrules: {target: 30, best_of: 1}\n"
    (place.folder / "league.yaml").write_text(spec, encoding="utf-8")
    assert "scholar" in place.run("arena", "run", "league.yaml", "--results", "results/run")
    assert "<script" in (place.folder / "results" / "run" / "report.html").read_text(encoding="utf-8")
    with serving(place.folder / "results", place.scripts / "python") as address:
        until(lambda: b"/runs/run/" in ask(address, "/").body)  # the server looks for runs in the background
        paths = ["/", "/runs/run/", *(f"/static/{name}" for name in STATIC)]
        assert {path: ask(address, path).status for path in paths} == dict.fromkeys(paths, 200)


def test_the_first_league_is_written_played_and_reported(place: Place) -> None:
    place.run("arena", "init")
    place.run("arena", "run", "league.yaml", "--results", "results/first")
    assert "my-bot" in place.run("arena", "report", "results/first")


def test_a_type_checker_finds_nothing_wrong_with_a_plugin_a_bot_and_their_tests(place: Place) -> None:
    checked = {block.file or f"block_{block.number}.py": block.text for block in blocks("python") if block.page in PAGES}
    checked |= {path.name: path.read_text(encoding="utf-8") for path in [EVERY_KIND, *BOT.rglob("*.py")]}
    for name, text in checked.items():
        (place.folder / name).write_text(text, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", place.scripts / "python", *checked]
    assert ran(*mypy, folder=place.folder) == f"Success: no issues found in {len(checked)} source files\n"


def test_what_is_installed_in_a_users_home_alone_plays_too(place: Place) -> None:
    python = public_python()
    where = ran(python, "-m", "site", "--user-site", folder=place.folder, codes=(0, 1, 2), ordinary=True).strip()
    if "True" not in ran(python, "-c", "import site; print(site.ENABLE_USER_SITE)", folder=place.folder, ordinary=True):
        pytest.skip(f"{python} imports nothing from a user's home")
    (packages,) = place.scripts.parent.glob("lib/python*/site-packages")
    shutil.copytree(packages, where)  # as pip install --user leaves it
    give(place.folder)
    for sandbox in ("strict", "none"):
        ran(
            python,
            "-P",
            "-m",
            "arena",
            "match",
            "greedy",
            "duo",
            "--hands",
            "4",
            "--sandbox",
            sandbox,
            folder=place.folder,
            ordinary=True,
        )
