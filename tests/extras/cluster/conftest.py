"""A cache of bots, and bots to send."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.extras.cluster.bot_cache import BotCache
from arena.roster.entrant import Launch
from arena.roster.finder import find


@pytest.fixture
def cache(tmp_path: Path) -> BotCache:
    return BotCache(tmp_path / "cache")


@pytest.fixture
def program(tmp_path: Path) -> Launch:
    folder = tmp_path / "bot"
    (folder / "data").mkdir(parents=True)
    (folder / "run").write_text("#!/bin/sh\n", encoding="ascii")
    (folder / "run").chmod(0o755)
    (folder / "data" / "weights.bin").write_bytes(bytes(range(256)))
    (folder / "link").symlink_to("data/weights.bin")
    (folder / "bot.yaml").write_text("name: bot\ncommand: [./run, data/weights.bin]\n", encoding="ascii")
    return find(str(folder / "bot.yaml")).launch


@pytest.fixture
def with_libraries(program: Launch, tmp_path: Path) -> Launch:
    """A bot with a folder of libraries, as a league gives it."""
    libraries = tmp_path / "environments" / "library"
    (libraries / "counting").mkdir(parents=True)
    (libraries / "counting" / "__init__.py").write_text("TWO = 2\n", encoding="ascii")
    (libraries / "counting" / "fast.cpython-311-x86_64-linux-gnu.so").write_bytes(b"\x7fELF")
    environment = (("PYTHONPATH", f"{program.folder}:{libraries}"),)
    return replace(program, environment=environment, reads=(str(libraries),))
