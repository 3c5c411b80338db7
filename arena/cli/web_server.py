"""What commands that serve pages have in common: their options, and the server, which runs until the user ends it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import InputError
from arena.runs.logs import log_warnings

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from arena.web.connection_limits import ConnectionLimits
    from arena.web.server import Sockets

MIB = 1 << 20
MOST_MIB = 1 << 30  # a pebibyte


def checked_origin(public: str) -> str:
    """Return the origin of a reverse proxy unchanged; empty: there is none. Raises: InputError."""
    if public and not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?", public):
        raise InputError(f"--public: found {public!r}; expected an address without a path, as https://club.example.org")
    return public


Port = Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes any that is free.")]
Public = Annotated[
    str,
    typer.Option(
        metavar="ORIGIN",
        callback=checked_origin,
        help="The address of a reverse proxy before it, as https://club.example.org.",
    ),
]


def run_server(
    port: int,
    shown: Path | str,
    make_app: Callable[[frozenset[str]], "Starlette"],
    limits: "ConnectionLimits",
    *,
    proxied: bool = False,
    sockets: "Sockets" = "none",
    page: str = "",
) -> None:
    """Run the application that ``make_app`` makes for the hosts allowed at the port that was bound, until the user ends it.

    ``proxied``: it is reached through a reverse proxy; ``sockets``: what speaks WebSocket; ``page``: the one that the user is told.
    """
    from arena.web.guard import hosts  # noqa: PLC0415 - the extra `web`, which may not be installed
    from arena.web.server import graceful_server, listen  # noqa: PLC0415 - likewise

    log_warnings()
    with listen(port) as listening:
        port = listening.getsockname()[1]
        with graceful_server(make_app(hosts(port)), limits, proxied=proxied, sockets=sockets) as server:
            typer.echo(f"http://127.0.0.1:{port}/{page} shows {shown}; Ctrl-C ends it", err=True)
            server.run(sockets=[listening])
