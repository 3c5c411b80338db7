"""The hooks and their contracts. A plugin is a module or an object with some of these functions, marked ``@hookimpl``."""

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from arena.confinement.profiles import Sandbox
    from arena.gin.rules import Rules
    from arena.league.rules.events import AnyEvent
    from arena.league.rules.league_table import LeagueTable
    from arena.plugins.command import Command
    from arena.records import MatchRecord
    from arena.reports.base import Renderer
    from arena.stats.estimate import Rating
    from arena.stats.score_ranking import TieBreak
    from arena.tournament.executors import Executor
    from arena.tournament.formats.base import Format

hookspec = pluggy.HookspecMarker("arena")
hookimpl = pluggy.HookimplMarker("arena")


@hookspec
def arena_rulesets() -> "list[type[Rules]]":  # type: ignore[empty-body]
    """Return rulesets: classes with other defaults.

    They may override four pure functions and nothing else of ``Rules``: ``terms``, ``score``, ``ended_by`` and ``totals``.
    """


@hookspec
def arena_formats() -> "list[type[Format]]":  # type: ignore[empty-body]
    """Return formats: each decides which fixtures are played, given the results so far."""


@hookspec
def arena_sandboxes() -> "list[type[Sandbox]]":  # type: ignore[empty-body]
    """Return sandboxes: each turns the launch of a bot into a confined one."""


@hookspec
def arena_executors() -> "list[type[Executor]]":  # type: ignore[empty-body]
    """Return executors: each opens a ``concurrent.futures.Executor``."""


@hookspec
def arena_ratings() -> "list[type[Rating]]":  # type: ignore[empty-body]
    """Return ratings: each computes an estimate for every entrant from the records."""


@hookspec
def arena_tie_breaks() -> "list[TieBreak]":  # type: ignore[empty-body]
    """Return tie-breaks: each separates entrants of equal score, in a format that ranks by score."""


@hookspec
def arena_reports() -> "list[type[Renderer]]":  # type: ignore[empty-body]
    """Return renderers: each turns a report into text."""


@hookspec
def arena_commands() -> "Mapping[str, Command | Callable[..., None]]":  # type: ignore[empty-body]
    """Return commands of ``arena`` by name: functions whose parameters are annotated for Typer, or descriptions of such."""


@hookspec
def arena_documents() -> "Mapping[str, str]":  # type: ignore[empty-body]
    """Return documents that ``arena schema`` describes, by name: "module:Struct", imported on request."""


@hookspec
def arena_pages() -> "Mapping[str, Path]":  # type: ignore[empty-body]
    """Return pages of the manual, which ``arena docs`` shows, by name: the whole paths of Markdown files."""


@hookspec
def arena_stored_kinds() -> "Mapping[str, str]":  # type: ignore[empty-body]
    """Return kinds of stored runs by the fact ``kind``: "module:Class" of a ``StoredRun``, imported when such a run is read."""


@hookspec
def arena_recorded(record: "MatchRecord") -> None:
    """React to a record as soon as it is stored. An exception stops the run."""


@hookspec
def arena_event(league: str, number: int, event: "AnyEvent") -> None:
    """React to an event of a league. An exception stops the run.

    ``league``: the league's title; ``number``: of the event, from 1. The process that plays the league calls it for each event at
    least once, in order, but not for those stored before the league was first played with this hook or ``arena_round``. Where the
    ``reason`` of an event is a ``Reason``, only ``reason.public`` may be published.
    """


@hookspec
def arena_round(league: str, number: int, before: "LeagueTable", after: "LeagueTable") -> None:
    """React to a closed round of the league of that title. An exception stops the run.

    ``before`` and ``after``: the tables without and with its results, both of the versions that are in the field now.
    """
