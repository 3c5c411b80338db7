"""``arena play``: a match of a person, or of two people."""

import itertools
import shlex
import time
from collections.abc import Callable, Sequence
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from arena.cli.needed_extras import needs_extra
from arena.cli.option_groups import RulesName, SandboxName
from arena.cli.options import checked_seed
from arena.cli.progress import Warnings
from arena.cli.terminal import print_game
from arena.errors import InputError, RunStoppedError
from arena.human.matches import MatchRequest, ignore_hands, match_plan, play_person
from arena.human.player import HumanPlayer
from arena.human.table_reviews import open_background
from arena.human.terminal import Keyboard
from arena.plugins import manager
from arena.records import HandRecord
from arena.referee.job import Job
from arena.results.publish import report_of
from arena.roster import finder
from arena.runs import starts
from arena.runs.runner import Runner
from arena.runs.starts import RunStart
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.plan import Plan

if TYPE_CHECKING:
    from arena.web.table import TableServer

Target = Annotated[int | None, typer.Option(min=1, max=100_000, help="Points that end a game; by default the ruleset's.")]
BestOf = Annotated[int | None, typer.Option(min=1, max=99, help="Games of the match; by default the ruleset's.")]
Seed = Annotated[str | None, typer.Option(callback=checked_seed, help="Seed of the deals; by default one is drawn in secret.")]
Record = Annotated[Path | None, typer.Option(help="Folder of the record; by default a new one in results/.")]
CLOSING = 2.0  # seconds for the browser to receive that the table is closed


def play(
    bot: Annotated[str | None, typer.Argument(help="An installed bot's name, path/to/bot.py, or path/to/bot.yaml.")] = None,
    *,
    web: Annotated[bool, typer.Option("--web", help="Play in a browser on this machine instead of in the terminal.")] = False,
    two: Annotated[bool, typer.Option("--two", help="With --web, without a bot: two people, each with a link.")] = False,
    rules: RulesName = "standard",
    target: Target = None,
    best_of: BestOf = None,
    sandbox: SandboxName = None,
    seed: Seed = None,
    results: Record = None,
    name: Annotated[list[str] | None, typer.Option(help="Your name at the table; with --two twice, the guest's second.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --web: port on this machine; 0 takes any that is free.")] = 0,
) -> None:
    """Play a match against a bot, which runs in its sandbox. The match is stored like any other: to replay, verify and report.

    With --web --two two people play at one table, each by a link of their own, and both on this machine or through a tunnel to it.

    Ctrl-C keeps a match for later: the command that is printed then continues it.

    Example: arena play greedy --target 50
    """
    if two and (bot or not web):
        raise InputError("--two: expected with --web and without a bot, because two people play")
    if not two and bot is None:
        raise InputError("BOT: missing; expected a bot, or --web --two for two people")
    if port and not web:
        raise InputError("--port: expected with --web, because the terminal needs none")
    request = MatchRequest(
        bot=bot, rules=rules, target=target, best_of=best_of, sandbox=sandbox, seed=seed, names=tuple(name or ())
    )
    plan = match_plan(request)
    start = starts.new_start(plan, results)
    if web:
        with open_background(Runner(manager.load(), "local", 1)) as pool:  # a process, which is forked before there are threads
            play_at = partial(_play_matches, request=request, results=results, start=start, pool=pool)
            _in_browser(play_at, plan, port, people=2 if two else 1)
    else:
        play_and_keep(request, start, [Keyboard(opponent=plan.names[1], tell=print_game)])


def play_and_keep(
    request: MatchRequest,
    start: RunStart,
    people: Sequence[HumanPlayer],
    begun: Callable[[Job], Callable[[HandRecord], None]] = ignore_hands,
    *options: str,
    command: str = "play",
) -> None:
    """Play a match and print its folder; ``command`` and ``options``: of the command line that continues it if it is stopped.

    Raises: as ``play_person``.
    """
    try:
        play_person(start, people, Warnings(), begun)
    except RunStoppedError:
        again = shlex.join(_command(command, request, start.folder, *options))
        raise RunStoppedError(f"stopped; the match is kept: `{again}` continues it") from None
    typer.echo(f"stored in {start.folder.path}: arena replay {shlex.quote(str(start.folder.path))}", err=True)


def _command(command: str, request: MatchRequest, folder: Folder, *options: str) -> list[str]:
    """Return the command that continues a match; without the seed, which is in the folder."""
    named = {
        "--rules": request.rules if request.rules != MatchRequest(bot=None).rules else None,
        "--target": request.target,
        "--best-of": request.best_of,
        "--sandbox": request.sandbox,
        "--results": folder.path,
    }
    given = [text for name, value in named.items() if value is not None for text in (name, str(value))]
    given += [text for name in request.names for text in ("--name", name)]
    return ["arena", command, *filter(None, [request.bot]), *options, *given]


def _play_matches(
    table: "TableServer", request: MatchRequest, results: Path | None, start: RunStart, pool: futures.Executor
) -> None:
    """Play matches at one table, each stored in a folder of its own, until the people leave it; ``pool`` reviews the hands."""
    own = request.bot
    bots = [own, *(name for name in finder.names() if name != own)] if own else []
    options = ("--web",) if own else ("--web", "--two")
    for number in itertools.count(2):  # of the next match
        people = [place.person for place in table.places]
        play_and_keep(request, start, people, lambda job: table.begin(job, pool).add, *options)
        with Store(start.folder.database) as store:
            table.keep_reviews(start.folder, store.fact("commitment"))
        opponent = table.play_again(report_of(start.folder), str(start.folder.path), bots)
        if opponent is None:
            return
        request = replace(request, bot=opponent if own else None, seed=None)
        start = starts.new_start(match_plan(request), results and results.with_name(f"{results.name}-{number}"))


def _in_browser(play_at: Callable[["TableServer"], None], plan: Plan, port: int, people: int) -> None:
    """Serve one table until its people leave the table, or a signal stops it."""
    with needs_extra("web"):
        from arena.web.guard import hosts  # noqa: PLC0415 - the extra `web`, which may not be installed
        from arena.web.server import graceful_server, listen  # noqa: PLC0415 - likewise
        from arena.web.table import TableServer  # noqa: PLC0415 - likewise

    def play() -> None:
        try:
            play_at(table)
            time.sleep(CLOSING)
        finally:
            server.should_exit = True

    table = TableServer(plan.names, people, plan.spec.rules)
    with listen(port) as at:
        where = at.getsockname()[1]
        with graceful_server(table.app(hosts(where)), table.limits) as server, ThreadPoolExecutor(1) as threads:
            for place in table.places:
                who = f"{place.name} plays" if people == 2 else "play"
                typer.echo(f"{who} at http://127.0.0.1:{where}/{place.key}/ ; Ctrl-C keeps the match for later", err=True)
            match = threads.submit(play)
            server.run(sockets=[at])
            table.stop()
            match.result()
