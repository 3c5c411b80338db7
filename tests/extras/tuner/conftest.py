"""A bot to tune."""

from pathlib import Path

import pytest

PLANTED = """
from arena.sdk import Bot, Parameter, View, deadwood, each


class Tuned(Bot):
    care = Parameter(0.0, low=0.0, high=1.0, step=0.05)

    def throws(self, view: View) -> int:
        worth = {card: self.care * deadwood(view.without(card)) + (1 - self.care) * (card % 13) for card in each(view.may_discard)}
        return min(worth, key=worth.__getitem__)
"""


@pytest.fixture
def bot(tmp_path: Path) -> str:
    """Write a bot whose planted mistake is to throw its lowest cards."""
    (tmp_path / "tuned.py").write_text(PLANTED, encoding="utf-8")
    return str(tmp_path / "tuned.py")
