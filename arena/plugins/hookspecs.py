"""Every hook, with its contract. A plugin is a module, or an object, with some of these functions, marked ``@hookimpl``."""

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.gin.rules import Rules
    from arena.players.sandboxes.base import Sandbox
    from arena.records import MatchRecord
    from arena.reports.base import Renderer
    from arena.stats.ratings.base import Rating
    from arena.tournament.executors.base import Executor
    from arena.tournament.formats.base import Format

hookspec = pluggy.HookspecMarker("arena")
hookimpl = pluggy.HookimplMarker("arena")


@hookspec
def arena_rulesets() -> "list[type[Rules]]":  # type: ignore[empty-body]
    """Return rulesets: classes with other defaults, and no methods."""


@hookspec
def arena_formats() -> "list[type[Format]]":  # type: ignore[empty-body]
    """Return formats: which fixtures are played, given what was played."""


@hookspec
def arena_sandboxes() -> "list[type[Sandbox]]":  # type: ignore[empty-body]
    """Return sandboxes: each turns the launch of a bot into one behind its walls."""


@hookspec
def arena_executors() -> "list[type[Executor]]":  # type: ignore[empty-body]
    """Return executors: each opens a pool of the standard library's kind."""


@hookspec
def arena_ratings() -> "list[type[Rating]]":  # type: ignore[empty-body]
    """Return ratings: each turns records into an estimate for every entrant."""


@hookspec
def arena_reports() -> "list[type[Renderer]]":  # type: ignore[empty-body]
    """Return renderers: each turns a report into text."""


@hookspec
def arena_commands() -> "dict[str, Callable[..., None]]":  # type: ignore[empty-body]
    """Return functions that become commands of ``arena``, by their names; their parameters are told as Typer tells them."""


@hookspec
def arena_recorded(record: "MatchRecord") -> None:
    """Be told of a record as soon as it is filed; what is raised here stops the run."""
