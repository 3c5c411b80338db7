"""The Python interface: the same matches, comparisons and reports as by the commands, as values for a notebook or a program.

Its names are those of ``import arena``. arena/PYTHON.md has examples and says what stays stable.

A bot is given as in a spec: an installed one's name, ``path/to/bot.py``, also with ``:Class``, or ``path/to/bot.yaml``. It may also
be a class that inherits from ``arena.sdk.Bot``, an object of one, or a function from a view to an action: these play in this
process, without a sandbox, so the run is marked as not isolated and ranks nobody.
"""

import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import Any

from msgspec import Struct, json, to_builtins
from msgspec.structs import asdict, replace

from arena.cli import progress
from arena.compare import continued, dueling
from arena.compare.dueling import DuelAnswer, DuelTerms
from arena.errors import ArenaError, InputError
from arena.gin.actions import Action
from arena.gin.view import View
from arena.league import leagues, show
from arena.league.rules.league_table import LeagueTable
from arena.league.show import LeagueReport
from arena.moments import moment, now
from arena.players.base import InlinePlayer, Player
from arena.plugins import manager
from arena.records import MatchRecord
from arena.referee import job
from arena.referee.job import Job, bot_seed
from arena.reports.json_file import JsonFile
from arena.reports.report import Report
from arena.reports.tables import numbers_behind, tables, warnings
from arena.reports.text_table import TextTable
from arena.results.data import DecisionData, MatchData, decision_rows, match_row
from arena.results.frames import Rows, columns_of
from arena.results.hands import COLUMNS, ExportedHand, ExportedHeader, hands, header
from arena.results.publish import report_of, rewrite_reports, write_reports
from arena.results.reviews import ReviewRequest, review_run
from arena.review.summary import Review
from arena.roster import finder
from arena.roster.entrant import IN_PROCESS_SOURCE, Entrant, Launch
from arena.runs import chosen, differences, named_parts, planning, review_cache, sandbox_fallback, starts
from arena.runs.chosen import ResolvedBot
from arena.runs.differences import Difference, DiffRequest
from arena.runs.logs import log_nowhere
from arena.runs.play import play_run
from arena.runs.runner import Runner
from arena.runs.starts import RunStart
from arena.runs.stored_kinds import open_stored
from arena.sdk import Bot
from arena.sdk.checks import build, check_class
from arena.sdk.mistakes import action_of_function
from arena.stats.standings import Standing
from arena.store.folder import Folder, existing
from arena.store.store import Store
from arena.text import document_text
from arena.tournament.plan import Plan

__all__ = ["ArenaError", "Comparison", "League", "Run", "bots", "diff", "duel", "load", "play", "regress"]

AnyBot = str | Path | Bot | type[Bot] | Callable[[View], Action]
Part = str | Mapping[str, Any]  # a part of a spec: its name, or its options with ``name``

# --- what the functions return


