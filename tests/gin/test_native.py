"""What mypyc compiles wrongly without a word is not in the modules that it compiles."""

import ast
from collections.abc import Iterator
from pathlib import Path

import arena_build
import pytest
from repository import ROOT

CORE = [ROOT / name for name in arena_build.CORE]

WRONG = """
def rank_of(card: i64) -> int:
    return 1 << card

def low(held: int) -> int:
    first: i64 = held & 1
    return ACE << first

def fourth(held: i64) -> i64:
    return held

def indirectly(held: int, start: int) -> int:
    return 1 << fourth(held)
"""


def shifts_by_native_integers(text: str) -> list[str]:
    """Return the functions that use ``i64`` and shift left by anything but a number.

    mypyc emits a literal, and a name that stands for one, as a C ``int``; shifted by an ``i64`` it has 32 bits.
    """
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    native = {function.name for function in functions if function.returns and ast.unparse(function.returns) == "i64"}
    return [function.name for function in functions if _uses(function, {"i64", *native}) and any(_shifts(function))]


def _uses(function: ast.FunctionDef, names: set[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(function))


def _shifts(function: ast.FunctionDef) -> Iterator[bool]:
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.LShift):
            by = node.right if isinstance(node, ast.BinOp) else node.value
            yield not isinstance(by, ast.Constant)


def test_a_shift_by_a_native_integer_is_found() -> None:
    assert shifts_by_native_integers(WRONG) == ["rank_of", "low", "indirectly"]


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_nothing_is_shifted_by_a_native_integer(path: Path) -> None:
    assert shifts_by_native_integers(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_a_compiled_module_defines_no_class(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)] == []
