import pytest

from arena.train.hands import Hands


@pytest.fixture(autouse=True)
def _interpreted_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not warn that the kernel is interpreted here."""
    monkeypatch.setattr(Hands, "compiled", True)
