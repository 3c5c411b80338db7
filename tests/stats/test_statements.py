"""Every sentence about a probability or an interval comes from one module, from which the manual's table is built."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import arena
from arena.cli import built_pages
from arena.stats import statements
from arena.stats.statements import Statement

HOME = Path(arena.__file__).parent
TESTS = Path(__file__).parents[1]
KNOWN = {name: value for name, value in vars(statements).items() if isinstance(value, Statement)}
CLAIMS = re.compile(
    r"\d ?%|per cent|\bchances?\b|\bintervals?\b|\blikel|\bprobab|\bconfiden|time in |times in \d|\bstandard errors\b|\bSettled\b"
)
NO_CLAIMS = re.compile(  # what has such a word, and states neither
    r"the bots' chance|last chance to knock|the bot probably|differences may be chance|raises the chance to win|of a game"
    r"|maximum likelihood|^(chance|likely|likelihood|confidence|interval)$|^\d+(–| % to )\d+ %$|more than 99 %|less than 1 %"
    r"|Rank chances|[Tt]able of rank chances|#ranks|time in microseconds|time in its|time in \(most"
)


def of_python(path: Path) -> Iterator[str]:
    """Yield all strings; docstrings only of functions of the command line, because they are help texts."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    documented = (ast.Module, ast.ClassDef) if "cli" in path.parts else (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {id(first) for node in nodes if isinstance(node, documented) and (first := _docstring(node))}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def _docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> ast.expr | None:
    first = node.body[0] if node.body else None
    return first.value if isinstance(first, ast.Expr) else None


def of_template(path: Path) -> Iterator[str]:
    """Yield the text outside of tags and expressions, and the strings in these."""
    text = path.read_text(encoding="utf-8")
    inside = re.findall(r"\{[{%](.*?)[%}]\}", text)
    yield from (string for one in inside for string in re.findall(r'"([^"]*)"', one))
    yield from re.findall(r'(?:title|aria-label|data-label)="([^"{]*)', text)
    yield from re.split(r"<[^>]*>", re.sub(r"\{[{%#].*?[%}#]\}", "|", text, flags=re.DOTALL))


def of_script(path: Path) -> Iterator[str]:
    """Yield all strings."""
    code = re.sub(r"^\s*(//|/?\*).*$|\s// .*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    yield from re.findall(r'"([^"\n]*)"', code)
    yield from (re.sub(r"\$\{.*?\}", "|", one) for one in re.findall(r"`([^`]*)`", code))


PYTHON = [path for path in HOME.rglob("*.py") if path != Path(str(statements.__file__))]
PAGE = HOME / "reports/page"
TEXTS = [
    *((path, of_python) for path in PYTHON),
    *((path, of_template) for path in sorted([*(PAGE / "templates").glob("*.html"), *(PAGE / "templates").glob("*.svg")])),
    *((path, of_script) for path in sorted(PAGE.glob("*.js"))),
]


def without_known(text: str) -> str:
    """Return a text without the known statements, the longest first."""
    for pattern in PATTERNS:
        text = pattern.sub("", text)
    return text


def pattern(one: Statement) -> re.Pattern[str]:
    parts = re.split(r"\{\w+\}", one.text)
    return re.compile(".*?".join(map(re.escape, parts)))


PATTERNS = [
    pattern(one) for one in sorted(KNOWN.values(), key=lambda one: -len(one.text)) if re.split(r"\{\w+\}", one.text) != ["", ""]
]


def unknown() -> Iterator[str]:
    for path, strings in TEXTS:
        for text in strings(path):
            plain = " ".join(text.replace("&nbsp;", " ").split())
            if claims(plain) and claims(plain := without_known(plain)):
                yield f"{path.relative_to(HOME)}: {plain}"


def claims(text: str) -> bool:
    return CLAIMS.search(NO_CLAIMS.sub("", text)) is not None


def test_no_other_sentence_states_a_probability_or_an_interval() -> None:
    assert list(unknown()) == [], "write it in arena/stats/statements.py, with what is computed and what shows its truth"


def test_the_page_of_the_manual_has_every_statement() -> None:
    rows = [f"| {one.text} | {one.computed} | `{one.command}` |" for one in KNOWN.values()]
    assert "\n".join(rows) in built_pages.markdown("stats"), "in the order of the module"


@cache
def sources() -> list[str]:
    return [path.read_text(encoding="utf-8") for path, _ in TEXTS]


@pytest.mark.parametrize("name", KNOWN)
def test_a_statement_is_used_and_its_command_exists(name: str) -> None:
    used = re.compile(rf"\b{name}\b")
    assert any(KNOWN[name].text in text or (name in text and used.search(text)) for text in sources())  # a script has it in full
    path, *tables = KNOWN[name].command.split()
    source = (TESTS / path).read_text(encoding="utf-8")
    assert [table for table in tables if f'"{table}"' not in source] == []
