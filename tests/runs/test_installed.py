"""Whether what plays is what was installed, and what else is installed."""

from pathlib import Path

import pytest
from support.repository.distributions import install, install_wheel

import arena.gin
from arena.runs import installed as installation


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


def test_a_core_that_was_compiled_from_another_source_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, library = "arena/gin/melds.py", "arena/gin/melds.cpython-311-x86_64-linux-gnu.so"
    install_wheel(tmp_path, "ginrummy-arena", {source: "print(1)\n", library: "machine code"}, "")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(installation, "CORE", "compiled")
    monkeypatch.setattr(arena.gin, "__path__", [str(tmp_path / "arena" / "gin")])
    assert installation.core_matches_source()
    (tmp_path / source).write_text("print(2)\n")
    assert not installation.core_matches_source()
