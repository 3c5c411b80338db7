"""Arena's own parts, registered with the same hooks that a plugin uses."""

from arena.gin.rules import Rules
from arena.gin.rulesets.boxes import Boxes
from arena.gin.rulesets.classic import Classic
from arena.gin.rulesets.fiftieth_card import FiftiethCard
from arena.gin.rulesets.points_list import PointsList
from arena.gin.rulesets.standard import Standard
from arena.gin.rulesets.summary import Summary
from arena.gin.rulesets.under_ten import UnderTen
from arena.players.sandboxes.base import Sandbox
from arena.players.sandboxes.none import NoSandbox
from arena.players.sandboxes.standard import StandardSandbox
from arena.players.sandboxes.strict import StrictSandbox
from arena.plugins.hookspecs import hookimpl
from arena.reports.base import Renderer
from arena.reports.console import ConsoleText
from arena.reports.csv_file import CsvFile
from arena.reports.html_page import HtmlPage
from arena.reports.json_file import JsonFile
from arena.reports.markdown import Markdown
from arena.stats.ratings.base import Rating
from arena.stats.ratings.bradley_terry import BradleyTerry
from arena.stats.ratings.points import PointsRating
from arena.tournament.executors.base import Executor
from arena.tournament.executors.dask import Dask
from arena.tournament.executors.local import Local
from arena.tournament.executors.serial import Serial
from arena.tournament.formats.base import Format
from arena.tournament.formats.batches import Batches
from arena.tournament.formats.divisions import Divisions
from arena.tournament.formats.duel import Duel
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.formats.single import Single
from arena.tournament.formats.stages import Stages
from arena.tournament.formats.swiss import Swiss


@hookimpl
def arena_rulesets() -> list[type[Rules]]:
    """Return the rulesets of arena/gin/README.md."""
    return [Rules, Standard, PointsList, Summary, Boxes, UnderTen, Classic, FiftiethCard]


@hookimpl
def arena_formats() -> list[type[Format]]:
    """Return the built-in formats."""
    return [RoundRobin, Batches, Duel, Gauntlet, Single, Swiss, Knockout, Divisions, Stages]


@hookimpl
def arena_sandboxes() -> list[type[Sandbox]]:
    """Return the built-in sandboxes."""
    return [StrictSandbox, StandardSandbox, NoSandbox]


@hookimpl
def arena_executors() -> list[type[Executor]]:
    """Return the built-in executors."""
    return [Local, Serial, Dask]


@hookimpl
def arena_ratings() -> list[type[Rating]]:
    """Return the built-in ratings."""
    return [BradleyTerry, PointsRating]


@hookimpl
def arena_reports() -> list[type[Renderer]]:
    """Return the built-in renderers."""
    return [ConsoleText, Markdown, JsonFile, CsvFile, HtmlPage]
