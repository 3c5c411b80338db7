"""Every clause of the rules has an example, and every example and docstring cites an existing clause."""

import re
from pathlib import Path

import pytest
from msgspec.structs import fields

import arena.gin
from arena.gin.rules import Rules

GIN = Path(arena.gin.__file__).parent
TESTS = Path(__file__).parent
CLAUSES = re.findall(r"^- (R\d+\.\d+) ", (GIN / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
EXAMPLES = "".join(path.read_text(encoding="utf-8") for path in sorted(TESTS.rglob("test_*.py")) if path != Path(__file__))


def test_no_clause_is_missing_or_new() -> None:
    counts = {1: 6, 2: 6, 3: 5, 4: 4, 5: 3, 6: 7, 7: 3, 8: 1, 9: 6}
    assert [f"R{chapter}.{number}" for chapter, count in counts.items() for number in range(1, count + 1)] == CLAUSES


@pytest.mark.parametrize("clause", CLAUSES)
def test_every_clause_has_an_example(clause: str) -> None:
    assert f'@pytest.mark.rule("{clause}")' in EXAMPLES


@pytest.mark.parametrize("option", [field.name for field in fields(Rules)])
def test_every_option_has_an_example(option: str) -> None:
    assert re.search(rf"\b{option}=", EXAMPLES), f"no example sets {option}"


def test_every_example_cites_a_clause_that_exists() -> None:
    assert set(re.findall(r'mark\.rule\("([^"]*)"\)', EXAMPLES)) <= set(CLAUSES)


@pytest.mark.parametrize("path", sorted(GIN.rglob("*.py")), ids=lambda path: str(path.relative_to(GIN)))
def test_the_code_cites_clauses_that_exist(path: Path) -> None:
    assert set(re.findall(r"\bR\d+\.\d+\b", path.read_text(encoding="utf-8"))) <= set(CLAUSES)
