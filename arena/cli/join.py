"""``arena join``, ``invite`` and ``close``: bots that run here at a server's tables, their tokens, and the end of the games."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import Bot, SandboxName, needs_extra
from arena.cli.terminal import print_lines
from arena.errors import InputError, StoreError
from arena.league import tokens
from arena.moments import duration
from arena.remote import record
from arena.remote.session import AUTHOR, BOT
from arena.reports.numbers import count
from arena.results.publish import rewrite_reports
from arena.roster.finder import find
from arena.runs import plans
from arena.runs.confined_reading import confined_reader
from arena.runs.logs import log_nowhere
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store
from arena.text import printable


def join(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of the server, as https://club.example.org.")],
    bot: Bot,
    *,
    token: Annotated[str, typer.Option(envvar="ARENA_TOKEN", help="What the server's owner has sent; also in ARENA_TOKEN.")],
    games: Annotated[int | None, typer.Option(min=1, max=1_000_000, help="Games to play; by default without end.")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Begin no game after this local time, as 23:30.")] = None,
    name: Annotated[str | None, typer.Option(help="Its name there; by default the first 24 characters of its name here.")] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Sign its answers with the key in this file; written if missing.")
    ] = None,
    sandbox: SandboxName = None,
) -> None:
    """Play a bot that runs here, in its sandbox, at the tables of a server elsewhere, over one outgoing connection.

    Example: arena join https://club.example.org mine.py:Mine --games 20

    It reconnects by itself and honours HTTPS_PROXY. Ctrl-C ends it; the game that is being played is lost then. `arena docs remote`
    explains more.
    """
    end = None if until is None else _moment(until)
    check_token_and_name(token, name)
    with needs_extra("remote"):
        from arena.remote.client import BotAnswers, Joining, JoinRequest, server_url  # noqa: PLC0415 - the extra, which may not be installed
        from arena.remote.signing import SigningKey  # noqa: PLC0415 - likewise

    log_nowhere()
    address, signing = server_url(url), None if key is None else SigningKey(key)
    with confined_reader(plans.sandbox(sandbox, [])) as reader:  # the launch, for which the next sandbox is made, is not known yet
        entrant = find(bot, folder=Path(), reader=reader)
    launch = plans.sandbox(sandbox, [entrant.launch]).wrap(entrant.launch)
    called = name or entrant.name[:24]
    request = JoinRequest(url=address, token=token, name=called, answers=BotAnswers(called, launch), games=games, until=end)
    played = Joining(request, signing, lambda text: print_lines([text])).play()
    typer.echo(f"played {count(played, 'game')}", err=True)


def check_token_and_name(token: str, name: str | None) -> None:
    """Raise InputError for a token or a name that no server accepts."""
    if not re.fullmatch(rf"{tokens.PREFIX}[\w-]{{1,90}}", token, re.ASCII):
        raise InputError(f"--token: expected what `arena invite` prints, which begins with {tokens.PREFIX}")
    if name is not None and not BOT.fullmatch(name):
        raise InputError(
            f"--name: found {printable(name)!r}; expected at most 24 letters, digits, _ . or -, a letter or digit first"
        )


def _moment(text: str) -> datetime:
    """Return the next moment at which the local clock shows a time. Raises: InputError."""
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", text)
    if found is None:
        raise InputError(f"--until: found {text!r}; expected a time, as 23:30")
    at = datetime.now()  # noqa: DTZ005 - local, because the offset of the zone may change until then
    end = at.replace(hour=int(found[1]), minute=int(found[2]), second=0, microsecond=0)
    return (end if end > at else end + timedelta(days=1)).astimezone()


def invite(
    folder: Annotated[Path, typer.Argument(help="The folder of `arena serve FOLDER --remote`.")],
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
    folder: Annotated[Path, typer.Argument(help="The folder of `arena serve FOLDER --remote`.")],
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
        raise InputError(f"{folder}: holds no games; `arena serve {folder} --remote` begins them")
    with Store(folder / DATABASE, write=True) as store:
        facts = store.begun_facts()
        if facts.get("kind") != record.KIND:
            raise StoreError(f"{folder}: holds another run; `arena league token` gives tokens for a league")
        if "finished" in facts:
            raise StoreError(f"{folder}: its games are closed")
        yield store
