"""``arena play``: a person against a bot."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arena.store.folder import Folder
    from arena.table.sitting import Person
    from arena.tournament.plan import Plan

SEEN = 2.0  # seconds in which the browser hears that the match is over


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
    sandbox: Annotated[str | None, typer.Option(help="What walls the bot in; by default what tournaments have.")] = None,
    seed: Annotated[str | None, typer.Option(help="Seed of the deals; by default one is drawn.")] = None,
    results: Annotated[Path | None, typer.Option(help="Folder of the record; by default a new one in results/.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --web: port on this machine; 0 takes any that is free.")] = 0,
) -> None:
    """Play a match against a bot, which sits behind its walls as ever. It is kept as any other: to replay, verify and report.

    Example: arena play greedy --target 50
    """
    from arena.cli import session
    from arena.plugins import manager
    from arena.table.sitting import Wanted, planned

    wanted = Wanted(bot=bot, rules=rules, target=target, best_of=best_of, sandbox=sandbox, seed=seed)
    plan = planned(wanted, manager.kinds(manager.load()))
    session.warn(session.warnings(plan.spec.sandbox.assurance()))
    folder = session.new_folder(plan, results)
    opponent = plan.names[1]
    if web:
        _in_browser(plan, folder, port)
    else:
        from arena.cli.keyboard import Keyboard

        _seat(plan, folder, Keyboard(opponent))


def _seat(plan: "Plan", folder: "Folder", person: "Person") -> None:
    """Play the match and keep it."""
    from arena.cli import session
    from arena.cli.log import logging_to
    from arena.cli.report import publish
    from arena.store.store import Store
    from arena.table.sitting import played

    with folder.locked(), Store(folder.database, write=True) as store, logging_to(folder.log, "INFO"):
        plan = session.begin(plan, folder, store, plan.spec.sandbox.assurance())
        store.add(played(plan, person))
        store.finish()
        publish(folder, store, plan.spec)
    typer.echo(f"kept in {folder.path}: arena replay {folder.path}", err=True)


def _in_browser(plan: "Plan", folder: "Folder", port: int) -> None:
    """Serve one table, until its match is over or somebody stops it, which leaves the table."""
    import time
    from concurrent.futures import ThreadPoolExecutor

    from arena.cli.extra import needs_web

    with needs_web():
        from arena.web.guard import hosts
        from arena.web.server import bound, stoppable
        from arena.web.table import Table

    def sit() -> None:
        try:
            _seat(plan, folder, table.person)
            time.sleep(SEEN)
        finally:
            server.should_exit = True

    table = Table(plan.names[1])
    with bound(port) as at:
        where = at.getsockname()[1]
        with stoppable(table.app(hosts(where))) as server, ThreadPoolExecutor(1) as threads:
            typer.echo(f"play at http://127.0.0.1:{where}/{table.key}/ ; Ctrl-C leaves the table", err=True)
            match = threads.submit(sit)
            server.run(sockets=[at])
            table.leave()
            match.result()
