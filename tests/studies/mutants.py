"""``python tests/studies/mutants.py [COUNT [SEED]]``: small faults put into the core, one at a time, and whether tests find them.

A mutant is a module with one change: a comparison is another (its reverse where fractions are compared, because none lies exactly
on the border), a number is larger by one, a condition is the opposite, ``and`` is ``or``, or a statement is gone. Each is tested
by the default tests of its package, and by all where those pass, in a fork of this process, in which an import hook gives the
changed module; the tree itself is not touched, so commands that tests start have no mutant. What hangs is found too, by the time
limit of each test, or of all together while they are collected. It prints the mutants that live, and ends with exit code 1 if
fewer than 95 % are found.
Source: DeMillo, Lipton and Sayward (1978), Hints on test data selection.
"""

import ast
import os
import resource
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from random import Random
from types import ModuleType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("gin", "protocol", "referee", "stats", "store", "tournament/formats", "league/rules")
TESTS = {"league/rules": "league"}  # where the tests of a package are, if not in the folder of its name
COUNT, WANTED = 60, 0.95
MOST_SECONDS = 1200  # of processor time for a mutant; all default tests in one process need about a third
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip

REVERSE: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}


class Mutant(NamedTuple):
    """A change of one module."""

    path: Path
    line: int
    change: str
    tree: ast.Module

    @property
    def module(self) -> str:
        return ".".join(self.path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


class Changed(MetaPathFinder, Loader):
    """Gives one module changed to anyone who imports it."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        del path, target
        return spec_from_loader(name, self, origin=str(self._mutant.path)) if name == self._mutant.module else None

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = str(self._mutant.path)
        exec(compile(self._mutant.tree, str(self._mutant.path), "exec"), module.__dict__)  # noqa: S102 - our own source, changed


def places(tree: ast.Module) -> Iterator[int]:
    """Yield the number of each node, in the order of ``ast.walk``, that can be changed."""
    idle = {id(below) for node in ast.walk(tree) for part in untested(node) for below in ast.walk(part)}
    return (number for number, node in enumerate(ast.walk(tree)) if id(node) not in idle and change(deepcopy(node)))


def untested(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that stay: types that nothing reads, and numbers that a test could only repeat."""
    match node:
        case ast.FunctionDef():  # Python does not evaluate the type of a variable, and nothing reads that of a parameter
            yield from (
                below.annotation for below in ast.walk(node) if isinstance(below, ast.arg | ast.AnnAssign) and below.annotation
            )
            yield from [node.returns] if node.returns else ()
        case ast.Call(func=ast.Name("Meta")):  # how long a name may be, or how many bots a format takes
            yield node
        case ast.Module():  # a limit, a tolerance or a number of steps, such as LONGEST = 1 << 24
            yield from (
                value
                for line in node.body
                if isinstance(line, ast.Assign | ast.AnnAssign) and (value := line.value) and _is_number(value)
            )


def _is_number(value: ast.expr) -> bool:
    return all(isinstance(node, ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop) for node in ast.walk(value))


def _has_fraction(comparison: ast.Compare) -> bool:
    """Tell whether a number with a decimal point, a quotient or a root is compared."""
    return any(
        isinstance(node, ast.Div)
        or (isinstance(node, ast.Constant) and isinstance(node.value, float))
        or (isinstance(node, ast.Name) and node.id == "sqrt")
        for node in ast.walk(comparison)
    )


def change(node: ast.AST) -> str:
    """Change a node in place, and return a text for it; empty: it stays as it is."""
    match node:
        case ast.Compare(ops=[first, *_]) if type(first) in OPPOSITE:
            node.ops[0] = ((REVERSE if _has_fraction(node) else {}).get(type(first)) or OPPOSITE[type(first)])()
            return f"{type(first).__name__} is {type(node.ops[0]).__name__}"
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            node.value = number + 1
            return f"{number} is {number + 1}"
        case ast.If():
            node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
            return "the condition is the opposite"
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            return f"the operator is {type(node.op).__name__}"
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            node.__class__ = ast.Pass  # type: ignore[assignment]
            return "the statement is gone"
    return ""


def sample(count: int, chance: Random) -> list[Mutant]:
    """Return mutants drawn at random, each place in the core as likely as any other."""
    sources = [path for package in PACKAGES for path in sorted((ROOT / "arena" / package).glob("[!_]*.py"))]
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sources}
    chosen = chance.sample([(path, place) for path, tree in trees.items() for place in places(tree)], count)
    return [mutant(path, trees[path], place) for path, place in chosen]


def mutant(path: Path, tree: ast.Module, place: int) -> Mutant:
    """Return the mutant of a module at a place."""
    changed = deepcopy(tree)
    node = list(ast.walk(changed))[place]
    line = getattr(node, "lineno", 0)
    return Mutant(path, line, change(node), ast.fix_missing_locations(changed))


def is_found(one: Mutant) -> bool:
    """Tell whether the tests of its package find a mutant, or else all default tests."""
    package = str(one.path.parent.relative_to(ROOT / "arena"))
    return any(_fails(one, folder) for folder in (ROOT / "tests" / TESTS.get(package, package), ROOT / "tests"))


def _fails(one: Mutant, folder: Path) -> bool:
    """Tell whether the tests in a folder fail for a mutant, in a process of their own."""
    child = os.fork()
    if not child:
        os._exit(_test(one, folder))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise AssertionError(f"{folder}: no tests were run")
    return code != 0


def _test(one: Mutant, folder: Path) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, resource.RLIM_INFINITY))  # no test has begun when a module is imported
    sys.meta_path.insert(0, Changed(one))
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        return int(pytest.main(["-n0", "-x", "-q", "-p", "no:cacheprovider", str(folder)]))


def main(count: int = COUNT, seed: str = "") -> int:
    """Test mutants, print those that live, and return the exit code."""
    os.chdir(ROOT)
    alive = 0
    for one in sample(count, Random(seed)):
        if not is_found(one):
            alive += 1
            sys.stdout.write(f"{one.path.relative_to(ROOT)}:{one.line}: {one.change}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{count - alive} of {count} mutants were found\n")
    return int(alive > (1 - WANTED) * count)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else COUNT, *sys.argv[2:3]))
