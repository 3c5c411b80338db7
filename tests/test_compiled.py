"""The compiled core, built from an sdist, gives what its source gives, byte for byte. The two are run apart and share no module."""

import sys
from pathlib import Path
from typing import Any

import arena_build
import pytest
from msgspec import Struct, json
from support.repository.files import ROOT, copied
from support.repository.installing import environment_or_skip, ran, shared

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

PROGRAM = ROOT / "tests" / "support" / "kernel" / "engine_outputs.py"
LINES = ROOT / "tests" / "golden" / "judge.jsonl"
TESTED = ("tests/gin", "tests/protocol", "tests/sdk")
MARKED = """

def mark() -> int:
    return {}
"""
TOOLS = ("hypothesis", "pytest", "pytest-timeout", "setuptools>=77")
COMPILED = {arena_build.SWITCH: "1"}


class Compiled(Struct, frozen=True):
    """An environment with a compiled core and without its source, and a copy of the repository without its Python sources."""

    scripts: Path
    source: Path


def compiler() -> str | None:
    """Return why nothing can be compiled here, or None."""
    try:
        arena_build.check_compiler()
    except SystemExit as error:
        return str(error)
    return None


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    if why := compiler():
        pytest.skip(why)
    folder = shared(tmp_path_factory, "compiled", _compile)
    return Compiled(folder / "venv" / "bin", folder / "source")


def _compile(folder: Path) -> None:
    scripts, source = environment_or_skip(folder / "venv", *TOOLS), copied(folder / "source")
    ran(scripts / "pip", "install", "-q", _sdist(source, folder), folder=folder, variables=COMPILED, seconds=1000)
    for path in [path for part in ("arena", "bots") for path in (source / part).rglob("*.py")]:
        path.unlink()  # nothing below may import it
    for path in _installed(scripts):
        path.unlink()  # only the extension module is left


def _sdist(source: Path, folder: Path) -> Path:
    code = "import arena_build, sys; arena_build.build_sdist(sys.argv[1])"
    ran(sys.executable, "-c", code, folder, folder=source, variables={"PYTHONPATH": str(source / ".packaging")})
    (sdist,) = folder.glob("*.tar.gz")
    return sdist


def _installed(scripts: Path) -> list[Path]:
    packages = next(scripts.parent.glob("lib/python*/site-packages"))
    return [packages / name for name in arena_build.CORE]


def outputs(python: Path, folder: Path) -> dict[str, Any]:
    """Return what the engine of an interpreter gives."""
    found: dict[str, Any] = json.decode(ran(python, "-P", PROGRAM, LINES, folder=folder, seconds=600).encode())
    return found


def test_both_cores_give_the_same_for_cards_decks_hands_and_lines(compiled: Compiled, tmp_path: Path) -> None:
    plain, fast = outputs(Path(sys.executable), tmp_path), outputs(compiled.scripts / "python", tmp_path)
    assert (plain["core"], fast["core"]) == ("python", "compiled")
    assert not set(plain["modules"].values()) & set(fast["modules"].values())
    assert plain["outputs"] == fast["outputs"]


@pytest.mark.nightly
def test_the_tests_of_the_engine_pass_on_the_compiled_core(compiled: Compiled) -> None:
    options = ["-q", "-o", "addopts=--import-mode=importlib", "-m", "not slow", "-p", "no:cacheprovider"]
    sources = "--ignore=tests/gin/test_types.py"  # it reads what was removed here
    ran(compiled.scripts / "pytest", *options, sources, *TESTED, folder=compiled.source, seconds=900)


def test_the_command_line_says_that_the_core_is_compiled(compiled: Compiled, tmp_path: Path) -> None:
    found = json.decode(ran(compiled.scripts / "arena", "doctor", "--json", folder=tmp_path).encode())
    assert found["core"] == "compiled"
    assert found["core_matches_source"] is False  # which was removed here


SEARCHER = """
from arena.sdk import Bot
from arena.train import Hands

assert Hands.compiled
Hands(8).finish("greedy", "greedy")

class Mine(Bot):
    pass
"""


def test_a_sealed_bot_plays_with_the_compiled_kernel(compiled: Compiled, tmp_path: Path) -> None:
    folder = tmp_path / "Ünï çode dir"
    folder.mkdir()
    (folder / "mine.py").write_text(SEARCHER, encoding="utf-8")
    sealed = "{name: strict, sealed: required}"
    played = ran(compiled.scripts / "arena", "match", "mine.py", "greedy", "--hands", "4", "--sandbox", sealed, folder=folder)
    assert "4 hands" in played


@pytest.mark.nightly
def test_each_install_plays_the_source_that_it_was_given_whatever_was_built_before(tmp_path: Path) -> None:
    if why := compiler():
        pytest.skip(why)
    scripts, source = environment_or_skip(tmp_path / "venv", arena_build.CYTHON, "setuptools>=77"), copied(tmp_path / "source")
    melds, gone = source / "arena/gin/melds.py", source / "arena/gin/gone.py"
    text = melds.read_text(encoding="utf-8")
    gone.touch()

    def change(number: int) -> None:
        melds.write_text(text + MARKED.format(number), encoding="utf-8")

    def install(*options: str, compile: str = "0") -> None:  # noqa: A002 - what ARENA_COMPILE says
        command = [scripts / "pip", "install", "-q", "--no-build-isolation", "--no-deps", *options, source]
        ran(*command, folder=tmp_path, variables={arena_build.SWITCH: compile}, seconds=600)

    def played() -> list[str]:
        code = """import types; from arena.gin.melds import deadwood, mark
print(mark(), "python" if isinstance(deadwood, types.FunctionType) else "compiled")"""
        return ran(scripts / "python", "-P", "-c", code, folder=tmp_path).split()

    def found() -> list[str]:
        return [path.name for path in scripts.parent.glob("lib/python*/site-packages/arena/gin/gone.py")]

    change(1)
    install(compile="1")
    assert (played(), found()) == (["1", "compiled"], ["gone.py"])
    change(2)
    gone.unlink()
    install()
    assert (played(), found()) == (["2", "python"], [])
    change(3)
    install(compile="1")
    assert played() == ["3", "compiled"]
    install("-e")
    change(4)
    assert played() == ["4", "python"]
