"""``arena league``: leagues whose field changes."""

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import league_grades, league_likeness, league_tokens
from arena.cli.checked_app import plain_app
from arena.cli.league_membership import reinstate, retire, suspend, withdraw
from arena.cli.league_options import Dir, Name, Reason, Since
from arena.cli.league_requests import challenge, cup, practice
from arena.cli.league_submissions import submit
from arena.cli.league_versions import debug, diff
from arena.cli.option_groups import AsJson, LogLevel, Quiet, Where, Workers, runner_of
from arena.cli.terminal import print_error, print_json, print_lines, print_result, width
from arena.errors import BusyError
from arena.league import exported, membership
from arena.league.backup import Backup, back_up
from arena.league.observing import LeagueObserver
from arena.league.play import PlayedLeague, StopRule, play_rounds
from arena.league.rules.events import RoundOpened, SeasonOpened, Suspended
from arena.league.show import bot_lines, bot_report, league_report, people_table, text_table
from arena.league.templates import new_league
from arena.moments import duration, moment, now
from arena.reports.numbers import count
from arena.reports.strip_lines import strip_lines
from arena.reports.text import table_lines
from arena.runs.logs import log_nowhere
from arena.stats.statements import SURE
from arena.store.folder import Folder

MOST_MATCHES = 1_000_000_000  # of one call
MOST_ROUNDS = 1_000_000  # of one call

app = plain_app("Leagues: bots join, improve and leave, and a table ranks them.\n\nExample: arena league table friday")

season = plain_app("The seasons of a league.\n\nExample: arena league season close friday")
app.add_typer(season, name="season")


def new(
    league: Dir,
    *,
    spec: Annotated[Path, typer.Option(help="The league's YAML file; `arena docs specs` lists its keys.")],
) -> None:
    """Make a league in a new folder.

    Example: arena league new friday --spec league.yaml
    """
    title = new_league(league, spec).title
    print_lines([f"{title}: {league} is ready; `arena league submit {shlex.quote(str(league))} BOT` enters a bot"])


def run(
    league: Dir,
    *,
    time: Annotated[str | None, typer.Option("--for", metavar="TIME", help="Stop after 90s, 10m, 2h.")] = None,
    matches: Annotated[int | None, typer.Option(min=1, max=MOST_MATCHES, help="Stop after this many matches.")] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, max=MOST_ROUNDS, help="Stop between two rounds, when this many were played to their end.")
    ] = None,
    until_sure: Annotated[bool, typer.Option("--until-sure", help=str(SURE))] = False,
    workers: Workers = None,
    executor: Where = "local",
    quiet: Quiet = False,
    log_level: LogLevel = "INFO",
    json: AsJson = False,
) -> None:
    """Play a league, round by round, until it is stopped. However it was stopped, the same command continues.

    Example: arena league run friday --for 10m

    Exit code 3, if another process plays the league: that is harmless, as in a crontab.
    """
    stop = StopRule(
        seconds=None if time is None else duration(time).total_seconds(), matches=matches, rounds=rounds, sure=until_sure
    )
    observer = _Warnings() if quiet else _Lines()
    runner = runner_of(executor, workers, print_error)
    try:
        result = play_rounds(league, runner, stop, observer, log_level)
    except BusyError as error:
        print_error(error)
        raise typer.Exit(3) from None
    print_result("league-run", result, _run_lines(result), json=json)


def _run_lines(result: PlayedLeague) -> Iterator[str]:
    yield f"{count(result.matches, 'match', 'matches')} played, {count(result.rounds, 'round')} closed"
    if result.opens:
        yield f"the league opens at {result.opens}: no round is played before"
    if result.waiting:
        ends = f"at {result.season_ends}" if result.season_ends else "by `arena league season close`"
        yield f"fewer than two bots are active; this season ends {ends}, and {', '.join(result.waiting)} play from the next one on"
    elif result.alone:
        yield "fewer than two bots are active: no round is played before another is submitted"
    if known := result.certainty:
        state = "known" if known.sure else "not known yet"
        yield f"the aim is {state}: {known.decided} of {known.comparisons} comparisons are decided"


class _Warnings(LeagueObserver):
    """Prints warnings and suspensions."""

    def warning(self, text: str) -> None:
        """Print a warning."""
        print_error(text)

    def suspension(self, event: Suspended) -> None:
        """Print the suspended version, and the reason."""
        see = f"; see {event.fixture}" if event.fixture else ""
        print_error(f"{event.version} was suspended: {event.reason}{see}")


