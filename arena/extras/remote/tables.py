"""``arena tables``, ``invite`` and ``close``: what the owner of a server does, at whose tables bots from elsewhere play."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.needed_extras import needs_extra
from arena.cli.option_groups import RulesName
from arena.cli.terminal import print_lines
from arena.cli.web_server import MIB, MOST_MIB, Port, Public, run_server
from arena.errors import InputError, StoreError
from arena.extras.remote import record
from arena.extras.remote.lobby import AUTHOR, GameTerms
from arena.league import tokens
from arena.moments import duration
from arena.plugins.manager import installed_kinds
from arena.reports.numbers import count
from arena.results.publish import rewrite_reports
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store
from arena.text import printable


def tables(
    folder: Annotated[Path, typer.Argument(help="A new folder, or the one of earlier games, which are continued.")],
    *,
    port: Port = 8000,
    public: Public = "",
    own_bot: Annotated[
        list[str] | None, typer.Option(help="A bot of this machine for those that are alone; may be repeated.", metavar="BOT")
    ] = None,
    hands: Annotated[int, typer.Option(min=1, max=20, help="Hands of a game.")] = 6,
    wait: Annotated[float, typer.Option(min=0, max=3600, help="Seconds until one alone meets a bot of --own-bot.")] = 10.0,
    rules: RulesName = "standard",
    free_mib: Annotated[int, typer.Option(min=0, max=MOST_MIB, help="No game begins while less is free on disk.")] = 256,
) -> None:
    """Serve tables at which bots play that run elsewhere, and show their games in a browser, live. Ctrl-C ends it.

    Example: arena tables games --own-bot cautious

    Such games are unconfined: they have a folder and a ranking of their own. `arena invite` lets an author in, and `arena close`
    ends the games. `arena docs remote` explains more.
    """
    terms = GameTerms(own_bots=tuple(own_bot or ()), hands=hands, wait=wait, rules=rules)
    with needs_extra("remote"):
        import websockets  # noqa: F401, PLC0415 - the extra `remote`, which may not be installed

        from arena.extras.remote.game_server import GameServer  # noqa: PLC0415 - likewise
        from arena.extras.remote.routes import RemoteSeats  # noqa: PLC0415 - likewise
        from arena.web.app import Site  # noqa: PLC0415 - likewise

    games = GameServer(folder, terms, time.monotonic, free_mib * MIB)
    with games.open():
        site = Site(folder, installed_kinds(), RemoteSeats(games))
        make_app = partial(site.app, public=public)
        run_server(port, folder, make_app, site.limits, proxied=bool(public), sockets="websockets-sansio")


def invite(
    folder: Annotated[Path, typer.Argument(help="The folder of `arena tables FOLDER`.")],
    author: Annotated[str, typer.Argument(help="Who receives the token.")],
    *,
    expires: Annotated[str, typer.Option(metavar="TIME", help="How long it is valid, as 90d or 12w.")] = "180d",
    revoke: Annotated[bool, typer.Option("--revoke", help="Make every token of this author invalid instead.")] = False,
) -> None:
    """Print a new token, with which an author's bots play at the tables of a server. It is shown once.

    Example: arena invite games ann
    """
    with _store_of_games(folder) as store, store.deciding():  # one command at a time changes the file
        if revoke:
            print_lines([f"revoked {count(tokens.revoke_tokens(folder, [author]), 'token')} of {author}"])
            return
        if not AUTHOR.fullmatch(author):
            raise InputError(
                f"AUTHOR: found {printable(author)!r}; expected at most 25 letters, digits, _ or -, a letter or digit first"
            )
        issued = tokens.add_token(folder, author, duration(expires))
    typer.echo(issued.text)
    typer.echo(f"a token of {author}, valid until {issued.token.expires}; it cannot be shown again", err=True)


def close(
    folder: Annotated[Path, typer.Argument(help="The folder of `arena tables FOLDER`.")],
) -> None:
    """End the games of a folder: no more are played there, the seed is revealed, and the report is written.

    Example: arena close games

    Stop the server first. A game that it left unfinished is void. `arena verify` then deals every hand again,
    and no longer calls the games unfinished.
    """
    run = Folder(folder)
    with _store_of_games(folder) as store, run.lock():
        void = record.close(store)
        games = store.count()
    shutil.rmtree(folder / record.GAMES, ignore_errors=True)  # the games that were in play, which are void
    ended = f"; void, because they were not over: {', '.join(void)}" if void else ""
    print_lines([f"{count(games, 'game')} on record{ended}", rewrite_reports(run)])


@contextmanager
def _store_of_games(folder: Path) -> Iterator[Store]:
    """Yield the database of a folder of unconfined games, opened for writing. Raises: InputError; StoreError, also if closed."""
    if not (folder / DATABASE).is_file():
        raise InputError(f"{folder}: holds no games; `arena tables {folder}` begins them")
    with Store(folder / DATABASE, write=True) as store:
        facts = store.begun_facts()
        if facts.get("kind") != record.KIND:
            raise StoreError(f"{folder}: holds another run; `arena league token` gives tokens for a league")
        if "finished" in facts:
            raise StoreError(f"{folder}: its games are closed")
        yield store
