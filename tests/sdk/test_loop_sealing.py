"""What the SDK does when a bot is ready."""

import linecache
import sys
from pathlib import Path
from types import ModuleType

import pytest

from arena.sdk.late_imports import seal


def test_a_module_below_the_bots_folder_that_the_bot_cannot_read_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_an_environment = ModuleType("of_an_environment")  # as venv/lib/.../_distutils_hack, which starts before the sandbox
    of_an_environment.__file__ = str(tmp_path / "venv" / "of_an_environment.py")
    monkeypatch.setitem(sys.modules, "of_an_environment", of_an_environment)
    for name in ("updatecache", "checkcache"):
        monkeypatch.setattr(linecache, name, getattr(linecache, name))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.chdir(tmp_path)
    seal()
    assert of_an_environment.__file__ not in linecache.cache
