"""``arena seat``: a program plays a match against a bot, as a person does with ``arena play``."""

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import Bot, RulesName, SandboxName, checked_seed, needs_mcp
from arena.cli.play import play_and_keep
from arena.errors import ArenaError, InputError, RunStoppedError
from arena.human.player import MatchRequest, match_plan, tell_nobody
from arena.human.seat import TextSeat
from arena.runs import session

NAME = "agent"  # of the program at the table


def seat(
    bot: Bot,
    *,
    mcp: Annotated[bool, typer.Option("--mcp", help="Speak the Model Context Protocol on standard input and output.")] = False,
    rules: RulesName = "standard",
    target: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Points that end a game; by default the ruleset's.")
    ] = None,
    best_of: Annotated[int | None, typer.Option(min=1, max=99, help="Games of the match; by default the ruleset's.")] = None,
    sandbox: SandboxName = None,
    seed: Annotated[
        str | None, typer.Option(callback=checked_seed, help="Seed of the deals; by default one is drawn in secret.")
    ] = None,
    results: Annotated[Path | None, typer.Option(help="Folder of the record; by default a new one in results/.")] = None,
    name: Annotated[str, typer.Option(help="What the program is called at the table.")] = NAME,
) -> None:
    """Serve a seat at a table with a bot: a program looks at its view in words, and acts. The match is stored like any other.

    A client of MCP starts it as a server, and has three tools: rules, look and act. The match ends early when the client closes the
    connection; the command that is then printed continues it.

    Example: arena seat greedy --mcp --target 50
    """
    if not mcp:
        raise InputError("--mcp: missing; expected it, because a seat speaks no other protocol")
    with needs_mcp():
        from arena.human import mcp_server  # noqa: PLC0415 - the extra `mcp`, which may not be installed

    request = MatchRequest(bot=bot, rules=rules, target=target, best_of=best_of, sandbox=sandbox, seed=seed, names=(name,))
    plan = match_plan(request)
    folder = session.new_folder(plan, results)
    table = TextSeat(plan.names[1])

    def play() -> None:
        try:
            play_and_keep(request, plan, folder, [table], tell_nobody, "--mcp", command="seat")
            table.end(f"The match is over. It is stored in {folder.path}.")
        except (ArenaError, RunStoppedError) as error:
            table.end(f"The match was stopped: {error}")
            raise

    with ThreadPoolExecutor(1) as threads:
        match = threads.submit(play)
        try:
            with redirect_stdout(
                sys.__stdout__
            ):  # past the guard: the server takes the descriptor, and what else prints goes to stderr
                mcp_server.serve(table)
        finally:
            table.stop()
        match.result()
