"""What is installed, and what stands at the top."""

import ast
import re
import sys
import tomllib
from ctypes import POINTER, Structure, c_double, c_int8, c_uint64
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

import arena_build
import pytest
from support.repository.files import ROOT, tracked

from arena import distribution, yaml

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TOP = {"README.md", "arena", "bots", "pyproject.toml", "results", "tests", "tournaments"}  # beside dot files
IMPORT = re.compile(r"\bfrom (arena\.[a-z_.]+) import ((?:\w+(?: as \w+)?)(?:, \w+(?: as \w+)?)*)")
MODULES = sorted(path for folder in ("arena", "bots") for path in (ROOT / folder).rglob("*.py"))


def test_every_package_is_installed_or_stays_in_the_repository_on_purpose() -> None:
    folders = {path.parent for path in tracked() if path.suffix == ".py" and "templates" not in path.parts}  # those are copied
    names = {".".join(folder.parts) for folder in folders if folder.parts and folder.parts[0] in ("arena", "bots")}
    here = {f"arena_{name}" if name.startswith("bots") else name for name in names}
    installed = set(PROJECT["tool"]["setuptools"]["packages"])
    assert here - installed == {*distribution.REPOSITORY_ONLY}


def test_every_package_that_is_installed_is_there() -> None:
    for package in PROJECT["tool"]["setuptools"]["packages"]:
        first, *rest = package.split(".")
        folder = (ROOT / PROJECT["tool"]["setuptools"]["package-dir"][first]).joinpath(*rest)
        assert (folder / "__init__.py").is_file() or (folder / "bot.yaml").is_file(), package


def test_the_top_level_holds_no_other_file_or_folder() -> None:
    there = {path.parts[0] for path in tracked()}
    assert {name for name in there if not name.startswith(".")} == TOP


def test_every_module_says_what_it_is() -> None:
    assert [path for path in MODULES if not source_of(path).startswith(('"""', 'r"""'))] == []


@cache
def source_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def has(path: Path, name: str) -> bool:
    """Tell whether a module has a name; most are defined at the start of a line, and to read the others takes longer."""
    return name in begun(path) or name in names_of(path)


@cache
def begun(path: Path) -> set[str]:
    """Return the names that are defined at the start of a line."""
    return set(re.findall(r"^(?:def |async def |class )?(\w+)\b *[:=(]", source_of(path), re.MULTILINE))


@cache
def names_of(path: Path) -> set[str]:
    """Return the names that a module has, also those that it imports, and the modules beside it if it is a package."""
    nodes = list(ast.walk(ast.parse(source_of(path))))
    found = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    found |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    found |= {one.asname or one.name for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for one in node.names}
    return found | ({one.stem for one in path.parent.iterdir()} if path.name == "__init__.py" else set())


def test_every_import_of_arena_in_a_text_finds_its_name() -> None:
    """In the programs of tests, pages and workflows too, which no type checker reads."""
    missing = []
    for path in tracked():
        text = (ROOT / path).read_text(encoding="utf-8") if path.suffix in {".py", ".md", ".yml", ".ipynb"} else ""
        written = set(re.findall(r"\bdef (\w+)", text))  # a test may write the module
        for module, names in IMPORT.findall(text):
            place = ROOT.joinpath(*module.split("."))
            source = next((one for one in (place.with_suffix(".py"), place / "__init__.py") if one.is_file()), None)
            for name in set(re.findall(r"(\w+)(?: as \w+)?", names)) - written:
                missing += [] if source and has(source, name) else [f"{path}: {module}.{name}"]
    assert missing == []


