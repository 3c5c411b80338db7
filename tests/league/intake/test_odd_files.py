"""Whatever a stranger sends is a bot or a refusal in one line, and never an error of arena."""

from pathlib import Path

import pytest
from support.hostile.odd_files import take_many
from support.sizes import size


@pytest.mark.parametrize(
    "count", [12, pytest.param(size(1_000, 10_000), marks=[pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(3600)])]
)
def test_whatever_is_sent_is_a_bot_or_refused_in_one_line(count: int, tmp_path: Path) -> None:
    found = take_many(count, tmp_path, "odd")
    assert found[""]
    assert len(found) > count // 3 or len(found) > 30
