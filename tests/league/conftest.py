"""A league for tests of courses."""

from pathlib import Path

import pytest

from arena.league.leagues import new

SPEC = "title: Friday\nrules: {target: 10, best_of: 1}\nsandbox: {name: none}\naudition: {hands: 8}\nlikeness: null\n"


@pytest.fixture
def league(tmp_path: Path) -> Path:
    (tmp_path / "friday.yaml").write_text(SPEC)
    new(tmp_path / "friday", tmp_path / "friday.yaml")
    return tmp_path / "friday"
