"""A long run does not leak resources. ``ARENA_SOAK_FIXTURES`` makes it longer."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
FIXTURES = int(os.environ.get("ARENA_SOAK_FIXTURES", "40"))
RELEASING = 4  # descriptors, threads or processes that a worker may still be releasing after its last fixture
SLACK = 8 * 1024  # KB: pages copied on write after a fork, and SQLite's cache

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="resources are read from Linux's /proc"),
    pytest.mark.timeout(300 + FIXTURES // 2),
]


def soak(folder: Path, sandbox: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "support.processes.soaking", str(FIXTURES), str(folder), sandbox]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.nightly
@pytest.mark.parametrize("sandbox", ["none", "standard"])
def test_descriptors_threads_processes_and_memory_do_not_grow_with_the_fixtures(tmp_path: Path, sandbox: str) -> None:
    _, first, *later = soak(tmp_path, sandbox)
    assert later[-1]["fixtures"] == FIXTURES
    for resource in ("descriptors", "threads", "processes"):
        assert max(sample[resource] for sample in later) <= first[resource] + RELEASING, resource
    warm, last = later[len(later) // 2], later[-1]
    for resource in ("director_kb", "workers_kb"):
        assert last[resource] <= warm[resource] + SLACK, resource
