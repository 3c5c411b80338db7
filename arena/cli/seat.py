"""``arena seat``: a program plays a bot, as a person does with ``arena play``, or at the tables of a server elsewhere."""

import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import redirect_stdout
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from arena.cli.join import check_names
from arena.cli.options import RulesName, SandboxName, checked_seed, needs_extra, needs_mcp
from arena.cli.play import play_and_keep
from arena.errors import InputError
from arena.human.player import MatchRequest, match_plan, tell_nobody
from arena.human.seat import SeatAnswers, TextSeat
from arena.reports.numbers import count
from arena.runs import session
from arena.runs.logs import log_nowhere

NAME = "agent"  # of the program at the table
STOPPING = 5.0  # seconds for a match to stop when the program has left; one elsewhere may wait for its opponent
Playing = Callable[[], str]  # plays, and returns what is said at the end


def seat(
    bot: Annotated[
        str,
        typer.Argument(help="A bot, or the address of a server, as https://club.example.org.", show_default=False),
    ],
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
    token: Annotated[
        str | None,
        typer.Option(envvar="ARENA_TOKEN", help="At a server: what its owner has sent; also in ARENA_TOKEN.", show_default=False),
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=1_000_000, help="At a server: games to play.")] = 1,
) -> None:
    """Serve a seat at a table: a program looks at its view in words, and acts. A match with a bot is stored like any other.

    A client of MCP starts it as a server, and has three tools: rules, look and act. When the client closes the connection, a match
    with a bot is kept, and the command that is printed continues it; a game at a server is lost.

    Example: arena seat greedy --mcp --target 50
    """
    if not mcp:
        raise InputError("--mcp: missing; expected it, because a seat speaks no other protocol")
    with needs_mcp():
        from arena.human import mcp_server  # noqa: PLC0415 - the extra `mcp`, which may not be installed

    if bot.startswith(("http://", "https://")):
        table, play = _elsewhere(bot, token, name, games)
    else:
        request = MatchRequest(bot=bot, rules=rules, target=target, best_of=best_of, sandbox=sandbox, seed=seed, names=(name,))
        table, play = _here(request, results)
    _play_while(mcp_server.serve, table, play)


def _here(request: MatchRequest, results: Path | None) -> tuple[TextSeat, Playing]:
    """Return a seat at a table of its own, and what plays the match there."""
    plan = match_plan(request)
    start = session.anew(plan, results)
    table = TextSeat(plan.names[1])

    def play() -> str:
        play_and_keep(request, start, [table], tell_nobody, "--mcp", command="seat")
        return f"The match is over. It is stored in {start.folder.path}."

    return table, play


def _elsewhere(url: str, token: str | None, name: str, games: int) -> tuple[TextSeat, Playing]:
    """Return a seat at the tables of a server, and what plays the games there."""
    if token is None:
        raise InputError("--token: missing; expected what `arena invite` prints, here or in ARENA_TOKEN")
    check_names(token, name)
    with needs_extra("remote"):
        from arena.remote.client import Joining, JoinRequest, server_url  # noqa: PLC0415 - the extra, which may not be installed

    log_nowhere()
    table = TextSeat("the opponent")
    request = JoinRequest(url=server_url(url), token=token, name=name, answers=SeatAnswers(table), games=games)
    return table, lambda: f"Played {count(Joining(request, None, table.tell).play(), 'game')}."


def _play_while(serve: Callable[[TextSeat], None], table: TextSeat, play: Playing) -> None:
    """Play in a thread while a seat is served, until the client leaves. Raises: what the match has raised."""
    match: Future[str] = Future()

    def run() -> None:
        try:
            match.set_result(play())
            table.end(match.result())
        except BaseException as error:  # noqa: BLE001 - it is raised again where the seat is served
            table.end(f"The match was stopped: {error}")
            match.set_exception(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        with redirect_stdout(sys.__stdout__):  # without its guard: the server needs the descriptor
            serve(table)
    finally:
        table.stop()
        thread.join(STOPPING)
    if match.done():
        match.result()
