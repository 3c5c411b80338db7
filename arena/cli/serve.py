"""``arena serve``: runs in a browser, while they are played and afterwards."""

from pathlib import Path
from typing import Annotated

import typer


def serve(
    results_dir: Annotated[Path, typer.Argument(help="A folder of runs, or the folder of one run.")] = Path("results"),
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes any that is free.")] = 8000,
) -> None:
    """Show runs in a browser on this machine, live: standings, matches, every hand. It changes nothing; Ctrl-C ends it.

    Example: arena serve results --port 8000
    """
    from arena.cli.extra import needs_web
    from arena.errors import InputError

    if not results_dir.is_dir():
        raise InputError(f"{results_dir}: no such folder; expected one that holds runs, as results")
    with needs_web():
        from arena.web.app import Site
        from arena.web.guard import hosts
        from arena.web.server import bound, stoppable
    from arena.plugins import manager

    site = Site(results_dir, manager.kinds(manager.load()))
    with bound(port) as at:
        port = at.getsockname()[1]
        with stoppable(site.app(hosts(port))) as server:
            typer.echo(f"http://127.0.0.1:{port}/ shows {results_dir}; Ctrl-C ends it", err=True)
            server.run(sockets=[at])
