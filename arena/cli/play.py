"""``arena play``: a person against a bot."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.extra import needs_web
from arena.cli.options import SandboxName, checked_seed
from arena.cli.progress import Warnings
from arena.human.keyboard import Keyboard
from arena.human.player import HumanPlayer
from arena.runs import session
from arena.runs.person import MatchRequest, planned, play_person
from arena.store.folder import Folder
from arena.tournament.plan import Plan

SHOWN = 2.0  # seconds in which the browser learns that the match is over


def play(
    bot: Annotated[
        str, typer.Argument(help="An installed bot's name, path/to/bot.py:Class, or path/to/bot.yaml.", show_default=False)
    ],
    *,
    web: Annotated[bool, typer.Option("--web", help="Play in a browser on this machine instead of in the terminal.")] = False,
    rules: Annotated[str, typer.Option(help="The ruleset.")] = "standard",
    target: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Points that end a game; by default the ruleset's.")
    ] = None,
    best_of: Annotated[int | None, typer.Option(min=1, max=99, help="Games of the match; by default the ruleset's.")] = None,
    sandbox: SandboxName = None,
    seed: Annotated[
        str | None, typer.Option(callback=checked_seed, help="Seed of the deals; by default one is drawn in secret.")
    ] = None,
    results: Annotated[Path | None, typer.Option(help="Folder of the record; by default a new one in results/.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --web: port on this machine; 0 takes any that is free.")] = 0,
) -> None:
    """Play a match against a bot, which runs in its sandbox. The match is stored like any other: to replay, verify and report.

    Example: arena play greedy --target 50
    """
    plan = planned(MatchRequest(bot=bot, rules=rules, target=target, best_of=best_of, sandbox=sandbox, seed=seed))
    folder = session.new_folder(plan, results)
    if web:
        _in_browser(plan, folder, port)
    else:
        _play(plan, folder, Keyboard(plan.names[1]))


def _play(plan: Plan, folder: Folder, person: HumanPlayer) -> None:
    play_person(plan, folder, person, Warnings())
    typer.echo(f"stored in {folder.path}: arena replay {folder.path}", err=True)


def _in_browser(plan: Plan, folder: Folder, port: int) -> None:
    """Serve one table until its match is over, or until somebody stops it, which leaves the table."""
    with needs_web():
        from arena.web.guard import hosts  # noqa: PLC0415 - the extra `web`, which not everybody has
        from arena.web.server import graceful_server, listen  # noqa: PLC0415 - the extra `web`, which not everybody has
        from arena.web.table import TableServer  # noqa: PLC0415 - the extra `web`, which not everybody has

    def play() -> None:
        try:
            _play(plan, folder, table.person)
            time.sleep(SHOWN)
        finally:
            server.should_exit = True

    table = TableServer(plan.names[1])
    with listen(port) as at:
        where = at.getsockname()[1]
        with graceful_server(table.app(hosts(where))) as server, ThreadPoolExecutor(1) as threads:
            typer.echo(f"play at http://127.0.0.1:{where}/{table.key}/ ; Ctrl-C leaves the table", err=True)
            match = threads.submit(play)
            server.run(sockets=[at])
            table.leave()
            match.result()