def test_every_bot_that_is_entered_is_installed() -> None:
    declared = PROJECT["project"]["entry-points"]["arena.bots"]
    installed = {point.name: point.value for point in entry_points(group="arena.bots")}
    assert declared.items() <= installed.items(), "the project has changed since it was installed: pip install -e ."
    for value in declared.values():
        module, colon, _ = value.partition(":")
        place = ROOT / "bots" / module.removeprefix("arena_bots.").replace(".", "/")
        assert (place.with_suffix(".py") if colon else place / "bot.yaml").is_file(), value


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", "an editable install runs the source; install without -e, or without ARENA_COMPILE"), ("yes", "expected 1")],
)
def test_a_compiled_editable_install_is_refused_in_one_line(value: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(arena_build.SWITCH, value)
    with pytest.raises(SystemExit, match=expected) as refused:
        arena_build.get_requires_for_build_editable()
    assert "\n" not in str(refused.value)


def test_a_missing_compiler_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -pthread")
    with pytest.raises(SystemExit, match="ARENA_COMPILE=1: C compiler 'no-such-compiler' not found on PATH; install it"):
        arena_build.check_compiler()


@pytest.mark.parametrize(
    ("value", "compiler", "needed"), [("", "true", [arena_build.CYTHON]), ("", "no-such-compiler", []), ("0", "true", [])]
)
def test_the_kernel_is_compiled_where_there_is_a_compiler_unless_it_shall_not_be(
    value: str, compiler: str, needed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", compiler)
    monkeypatch.setenv(arena_build.SWITCH, value)
    assert not arena_build.asked()
    assert arena_build.compiling() == needed


def test_an_install_goes_on_without_the_kernel_if_cython_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", "true")
    monkeypatch.setenv(arena_build.SWITCH, "")
    monkeypatch.setitem(sys.modules, "Cython.Build", None)
    assert arena_build.kernel_if_possible() == []
    assert "arena.train will run interpreted" in capsys.readouterr().err


def test_the_compiler_gets_the_numbers_and_structures_of_the_kernel_from_its_source() -> None:
    class Card(Structure):
        _fields_ = (("held", c_uint64), ("worth", c_double * 3 * 2))

    class Table(Structure):
        _fields_ = (("cards", POINTER(Card)), ("rows", POINTER(c_int8 * 8)), ("both", Card * 2))

    assert arena_build.structures({"NEVER": -1e9, "PASS": 104, "one": 1, "Card": Card, "Table": Table}).splitlines() == [
        "cdef enum:",
        "    NEVER = -1000000000",
        "    PASS = 104",
        "cdef struct Card:",
        "    u64 held",
        "    double[2][3] worth",
        "ctypedef Card[1] OneCard",
        "cdef struct Table:",
        "    OneCard* cards",
        "    i8[8]* rows",
        "    OneCard[2] both",
        "ctypedef Table[1] OneTable",
    ]


def test_the_compiler_gets_the_types_of_functions_from_their_annotations() -> None:
    source = (
        "import arena.train.native as native  # for C too\nfrom arena.gin.cards import Cards\n\n"
        "def throw(t: native.HandState, held: Cards, most: int) -> bool:\n    return True\n\n"
        "def play(address: int) -> None:\n    pass\n"
    )
    assert arena_build.functions(source).splitlines() == [
        "cimport arena.train.native as native",
        "cdef bint throw(native.HandState* t, native.u64 held, native.i64 most) noexcept nogil",
        "cpdef void play(native.i64 address) noexcept",
    ]


WORD = r"""(?: +[^\s`'"#&|]+| +"[^\s"]+"|\s'[^']+')"""  # of a command; only a quoted one may stand on the next line
INSTALLER = re.compile(rf"\b(?:pip3?|pipx|uv) (?:add|download|install|wheel|tool install)\b({WORD}*)")
REQUIRED = re.compile(r"(?:dependencies = \[|Requires-Dist: )[^\n]*?[\"' ](arena)[\"'\[ =<>~!;]")


def wrong_names(text: str) -> list[str]:
    """Return what in a text would have somebody install another project, whose name on the package index is ``arena``."""
    called = [word for words in INSTALLER.findall(text) for word in re.split(r"[\s,'\"()]+", words)]
    bare = [word for word in called if re.fullmatch(r"arena(?:\[[\w,]*\])?(?:[=<>~!]=?.*)?", word)]
    extras = re.findall(r"(?<![\w-])arena\[(?:[a-z]+,?)+\]", text)
    return [*bare, *extras, *REQUIRED.findall(text)]


def test_no_page_and_no_message_has_anyone_install_another_project() -> None:
    texts = {path: (ROOT / path).read_bytes().decode("utf-8", "ignore") for path in tracked() if path.parts[0] != "tests"}
    assert {str(path): wrong for path, text in texts.items() if (wrong := wrong_names(text))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "pip install 'arena[web]'",
        "pip install -q arena",
        "pip download --dest wheels\n'arena[dask]'",
        "uv tool install arena==0.1",
        'dependencies = ["numpy", "arena>=0.1"]',
        "add the extra arena[dask,web]",
    ],
)
def test_the_name_of_another_project_is_noticed_wherever_it_stands(text: str) -> None:
    assert wrong_names(text) != []
    assert wrong_names(re.sub(r"\barena\b", distribution.NAME, text)) == []


def test_the_distribution_has_the_name_that_messages_give() -> None:
    assert PROJECT["project"]["name"] == distribution.NAME
    assert PROJECT["tool"]["setuptools"]["package-dir"].keys() == set(distribution.PACKAGES)
    assert set(PROJECT["project"]["scripts"]) == {"arena"}


def test_the_citation_of_the_program_has_its_version_and_what_the_format_needs() -> None:
    cited, project = yaml.read(yaml.read_text(ROOT / ".github" / "CITATION.cff")).values, PROJECT["project"]
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert (cited["title"], cited["version"], cited["abstract"]) == (project["name"], project["version"], project["description"])
