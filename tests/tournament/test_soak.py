"""A long run holds no more at its end than after its beginning. ``ARENA_SOAK_FIXTURES`` makes it longer."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "soaking.py"
FIXTURES = int(os.environ.get("ARENA_SOAK_FIXTURES", "40"))
MOMENT = 4  # of what processes hold: a worker that has answered may still be letting go of its last fixture
SLACK = 8 * 1024  # kilobytes: pages that a forked process comes to write to, and SQLite's cache

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="what processes hold is read from Linux's /proc"),
    pytest.mark.timeout(60 + FIXTURES // 2),
]


def soaked(folder: Path, sandbox: str) -> list[dict[str, Any]]:
    command = [sys.executable, str(SCRIPT), str(FIXTURES), str(folder), sandbox]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("sandbox", ["none", "standard"])
def test_descriptors_threads_processes_and_memory_do_not_grow_with_the_fixtures(tmp_path: Path, sandbox: str) -> None:
    _, first, *later = soaked(tmp_path, sandbox)
    assert later[-1]["fixtures"] == FIXTURES
    for held in ("descriptors", "threads", "processes"):
        assert max(sample[held] for sample in later) <= first[held] + MOMENT, held
    warm, last = later[len(later) // 2], later[-1]
    for held in ("director_kb", "workers_kb"):
        assert last[held] <= warm[held] + SLACK, held
