"""What tests of the commands share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.processes.marked import left


@pytest.fixture
def nothing_left_behind(tmp_path: Path) -> Iterator[None]:
    """Hold that no process of a bot that stands in the test's folder outlives the test."""
    yield
    assert left(str(tmp_path)) == []