class _Lines(_Warnings):
    """Prints a line for each season and round."""

    def season(self, opened: SeasonOpened) -> None:
        """Print the commitment to the season's seeds."""
        typer.echo(
            f"season {opened.season} of at most {count(opened.rounds, 'round')}; seeds committed as {opened.commitment}", err=True
        )

    def round(self, opened: RoundOpened, left: int) -> None:
        """Print the numbers of pairings, requests and matches left of a round."""
        asked = f", {len(opened.requested)} on request" if opened.requested else ""
        parts = f"{count(len(opened.pairings), 'pairing')}{asked}, {count(left, 'match', 'matches')} left"
        typer.echo(f"round {opened.round}: {parts}", err=True)


def table(
    league: Dir,
    *,
    since: Since = "1d",
    at: Annotated[str | None, typer.Option(metavar="TIME", help="Show the table as it was then.")] = None,
    json: AsJson = False,
) -> None:
    """Show the table of a league, best first, and what has changed since yesterday.

    Example: arena league table friday --since 2026-01-31
    """
    present = now()
    then = None if at is None else moment(at, present)
    report = league_report(league, then, moment(since, then or present))
    if report.warning:
        print_error(report.warning)
    if json:
        print_json("league-table", report.now)
        return
    answer = report.now.answer
    print_lines([report.progress, *([*answer.lines, "", *strip_lines(answer, width())] if answer else [])])
    people = people_table(report)
    tables = [*table_lines(text_table(report)), *report.now.notes, *([""] if report.now.notes else [])]
    print_lines(["", *tables, *(table_lines(people) if people else [])])
    print_lines([f"Since {report.since}:", *(f"- {line}" for line in report.changes or ["nothing has changed"])])


def show(league: Dir, bot: Name, *, json: AsJson = False) -> None:
    """Show a bot: its versions, whom it met, its faults, and why it was refused or suspended.

    Example: arena league show friday ann-bot
    """
    shown = bot_report(league, bot)
    print_result("league-bot", shown, bot_lines(shown), json=json)


@season.command("close")
def close(league: Dir, *, reason: Reason = "", json: AsJson = False) -> None:
    """Close the season, with the round that is open if one is; the next season opens with the next round, with seeds of its own.

    Example: arena league season close friday

    A round that is open is played to its end by `arena league run DIR --rounds 1`, or by the process that is playing.
    """
    ended = membership.end_season(league, reason)
    line = f"season {ended.season} is closed"
    if ended.open_round is not None:
        command = f"arena league run {shlex.quote(str(league))} --rounds 1"
        plays = "which is being played" if Folder(league).is_locked() else f"which `{command}` plays to its end"
        line = f"season {ended.season} ends with round {ended.open_round}, {plays}"
    print_result("league-season", ended, [line], json=json)


def export(
    league: Dir,
    out: Annotated[Path, typer.Argument(help="The folder to write; it may hold an earlier copy.")],
    *,
    since: Since = "1d",
) -> None:
    """Write a copy that a web server can publish: the table, a page for each bot, the reports, and all records.

    Example: arena league export friday public
    """
    from arena.web.club import static_site  # noqa: PLC0415 - pages need jinja2, which takes as long to import as a table to make

    present = now()
    report = exported.export(league, out, present, moment(since, present), static_site.write)
    print_lines([f"{out}: {report.progress}"])


def backup(
    league: Dir,
    place: Annotated[Path, typer.Argument(metavar="COPY", help="The new folder to write.")],
    *,
    json: AsJson = False,
) -> None:
    """Copy a league, also while it is played and served, to a folder from which it can be continued anywhere.

    Example: arena league backup friday friday-2026-11-28

    The copy is compared with its chain before it gets its name, and has the secrets of the league: only its owner may read it. Exit
    code 1, if it differs from its chain, as the league itself may.
    """
    log_nowhere()
    made = back_up(league, place)
    print_result("league-backup", made, _backup_lines(made), json=json)
    if made.differences:
        raise typer.Exit(1)


def _backup_lines(made: Backup) -> Iterator[str]:
    yield f"{made.folder}: {count(made.matches, 'match', 'matches')}, {count(made.versions, 'version')}, link {made.link}"
    for one in made.differences:
        yield f"  {one.name}: found {one.found}; expected {one.expected}"


COMMANDS: tuple[Callable[..., None], ...] = (  # in the order of the help
    *(new, submit, run, table, show, diff, debug, retire, suspend, reinstate, withdraw),
    *(export, backup, cup, challenge, practice),
)
for listed in COMMANDS:
    app.command()(listed)
app.command()(league_tokens.token)
app.command("tokens")(league_tokens.list_tokens)
app.command()(league_grades.grades)
app.command()(league_likeness.likeness)
