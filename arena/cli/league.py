"""``arena league``: leagues whose field changes, and matches in them on request."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import course, progress
from arena.cli.changes import print_difference
from arena.cli.checked_app import plain_app
from arena.cli.option_groups import AsJson, LogLevel, Quiet, Where, Workers, runner_of
from arena.cli.options import MOST_HANDS, AskedLegs, ShownHand, checked_seed
from arena.cli.terminal import is_screen, print_error, print_json, print_lines, print_report, print_result, width
from arena.errors import ArenaError, BusyError, InputError, WorkerLostError
from arena.league import exported, membership, on_request, side_matches, versions_played
from arena.league import show as league_reports
from arena.league.backup import Backup, back_up
from arena.league.intake.copies import as_named
from arena.league.observing import LeagueObserver
from arena.league.play import PlayedLeague, StopRule
from arena.league.play import run as play_league
from arena.league.rules.events import RoundOpened, SeasonOpened, Suspended
from arena.league.rules.field import Version
from arena.league.submission_lines import SubmissionLine
from arena.league.submit import SubmissionOutcome, submit_for_author
from arena.league.submit import submit as submit_bot
from arena.league.templates import new_league
from arena.moments import duration, moment, now
from arena.reports.describe import ended_words, margin_words
from arena.reports.numbers import count
from arena.reports.strip_lines import strip_lines
from arena.reports.text import table_lines
from arena.results.publish import write_reports
from arena.runs import starts
from arena.runs.audition_steps import describe
from arena.runs.debugging import HandChoice
from arena.runs.logs import log_nowhere
from arena.runs.open_run import OpenRun
from arena.runs.play import play
from arena.stats.statements import SURE
from arena.store.folder import Folder
from arena.text import document_text
from arena.tournament.audition import Finding

MOST_MATCHES = 1_000_000_000  # of one call
MOST_ROUNDS = 1_000_000  # of one call
MOST_BOTS = 1000  # of an event

app = plain_app("Leagues: bots join, improve and leave, and a table ranks them.\n\nExample: arena league table friday")

season = plain_app("The seasons of a league.\n\nExample: arena league season close friday")
app.add_typer(season, name="season")

Dir = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the league.")]
Name = Annotated[str, typer.Argument(metavar="BOT", help="A bot's name, or a version as ann-bot@3.")]
Reason = Annotated[str, typer.Option(help="Why; it is shown.", show_default=False)]
Since = Annotated[str, typer.Option(metavar="TIME", help="Show what has changed since: 12h, 1d, or a date as 2026-01-31.")]


@app.command()
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


@app.command()
def submit(
    league: Dir,
    bot: Annotated[
        str | None, typer.Argument(help="A .py file, a folder with bot.yaml, a zip or tar, a wheel, or an installed bot.")
    ] = None,
    *,
    several: Annotated[
        Path | None, typer.Option("--all", metavar="CLASS", help="A folder or archive, each entry of which is submitted.")
    ] = None,
    author_from: Annotated[
        str | None,
        typer.Option(
            metavar="HOW", help="With --all: filename, the default, folder, or a CSV file with the columns file and author."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="With --all: bots tested at a time; by default one for each core.")
    ] = None,
    author: Annotated[
        str | None, typer.Option(help="Who wrote it; by default as for its last version, else your user name.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What it is called; by default as it calls itself.")] = None,
    quiet: Quiet = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print a JSON line for each step, and one for the result; with --all one document.")
    ] = False,
) -> None:
    """Copy a bot into a league, test it in the sandbox, and have it play from the next round on.

    Example: arena league submit friday ./mine.py --author ann

    A bot of the same name becomes its new version, which takes the place of the one before. The league may be played meanwhile.
    With --all each bot gets the name of its author, a refused one does not stop the others, and the same command resumes.
    Exit code 1, with --all: some did not join.
    """
    log_nowhere()
    if several is not None:
        if bot is not None or author is not None or name is not None:
            raise InputError("found --all with a bot, --author or --name; expected --all alone, with --author-from")
        course.submit_all(league, several, author_from or "filename", workers, quiet=quiet, json=json)
        return
    if author_from is not None or workers is not None:
        raise InputError("found --author-from or --workers without --all; expected them with --all CLASS")
    if bot is None:
        raise InputError("found no bot; expected arena league submit DIR BOT, or DIR --all CLASS")
    _submit(league, bot, author, name, json=json)


def _submit(league: Path, bot: str, author: str | None, name: str | None, *, json: bool) -> None:
    def show(finding: Finding) -> None:
        if json:
            _print_line(SubmissionLine(finding=finding, bot=as_named(bot)))
        elif not finding.passed:
            print_lines(describe(finding, as_named(bot), width()))
        else:
            for line in finding.warnings:
                print_error(line)

    submission = submit_for_author if json else submit_bot  # in JSON a mistake of the author is a refusal, not an error
    try:
        outcome = submission(league, bot, author, name, show)
    except (ArenaError, WorkerLostError) as error:
        if json:  # the reader has to distinguish a refused bot from a machine that cannot test it
            _print_line(SubmissionLine(hindrance=str(error)))
        raise
    if json:
        _print_line(SubmissionLine(outcome=outcome))
        raise typer.Exit(0 if outcome.version else 2)
    if outcome.version is None:
        print_error(f"{bot} was refused: {outcome.reason}")
        raise typer.Exit(2)
    print_lines(_submission_lines(outcome, outcome.version))


def _print_line(line: SubmissionLine) -> None:
    typer.echo(document_text("submission", line))  # it flushes: the reader of a pipe follows the audition


def _submission_lines(outcome: SubmissionOutcome, version: Version) -> Iterator[str]:
    if not outcome.joined:
        yield f"the same bot is in the league already: {version.id} of {version.author}, {version.state} since {version.since}"
        return
    place = f" in place of {outcome.replaced}" if outcome.replaced else ""
    late = f"next season on, because submissions for this one closed at {outcome.closed}" if outcome.closed else "next round on"
    yield f"{version.id} of {version.author} joined{place}; it plays from the {late}"


@app.command()
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
        result = play_league(league, runner, stop, observer, log_level)
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
        yield f"the aim is {state}: {known.known} of {known.comparisons} comparisons are decided"


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


@app.command()
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
    report = league_reports.report(league, then, moment(since, then or present))
    if report.warning:
        print_error(report.warning)
    if json:
        print_json("league-table", report.now)
        return
    answer = report.now.answer
    print_lines([report.progress, *([*answer.lines, "", *strip_lines(answer, width())] if answer else [])])
    people = league_reports.people_table(report)
    tables = [*table_lines(league_reports.text_table(report)), *report.now.notes, *([""] if report.now.notes else [])]
    print_lines(["", *tables, *(table_lines(people) if people else [])])
    print_lines([f"Since {report.since}:", *(f"- {line}" for line in report.changes or ["nothing has changed"])])


@app.command()
def show(league: Dir, bot: Name, *, json: AsJson = False) -> None:
    """Show a bot: its versions, whom it met, its faults, and why it was refused or suspended.

    Example: arena league show friday ann-bot
    """
    shown = league_reports.bot_report(league, bot)
    print_result("league-bot", shown, league_reports.bot_lines(shown), json=json)


@app.command()
def diff(
    league: Dir,
    old: Annotated[str, typer.Argument(help="The version as it was, as ann-bot@1.")],
    new: Annotated[str, typer.Argument(help="The version as it is now, as ann-bot@2.")],
    *,
    hands: Annotated[int, typer.Option(min=1, max=MOST_HANDS, help="Hands that the old version plays against itself.")] = 100,
    workers: AskedLegs = None,
    quiet: Quiet = False,  # noqa: ARG001 - it shows no progress anyway
    json: AsJson = False,
) -> None:
    """Show the decisions that changed between two versions, under the league's rules and in its sandbox.

    Example: arena league diff friday ann-bot@1 ann-bot@2

    Exit codes: 0 no decision differs, 1 some do.
    """
    log_nowhere()  # faults are shown as lines
    found = versions_played.compare(league, old, new, hands, runner_of("local", workers))
    print_difference(found, old, new, json=json)


@app.command()
def debug(
    league: Dir,
    bot: Name,
    *,
    against: Annotated[str | None, typer.Option(help="Another bot of the league; by default itself.")] = None,
    hand: ShownHand = 0,
    seat: Annotated[int, typer.Option(min=0, max=1, help="Where the bot sits.")] = 0,
    seed: Annotated[str, typer.Option(callback=checked_seed, help="Seed of the deals and of the bots' chance.")] = "debug",
    raw: Annotated[bool, typer.Option("--raw", help="Show the messages as they are sent.")] = False,
    quiet: Quiet = False,  # noqa: ARG001 - it shows no progress anyway
) -> None:
    """Show a hand as a bot sees it, under the league's rules and limits and in its sandbox; nothing is stored.

    Example: arena league debug friday ann-bot@1 --hand 3

    The same seed shows the same hand again. Exit code 1, if the bot commits a fault.
    """
    log_nowhere()  # faults are shown as lines
    if not versions_played.show_hand(league, bot, against, HandChoice(hand=hand, seat=seat, seed=seed, raw=raw), print_lines):
        raise typer.Exit(1)


@app.command()
def retire(league: Dir, bot: Name, *, reason: Reason = "", json: AsJson = False) -> None:
    """Have a bot play no more from the next round on. Its results stay in the table.

    Example: arena league retire friday ann-bot
    """
    _print_version(membership.retire(league, bot, reason), "is retired", json=json)


@app.command()
def suspend(league: Dir, bot: Name, *, reason: Reason, json: AsJson = False) -> None:
    """Have a bot play no more from the next round on, against its author's will.

    Example: arena league suspend friday ann-bot --reason "a copy of ben-bot"
    """
    _print_version(membership.suspend(league, bot, reason), "is suspended", json=json)


@app.command()
def reinstate(league: Dir, bot: Name, *, reason: Reason = "", json: AsJson = False) -> None:
    """Have a retired, suspended or withdrawn bot play again, from the next round or the season for which it was accepted.

    Example: arena league reinstate friday ann-bot@2
    """
    version = membership.reinstate(league, bot, reason)
    begins = "season" if version.state == "waiting" else "round"
    _print_version(version, f"plays again from the next {begins} on", json=json)


@app.command()
def withdraw(league: Dir, bot: Name, *, reason: Reason = "", json: AsJson = False) -> None:
    """Have a bot play no more because its copy, libraries or state are lost for good. Its results stay.

    Example: arena league withdraw friday ann-bot --reason "lost with a disk"

    `arena verify` names what is lost; a backup restores it. The matches of a withdrawn bot are not replayed. A bot whose copy
    was found or submitted again can be reinstated, and then begins without what it had learned.
    """
    _print_version(membership.withdraw(league, bot, reason), "is withdrawn", json=json)


def _print_version(version: Version, state: str, *, json: bool) -> None:
    print_result("league-version", version, [f"{version.id} {state}"], json=json)


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


@app.command()
def export(
    league: Dir,
    out: Annotated[Path, typer.Argument(help="The folder to write; it may hold an earlier copy.")],
    *,
    since: Since = "1d",
) -> None:
    """Write a copy that a web server can publish: the table, a page for each bot, the reports, and all records.

    Example: arena league export friday public
    """
    from arena.web.club import site  # noqa: PLC0415 - pages need jinja2, which takes as long to import as a table to make

    present = now()
    report = exported.export(league, out, present, moment(since, present), site.write)
    print_lines([f"{out}: {report.progress}"])


@app.command()
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


# Matches on request.


@app.command()
def event(
    league: Dir,
    spec: Annotated[Path, typer.Argument(help="The event's YAML file: title, format, rating and reports.")],
    *,
    from_table: Annotated[int, typer.Option("--from-table", min=2, max=MOST_BOTS, help="How many of the best bots take part.")],
    name: Annotated[str | None, typer.Option(help="What the event is called; by default as its file, without the ending.")] = None,
    workers: Workers = None,
    executor: Where = "local",
    quiet: Quiet = False,
    log_level: LogLevel = "INFO",
    json: AsJson = False,
) -> None:
    """Play an event beside the rounds, such as a knockout of the best eight, and show its report. It changes no rating.

    Example: arena league event friday cup.yaml --from-table 8

    Each bot takes part with its best version by the rounds that are closed, seeded by its place in the table. However it was
    stopped, the same command continues it, with the same bots. The league may be played meanwhile.
    """
    runner = runner_of(executor, workers)
    request = side_matches.read_request(spec, from_table, name)
    start = side_matches.plan_event(league, request)

    def conclude(run: OpenRun) -> str:
        text = write_reports(run, as_json=json, brief=is_screen())
        side_matches.close(league, request.run, run)
        return text

    with progress.of(start.plan, quiet=quiet) as observer:
        text = play(start, runner, observer, conclude, log_level)
    print_report(text)
    start.folder.mark_reported()


@app.command()
def challenge(
    league: Dir,
    mine: Annotated[str, typer.Argument(metavar="MINE", help="The bot that asks, or a version of it.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The bot that it is to meet.")],
    *,
    json: AsJson = False,
) -> None:
    """Ask for a rated match between two bots of a league. A later round plays it.

    Example: arena league challenge friday ann-bot ben-bot

    A request cannot be withdrawn, and the match counts for both bots; an author may ask for as many a day as the spec says. `arena
    league practice` plays a match that counts nowhere.
    """
    log_nowhere()
    done = on_request.challenge(league, mine, other)
    line = f"{done.version} meets {done.opponent} in a later round; {done.waiting} waiting, with this one"
    print_result("league-challenge", done, [line], json=json)


@app.command()
def practice(
    league: Dir,
    bot: Annotated[str, typer.Argument(help="A bot's name, or a version as ann-bot@3.")],
    against: Annotated[str, typer.Argument(help="Its opponent: a name, or a version.")],
    *,
    results: Annotated[Path, typer.Option(help="The folder of the run, new or to be continued.")],
    quiet: Quiet = False,
) -> None:
    """Play a practice match of two bots of a league: two matches on the same deals, by its rules. The league keeps no record.

    Example: arena league practice friday ann-bot ben-bot@2 --results practice
    """
    folder = starts.named_folder(results)
    with starts.open_run(folder):  # opened only to fail here, before any bot is read, if it cannot be written
        plan = on_request.practice_plan(league, bot, against)
    with progress.of(plan, quiet=quiet) as observer:
        start = starts.RunStart(plan=plan, folder=folder)
        found = play(start, runner_of("local", workers=1), observer, lambda run: run.store.results(), log_level=None)
    for one in found:
        print_lines([f"{ended_words(one)}, {margin_words(one)} in {count(one.hands, 'hand')}"])
    folder.mark_reported()


app.command()(course.token)
app.command("tokens")(course.list_tokens)
app.command()(course.grades)
app.command()(course.likeness)
