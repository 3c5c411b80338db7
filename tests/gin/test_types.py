"""What Cython compiles wrongly without a word is not in the modules of the core."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import arena_build
import pytest
from support.repository.files import ROOT

every_module = pytest.mark.parametrize("path", [ROOT / name for name in arena_build.CORE], ids=lambda path: path.stem)


def short_shifts(text: str, types: str) -> Iterator[str]:
    """Yield the functions with a type in ``types`` that shift a number by a name: in C, the number is an ``int`` of 32 bits."""
    typed = set(re.findall(r"^cp?def .*?(\w+)\(", types, re.MULTILINE))
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef) and function.name in typed and any(map(_is_short, ast.walk(function))):
            yield function.name


def _is_short(node: ast.AST) -> bool:
    shift = isinstance(node, ast.BinOp) and isinstance(node.op, ast.LShift)
    return shift and isinstance(node.left, ast.Constant) and not isinstance(node.right, ast.Constant)  # type: ignore[attr-defined]


def test_a_shift_with_32_bits_is_found() -> None:
    source = (
        "def bit(card):\n    return 1 << card\n\ndef other(card):\n    return 1 << card\n\ndef ace(low):\n    return ACE << low\n"
    )
    assert [*short_shifts(source, "cpdef u64 bit(int card) noexcept\ncdef u64 ace(u64 low)\n")] == ["bit"]


@every_module
def test_no_shift_has_32_bits(path: Path) -> None:
    types = path.with_suffix(".pxd")
    assert [*short_shifts(path.read_text(encoding="utf-8"), types.read_text(encoding="utf-8") if types.exists() else "")] == []


@every_module
def test_a_compiled_module_defines_no_class(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)] == []
