"""Many hands at once, for training and search: see README.md. Each name is imported when it is first used."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from arena.train.compiled import folder_of

if TYPE_CHECKING:
    from arena.train.decks import arena_decks
    from arena.train.engine import action_of, look_at
    from arena.train.hands import Hands
    from arena.train.observations import planes, scalars
    from arena.train.sets import beside, completing, deadwoods

__all__ = ["Hands", "action_of", "arena_decks", "beside", "completing", "deadwoods", "look_at", "planes", "scalars"]

_MODULES = {
    "Hands": "hands",
    "arena_decks": "decks",
    **dict.fromkeys(("action_of", "look_at"), "engine"),
    **dict.fromkeys(("beside", "completing", "deadwoods"), "sets"),
    **dict.fromkeys(("planes", "scalars"), "observations"),
}

__path__.insert(0, str(folder_of(Path(__file__).parent)))


def __getattr__(name: str) -> object:
    """Return an exported name from its module. Raises: AttributeError."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
