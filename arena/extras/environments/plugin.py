"""The page of the environments, which Python imports as ``arena.extras.environments.gym`` and ``zoo``."""

from pathlib import Path

from arena.plugins.hookspecs import hookimpl


@hookimpl
def arena_pages() -> dict[str, Path]:
    """Return the page."""
    return {"environments": Path(__file__).with_name("ENVIRONMENTS.md")}
