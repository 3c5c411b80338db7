"""A plugin with one part of each kind, typed as its author would: ``mypy --strict`` must find nothing in it."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor as Pool
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import ClassVar

import typer

from arena.confinement.profiles import Sandbox
from arena.gin.rules import Games, Rules, Target
from arena.league.rules.events import AnyEvent
from arena.league.rules.league_table import LeagueTable
from arena.plugins.hookspecs import hookimpl
from arena.records import Assurance, Fixture, MatchRecord, Result
from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.roster.entrant import Launch
from arena.runs.stored import StoredRun
from arena.stats.estimate import Estimate, Rating
from arena.stats.score_ranking import TieBreak
from arena.tournament.executors import Executor, tell_nobody
from arena.tournament.formats.base import Format


class Sprint(Rules, frozen=True, kw_only=True, tag="sprint"):
    """One short game."""

    target: Target = 20
    best_of: Games = 1


class OnceRun(StoredRun, frozen=True, kw_only=True):
    """A run of another kind, which differs in nothing."""


class Once(Format, frozen=True, kw_only=True, tag="once"):
    """One match between the first two."""

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the match, until it is played."""
        return [] if played else [Fixture("only", (field[0], field[1]), "only")]


class Bare(Sandbox, frozen=True, kw_only=True, tag="bare"):
    """No confinement."""

    def wrap(self, launch: Launch) -> Launch:
        """Return the launch as it is."""
        return launch

    def assurance(self) -> Assurance:
        """Return that nothing is confined."""
        return Assurance(isolated=False, profile="none")


class Processes(Executor, frozen=True, kw_only=True, tag="processes"):
    """A pool of processes of the standard library."""

    def open(self, workers: int, prepare: Callable[[], None], warn: Callable[[str], None] = tell_nobody) -> Pool:
        """Return the pool."""
        return ProcessPoolExecutor(workers, initializer=prepare)


class Wins(Rating, frozen=True, kw_only=True, tag="wins"):
    """Matches won."""

    def rate(self, records: Iterable[MatchRecord]) -> dict[str, Estimate]:
        """Return the matches that each entrant has won."""
        won: dict[str, float] = {}
        for record in records:
            for seat, name in enumerate(record.fixture.seats):
                won[name] = won.get(name, 0.0) + (record.winner == seat)
        return {name: Estimate(count, count, count) for name, count in won.items()}


class Winner(Renderer, frozen=True, kw_only=True, tag="winner"):
    """The name of who is first."""

    file: ClassVar[str | None] = "winner.txt"

    def render(self, report: Report) -> str:
        """Return the name."""
        return report.standings[0].entrant + "\n"


def shout(word: str) -> None:
    """Print a word in capitals."""
    typer.echo(word.upper())


@hookimpl
def arena_rulesets() -> list[type[Rules]]:
    """Return the ruleset."""
    return [Sprint]


@hookimpl
def arena_formats() -> list[type[Format]]:
    """Return the format."""
    return [Once]


@hookimpl
def arena_sandboxes() -> list[type[Sandbox]]:
    """Return the sandbox."""
    return [Bare]


@hookimpl
def arena_executors() -> list[type[Executor]]:
    """Return the executor."""
    return [Processes]


@hookimpl
def arena_ratings() -> list[type[Rating]]:
    """Return the rating."""
    return [Wins]


@hookimpl
def arena_tie_breaks() -> list[TieBreak]:
    """Return the tie-break."""
    return [TieBreak("opponents", "opponents: number of them", lambda scores, name, _: len(scores.results(name)))]


@hookimpl
def arena_reports() -> list[type[Renderer]]:
    """Return the report."""
    return [Winner]


@hookimpl
def arena_commands() -> dict[str, Callable[..., None]]:
    """Return the command."""
    return {"shout": shout}


@hookimpl
def arena_documents() -> dict[str, str]:
    """Return the document."""
    return {"winner": f"{__name__}:Winner"}


@hookimpl
def arena_pages() -> dict[str, Path]:
    """Return the page."""
    return {"winner": Path(__file__).with_name("winner.md")}


@hookimpl
def arena_stored_kinds() -> dict[str, str]:
    """Return the kind of run."""
    return {"once": "every_kind:OnceRun"}


@hookimpl
def arena_recorded(record: MatchRecord) -> None:
    """Print the fixture that was played."""
    typer.echo(record.fixture.id)


@hookimpl
def arena_event(league: str, number: int, event: AnyEvent) -> None:
    """Print what happened in a league."""
    typer.echo(f"{league} {number}: {type(event).__name__}")


@hookimpl
def arena_round(league: str, number: int, after: LeagueTable) -> None:
    """Print who leads after a round."""
    typer.echo(f"{league}, round {number}: {after.rows[0].name}")
