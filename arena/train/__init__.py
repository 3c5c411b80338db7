"""Many hands at once, for training and search: see README.md. Nothing is imported before it is used."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.train.decks import arena_decks
    from arena.train.hands import Hands
    from arena.train.observations import planes, scalars

__all__ = ["Hands", "arena_decks", "planes", "scalars"]

_MODULES = {"Hands": "hands", "arena_decks": "decks", "planes": "observations", "scalars": "observations"}


def __getattr__(name: str) -> object:
    """Return an exported name from its module. Raises: AttributeError."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
