"""What else is installed that would be imported as arena."""

from pathlib import Path

import pytest
from distributions import install

from arena.runs import installation


def test_nothing_else_is_installed_here() -> None:
    assert installation.rivals() == []
    assert installation.core_matches_source()


@pytest.mark.parametrize(
    ("name", "module"), [("arena", "contest.py"), ("Arena", "contest.py"), ("arena-py", "arena/scene.py"), ("x", "arena_bots.py")]
)
def test_another_project_of_the_same_name_is_noticed(
    name: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, name, {module: ""}, "")
    (tmp_path / f"{name}-1.2.dist-info" / "RECORD").write_text(f"{module},,\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert installation.rivals() == [f"{name} 1.2"]
