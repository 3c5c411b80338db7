"""Plugins that are installed and not loaded, as commands show them."""

from arena.plugins import consent


def lines() -> list[str]:
    """Return a line for each distribution whose plugins are not loaded."""
    return [
        f"plugin of {name}: not loaded; {consent.VARIABLE}={name} loads it, if you trust it" for name in consent.refused_plugins()
    ]