class Run(Struct, frozen=True, dict=True):
    """A run in its folder. The report is read once; rows are read again each time."""

    path: Path

    @cached_property
    def report(self) -> Report:
        """Return everything that the run's report shows. Raises: StoreError."""
        return report_of(Folder(self.path))

    @property
    def summary(self) -> str:
        """Return the first sentence of the report: who leads, and how sure that is."""
        return self.report.summary

    @property
    def standings(self) -> list[Standing]:
        """Return the entrants in the order of their ranks."""
        return self.report.standings

    def matches(self) -> Rows[MatchData]:
        """Return the matches and batches, in the order in which they were played."""
        return Rows(columns_of(MatchData), self._matches)

    def hands(self) -> Rows[ExportedHand]:
        """Return every hand with its deck and its actions; as ``arena export``."""
        return Rows(COLUMNS, self._hands, self._header)

    def decisions(self) -> Rows[DecisionData]:
        """Return every decision, with what its seat could see, and its price if it was reviewed."""
        return Rows(columns_of(DecisionData), self._decisions)

    def review(self, *, hands: int | None = None, bot: str | None = None, workers: int | None = None) -> Review:
        """Return where the bots lose their points; as ``arena review``. The run's reports show it from then on.

        ``hands``: the largest number of hands of each bot that are priced. Raises: InputError, StoreError.
        """
        folder, request = Folder(self.path), ReviewRequest(hands=hands, bot=bot)
        with progress.count_bar("reviewed", "hands") as reviewed:
            found = review_run(folder, Runner(manager.load(), workers=workers), request, reviewed)
        if not folder.is_locked():  # else the process that plays the run writes its reports
            rewrite_reports(folder)
        self.__dict__.pop("report", None)  # it shows the review now
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the report as ``results.json`` has it."""
        found: dict[str, Any] = json.decode(JsonFile().render(self.report))
        return found

    def _matches(self) -> Iterator[MatchData]:
        with Store(Folder(self.path).database) as store:
            yield from map(match_row, store.records())

    def _header(self) -> ExportedHeader:
        with open_stored(Folder(self.path)) as (store, run):
            return header(store, run)

    def _hands(self) -> Iterator[ExportedHand]:
        with open_stored(Folder(self.path)) as (store, run):
            yield from hands(store, run)

    def _decisions(self) -> Iterator[DecisionData]:
        with open_stored(Folder(self.path)) as (store, run):
            kept = review_cache.read_kept(Folder(self.path), run.facts["commitment"])
            priced = {(one.fixture, one.hand, one.turn): one for one in (kept.decisions if kept else ())}
            for record in store.records():
                yield from decision_rows(record, run, priced)

    def _repr_html_(self) -> str:
        shown = self.report
        return _html([shown.summary, *warnings(shown), *numbers_behind(shown)], tables(shown)[:1])


class Comparison(DuelAnswer, frozen=True, kw_only=True):
    """The answer of a duel or of a test for regression: its fields are those of ``arena duel --json``."""

    @property
    def run(self) -> Run | None:
        """Return the run; None: nothing was played, because both are the same program."""
        return Run(Path(self.results)) if self.results else None

    def to_dict(self) -> dict[str, Any]:
        """Return the document of ``arena duel --json``."""
        found: dict[str, Any] = json.decode(document_text("duel", self))
        return found

    def _repr_html_(self) -> str:
        return self.run._repr_html_() if self.run else f"<p>{escape(self.answer)}</p>"


class League(Struct, frozen=True, dict=True):
    """A league in its folder."""

    path: Path

    @cached_property
    def table(self) -> LeagueTable:
        """Return the table as it was at the first call; ``load`` again for a newer one. Raises: StoreError, SpecError."""
        return self._report().now

    def matches(self) -> Rows[MatchData]:
        """Return the matches, in the order in which they were played."""
        return Run(self.path).matches()

    def to_dict(self) -> dict[str, Any]:
        """Return the table."""
        found: dict[str, Any] = to_builtins(self.table)
        return found

    def _repr_html_(self) -> str:
        return _html([], [show.text_table(self._report())])

    def _report(self) -> LeagueReport:
        """Return the report as it is now, with trends over the last day, as ``arena league table`` has them by default."""
        return show.league_report(self.path, at=None, since=moment("1d", now()))


def _html(lines: Sequence[str], shown: Sequence[TextTable]) -> str:
    """Return lines and tables as HTML for a notebook."""
    parts = [f"<p>{escape(line)}</p>" for line in lines if line]
    for table in shown:
        head = "".join(f"<th>{escape(cell)}</th>" for cell in table.headings)
        rows = "".join("<tr>" + "".join(map(partial(_cell, table), enumerate(row))) + "</tr>" for row in table.rows)
        parts.append(f"<table><caption>{escape(table.title)}</caption><tr>{head}</tr>{rows}</table><p>{escape(table.note)}</p>")
    return "".join(parts)


def _cell(table: TextTable, cell: tuple[int, str]) -> str:
    number, words = cell
    return f'<td style="text-align:{"left" if number in table.left else "right"}">{escape(words)}</td>'


# --- the functions


def bots() -> list[str]:
    """Return the names of the installed bots."""
    return finder.names()


def play(
    bots: Sequence[AnyBot],
    *,
    format: Part = "round-robin",  # noqa: A002 - the word of the specs
    rules: Part = "tournament",
    pairs: int | None = None,
    title: str | None = None,
    seed: str | None = None,
    sandbox: Part | None = None,
    workers: int | None = None,
    results: str | Path | None = None,
    quiet: bool = False,
) -> Run:
    """Play a tournament and return its run; as ``arena run`` plays a spec with these parts.

    ``pairs``: the number of pairs of matches between every two bots. ``sandbox``: None is the default of specs. If a
    bot plays in this process, there is no sandbox; with a bot that does not come with arena, this must be confirmed by ``"none"``.
    ``results``: the folder of the run; by default a new one in ``results/``, or that of the same
    tournament if it was stopped and no bot plays in this process. Raises: ArenaError, for a part or a bot that does not exist;
    RunStoppedError.
    """
    field = _Bots(bots)
    form: dict[str, Any] = {"name": format} if isinstance(format, str) else dict(format)
    if pairs is not None:
        form["pairs"] = pairs
    names = ", ".join(bot.name for bot in field.bots[:3]) + (" and others" if len(field.bots) > 3 else "")
    values = {"title": title or names, "rules": rules, "format": form, "sandbox": field.sandbox(sandbox)}
    plan = planning.from_values({key: value for key, value in values.items() if value is not None}, field.bots, seed)
    start = field.start(plan, results)
    with progress.of(plan, quiet=quiet) as observer:
        play_run(start, field.runner(workers), observer, write_reports, log_level=None)
    start.folder.mark_reported()
    return Run(start.folder.path)


def duel(
    a: AnyBot,
    b: AnyBot,
    *,
    statistic: str = "points",
    bounds: tuple[float, float] | None = None,
    hands: int = 20_000,
    seed: str | None = None,
    sandbox: str | None = None,
    workers: int | None = None,
    results: str | Path | None = None,
    quiet: bool = False,
) -> Comparison:
    """Play two bots until it is known which is stronger, or the limit of ``hands`` is reached; as ``arena duel``.

    ``bounds``: in points a hand, percent of a game or Elo, by the ``statistic``. Raises: as ``play``.
    """
    field = _Bots((a, b))
    terms = DuelTerms(
        statistic=statistic, bounds=bounds or dueling.usual_bounds(statistic), hands=hands, sandbox=field.duel_sandbox(sandbox)
    )
    return _compare(field, field.start(dueling.duel(field.bots, terms, seed), results), workers, quiet=quiet)


def regress(
    new: AnyBot,
    old: AnyBot,
    *,
    within: float = 0.5,
    hands: int = 20_000,
    seed: str | None = None,
    sandbox: str | None = None,
    workers: int | None = None,
    results: str | Path | None = None,
    quiet: bool = False,
) -> Comparison:
    """Test whether a bot has become weaker, by ``within`` points a hand; as ``arena regress`` head to head.

    Called again for the same bots, it continues the evidence on file, or returns the answer on file; with a bot that plays in this
    process it always begins anew. Raises: as ``play``.
    """
    field = _Bots((new, old))
    terms = DuelTerms(bounds=(-within, 0.0), hands=hands, sandbox=field.duel_sandbox(sandbox))
    if field.in_process:
        start = field.start(dueling.duel(field.bots, terms, seed), results)
    else:
        where = Path(results) if results else None
        start = continued.start_or_continue(partial(dueling.duel, field.bots), terms, seed, where)
    return _compare(field, start, workers, quiet=quiet)


def _compare(field: "_Bots", start: RunStart, workers: int | None, *, quiet: bool) -> Comparison:
    found = dueling.play_comparison(start, field.runner(workers), progress.of_comparison(quiet=quiet), log_level=None)
    if found.folder:
        rewrite_reports(start.folder)
        start.folder.mark_reported()
    return Comparison(**asdict(dueling.answer(start.plan, found)))


def diff(
    old: str | Path,
    new: str | Path,
    *,
    hands: int = 100,
    rules: str = "tournament",
    seed: str = "diff",
    sandbox: str | None = None,
    workers: int | None = None,
) -> Difference:
    """Return the decisions that a change of a bot changed; as ``arena diff``. Raises: as ``play``."""
    if hands < 1:
        raise InputError(f"hands: found {hands}; expected 1 or more")
    log_nowhere()
    field = chosen.resolve((str(old), str(new)), suffixes=("", "new"))
    isolation = named_parts.sandbox(sandbox, [bot.entrant.launch for bot in field])
    request = DiffRequest(hands=hands, rules=named_parts.ruleset(rules), seed=seed, sandbox=isolation)
    return differences.compare(field[0], field[1], request, Runner(manager.load(), workers=workers)).difference


def load(path: str | Path) -> Run | League:
    """Return the run, or the league, in a folder. Raises: StoreError, if it holds neither."""
    folder = existing(Path(path))
    return League(folder.path) if leagues.holds_league(folder.path) else Run(folder.path)


# --- bots that play in this process


class _Bots:
    """The bots of a run: those given by name or path, as in a spec, and those that play in this process."""

    def __init__(self, bots: Sequence[AnyBot]) -> None:
        """Find each bot; of several with one name, the later ones get a number. Raises: InputError, RosterError."""
        if isinstance(bots, str | Path) or len(bots) < 2:
            raise InputError(f"bots: found {bots!r}; expected a list of at least two, as ['greedy', 'cautious']")
        self.in_process: dict[str, Callable[[str], Player]] = {}  # by name: returns its player for a seed
        found: list[ResolvedBot] = []
        for number, bot in enumerate(bots, 1):
            one = _in_process_bot(bot) if not isinstance(bot, str | Path) else chosen.resolve((str(bot),), suffixes=("",))[0]
            if one.name in {other.name for other in found}:
                one = replace(one, entrant=replace(one.entrant, name=f"{one.name}-{number}"))
            if not isinstance(bot, str | Path):
                self.in_process[one.name] = partial(_player, bot, one.name)
            found.append(one)
        self.bots = tuple(found)

    def sandbox(self, asked: Part | None) -> Any:  # noqa: ANN401 - a part of a spec
        """Return the sandbox of the run. Raises: InputError, if a sandbox is named or needed but a bot plays here."""
        launches = [bot.entrant.launch for bot in self.bots if bot.entrant.launch.command]
        if not self.in_process:
            return named_parts.sandbox(asked, launches) if asked is None or isinstance(asked, str) else asked
        if asked not in (None, "none"):
            raise InputError(f"sandbox: found {asked!r}, but {min(self.in_process)} plays in this process; expected 'none'")
        if asked is None and not all(map(sandbox_fallback.comes_with_arena, launches)):
            raise InputError(
                f"{min(self.in_process)} plays in this process, so no bot is confined; expected sandbox='none' to say so"
            )
        return "none"

    def duel_sandbox(self, asked: str | None) -> str | None:
        """Return the name of the sandbox of a comparison; None: the default. Raises: as ``sandbox``."""
        return str(self.sandbox(asked)) if self.in_process else asked

    def start(self, plan: Plan, results: str | Path | None) -> RunStart:
        """Return the start of a run; one with a bot of this process is never resumed, because its code may have changed."""
        where = Path(results) if results else None
        return starts.new_start(plan, where) if self.in_process else starts.find_start(plan, where)

    def runner(self, workers: int | None) -> Runner:
        """Return the runner: this process, if a bot plays in it."""
        return Runner(manager.load(), "serial", 1, self._work) if self.in_process else Runner(manager.load(), "local", workers)

    def _work(self, task: Job) -> MatchRecord:
        first, second = (
            self.in_process[name](bot_seed(task.seed, task.fixture.deals, seat)) if name in self.in_process else None
            for seat, name in enumerate(task.fixture.seats)
        )
        return job.play(task, (first, second))


def _in_process_bot(bot: object) -> ResolvedBot:
    """Return the entrant of a bot that plays in this process. Raises: InputError."""
    if not callable(bot) and not isinstance(bot, Bot):
        raise InputError(
            f"found {bot!r}; expected a bot's name or path, a class or an object of arena.sdk.Bot, or a function of a view"
        )
    kind = bot if inspect.isclass(bot) or inspect.isfunction(bot) else type(bot)
    if inspect.isclass(bot) and not issubclass(bot, Bot):
        raise InputError(f"found the class {bot.__name__}; expected one that inherits from arena.sdk.Bot")
    try:
        content = inspect.getsource(kind)
    except (OSError, TypeError):
        content = repr(bot)
    name = kind.__name__.strip("_<>") or "bot"
    launch = Launch(command=(), folder="")
    return ResolvedBot(name, Entrant(name, "0", IN_PROCESS_SOURCE, hashlib.sha256(content.encode()).hexdigest(), launch=launch))


def _player(bot: Any, name: str, seed: str) -> InlinePlayer:  # noqa: ANN401 - see AnyBot
    if inspect.isclass(bot):
        made = build(check_class(bot, name), seed)
        return InlinePlayer(made.answer, made.hand_over)
    if isinstance(bot, Bot):
        return InlinePlayer(bot.answer, bot.hand_over)
    code = getattr(bot, "__code__", None)  # None: an object that can be called
    return InlinePlayer(lambda view: action_of_function(name, code, bot(view)))
