"""Arena's own parts, registered with the same hooks that a plugin uses. Each is imported when its hook is called."""

from arena.confinement.profiles import Sandbox
from arena.gin.rules import Rules
from arena.plugins.hookspecs import hookimpl
from arena.reports.base import Renderer
from arena.stats.estimate import Rating
from arena.stats.score_ranking import TIE_BREAKS, TieBreak
from arena.tournament.executors import Executor, Serial
from arena.tournament.formats.base import Format
from arena.tournament.local import Local


@hookimpl
def arena_rulesets() -> list[type[Rules]]:
    """Return the rulesets of arena/gin/README.md."""
    from arena.gin.rulesets import RULESETS

    return list(RULESETS)


@hookimpl
def arena_formats() -> list[type[Format]]:
    """Return the built-in formats."""
    from arena.tournament.formats.divisions import Divisions
    from arena.tournament.formats.duel import Duel
    from arena.tournament.formats.gauntlet import Gauntlet
    from arena.tournament.formats.knockout import Knockout
    from arena.tournament.formats.placement import Placement
    from arena.tournament.formats.race import Race
    from arena.tournament.formats.round_robin import Batches, RoundRobin, Single
    from arena.tournament.formats.stages import Stages
    from arena.tournament.formats.swiss import Swiss

    return [RoundRobin, Batches, Duel, Gauntlet, Race, Placement, Single, Swiss, Knockout, Divisions, Stages]


@hookimpl
def arena_sandboxes() -> list[type[Sandbox]]:
    """Return the built-in sandboxes."""
    from arena.players.sandboxes import NoSandbox, StandardSandbox, StrictSandbox

    return [StrictSandbox, StandardSandbox, NoSandbox]


@hookimpl
def arena_executors() -> list[type[Executor]]:
    """Return the built-in executors."""
    return [Local, Serial]


@hookimpl
def arena_ratings() -> list[type[Rating]]:
    """Return the built-in ratings."""
    from arena.stats.ratings import BradleyTerry, PointsRating

    return [BradleyTerry, PointsRating]


@hookimpl
def arena_tie_breaks() -> list[TieBreak]:
    """Return the built-in tie-breaks."""
    return list(TIE_BREAKS)


@hookimpl
def arena_stored_kinds() -> dict[str, str]:
    """Return the kinds of runs that are no tournaments."""
    return {"league": "arena.league.stored:LeagueRun"}


@hookimpl
def arena_reports() -> list[type[Renderer]]:
    """Return the built-in renderers."""
    from arena.reports.csv_file import CsvFile
    from arena.reports.html_page import HtmlPage
    from arena.reports.json_file import JsonFile
    from arena.reports.markdown import Markdown
    from arena.reports.text import ConsoleText

    return [ConsoleText, Markdown, JsonFile, CsvFile, HtmlPage]
