"""``arena docs``: the pages of the manual, in the terminal or in a browser."""

import sys
from typing import Annotated

import typer

from arena.cli import terminal
from arena.cli.options import needs_web
from arena.errors import InputError
from arena.runs import manual


def docs(
    page: Annotated[str | None, typer.Argument(help="A page; by default all are listed.", show_default=False)] = None,
    *,
    web: Annotated[bool, typer.Option("--web", help="Serve the pages to a browser on this machine. Ctrl-C ends it.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --web: port on this machine; 0 takes any that is free.")] = 0,
) -> None:
    """Show a page of the manual. Where the output is no terminal, it is the page's Markdown.

    Example: arena docs specs
    """
    if port and not web:
        raise InputError("--port: expected with --web, because the terminal needs none")
    name = manual.page_name(page) if page else ""
    if web:
        _serve(name, port)
    elif not name:
        terminal.print_lines(f"{name:13} {manual.title(name)}" for name in manual.PAGES)
    elif sys.stdout.isatty():
        _show(name)
    else:
        typer.echo(manual.markdown(name), nl=False)


def _show(name: str) -> None:
    from rich.markdown import Markdown  # noqa: PLC0415 - only for a terminal

    with (console := terminal.console(sys.stdout)).capture() as shown:  # for rich would end the program when the pipe is closed
        console.print(Markdown(manual.with_links(name, _in_words)))
    terminal.without_guard(sys.stdout).write(shown.get())


def _in_words(text: str, page: str, _: str) -> str:
    return f"{text} (`arena docs {page}`)"


def _serve(name: str, port: int) -> None:
    """Serve the pages until the user ends it."""
    with needs_web():
        from arena.web.crowd import Crowd  # noqa: PLC0415 - the extra `web`, which may not be installed
        from arena.web.manual_pages import app  # noqa: PLC0415 - likewise
        from arena.web.server import (  # noqa: PLC0415 - likewise
            graceful_server,
            hosts,
            listen,
        )

    with listen(port) as at:
        where = at.getsockname()[1]
        with graceful_server(app(hosts(where)), Crowd()) as server:
            typer.echo(f"http://127.0.0.1:{where}/{name} shows the manual; Ctrl-C ends it", err=True)
            server.run(sockets=[at])
