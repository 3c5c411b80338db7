"""``arena seat``: a program plays a bot, as a person does with ``arena play``, or at the tables of a server elsewhere."""

import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import redirect_stdout
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from arena.cli.needed_extras import needs_extra
from arena.cli.option_groups import RulesName, SandboxName
from arena.cli.play import BestOf, Record, Seed, Target, play_and_keep
from arena.errors import InputError
from arena.extras.models.seat import TextSeat
from arena.extras.models.seat_answers import SeatAnswers
from arena.human.matches import MatchRequest, ignore_hands, match_plan
from arena.reports.numbers import count
from arena.runs import starts
from arena.runs.logs import log_nowhere

NAME = "agent"  # of the program at the table
STOPPING = 5.0  # seconds for a match to stop when the program has left; one elsewhere may wait for its opponent
Play = Callable[[], str]  # plays, and returns the closing message


def seat(
    bot: Annotated[str, typer.Argument(help="A bot, or the address of a server, as https://club.example.org.")],
    *,
    mcp: Annotated[bool, typer.Option("--mcp", help="Speak the Model Context Protocol on standard input and output.")] = False,
    rules: RulesName = "standard",
    target: Target = None,
    best_of: BestOf = None,
    sandbox: SandboxName = None,
    seed: Seed = None,
    results: Record = None,
    name: Annotated[str, typer.Option(help="What the program is called at the table.")] = NAME,
    token: Annotated[
        str | None, typer.Option(envvar="ARENA_TOKEN", help="At a server: what its owner has sent; also in ARENA_TOKEN.")
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
    request = MatchRequest(bot=bot, rules=rules, target=target, best_of=best_of, sandbox=sandbox, seed=seed, names=(name,))
    at_server = bot.startswith(("http://", "https://"))
    if at_server and (results or request != MatchRequest(bot=bot, names=(name,))):
        raise InputError("--rules, --target, --best-of, --sandbox, --seed and --results: expected with a bot; a server has its own")
    if not at_server and games != 1:
        raise InputError("--games: expected with the address of a server; with a bot it is one match")
    with needs_extra("mcp"):
        from arena.extras.models import mcp_server  # noqa: PLC0415 - the extra `mcp`, which may not be installed

    table, play = _remote_seat(bot, token, name, games) if at_server else _local_seat(request, results)
    _play_while(mcp_server.serve, table, play)


def _local_seat(request: MatchRequest, results: Path | None) -> tuple[TextSeat, Play]:
    """Return a seat at a table on this machine, and the function that plays the match."""
    plan = match_plan(request)
    start = starts.new_start(plan, results)
    table = TextSeat(opponent=plan.names[1])

    def play() -> str:
        play_and_keep(request, start, [table], ignore_hands, "--mcp", command="seat")
        return f"The match is over. It is stored in {start.folder.path}."

    return table, play


def _remote_seat(url: str, token: str | None, name: str, games: int) -> tuple[TextSeat, Play]:
    """Return a seat at the tables of a server, and the function that plays the games."""
    if token is None:
        raise InputError("--token: missing; expected what `arena invite` prints, here or in ARENA_TOKEN")
    from arena.extras.remote.joining import check_token_and_name  # noqa: PLC0415 - a folder that may be deleted

    check_token_and_name(token, name)
    with needs_extra("remote"):
        from arena.extras.remote.client import Joining, JoinRequest, server_url  # noqa: PLC0415 - the extra, which may not be installed

    log_nowhere()
    table = TextSeat(opponent="the opponent")
    request = JoinRequest(url=server_url(url), token=token, name=name, answers=SeatAnswers(table), games=games)
    return table, lambda: f"Played {count(Joining(request, None, table.tell).play(), 'game')}."


def _play_while(serve: Callable[[TextSeat], None], table: TextSeat, play: Play) -> None:
    """Play in a thread while a seat is served, until the client leaves. Raises: the error of the match, if there is one."""
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
