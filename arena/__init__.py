"""Gin rummy tournaments between bots: ``arena.play``, ``arena.duel`` and the other functions of :mod:`arena.api`.

They are imported when they are first used, so that a bot's process and ``arena --help`` do not load the harness.
"""

__all__ = ["ArenaError", "Comparison", "League", "Run", "bots", "diff", "duel", "load", "play", "plot", "regress"]


def __getattr__(name: str) -> object:
    """Return a public name. Raises: AttributeError."""
    if name not in __all__:
        from arena.suggestions import did_you_mean  # noqa: PLC0415 - only after a mistake

        raise AttributeError(f"module 'arena' has no attribute {name!r}; {did_you_mean(name, __all__)}it has {', '.join(__all__)}")
    from importlib import import_module  # noqa: PLC0415 - not for the entry point, which is to handle signals at once

    return import_module("arena.plot") if name == "plot" else getattr(import_module("arena.api"), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
