"""``arena serve``: runs in a browser, while they are played and afterwards."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.extra import needs_web
from arena.errors import InputError
from arena.runs.parts import kinds


def serve(
    results_dir: Annotated[Path, typer.Argument(help="A folder of runs, or the folder of one run.")] = Path("results"),
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes any that is free.")] = 8000,
) -> None:
    """Show runs in a browser on this machine, live: standings, matches, every hand. It changes nothing; Ctrl-C ends it.

    Example: arena serve results --port 8000
    """
    if not results_dir.is_dir():
        raise InputError(f"{results_dir}: no such folder; expected one that holds runs, as results")
    with needs_web():
        from arena.web.app import Site  # noqa: PLC0415 - the extra `web`, which not everybody has
        from arena.web.guard import hosts  # noqa: PLC0415 - the extra `web`, which not everybody has
        from arena.web.server import graceful_server, listen  # noqa: PLC0415 - the extra `web`, which not everybody has

    site = Site(results_dir, kinds())
    with listen(port) as at:
        port = at.getsockname()[1]
        with graceful_server(site.app(hosts(port))) as server:
            typer.echo(f"http://127.0.0.1:{port}/ shows {results_dir}; Ctrl-C ends it", err=True)
            server.run(sockets=[at])
