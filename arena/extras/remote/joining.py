"""``arena join``: a bot that runs here plays at the tables of a server elsewhere."""

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.needed_extras import needs_extra
from arena.cli.option_groups import SandboxName
from arena.cli.options import Bot
from arena.cli.terminal import print_lines
from arena.errors import InputError
from arena.extras.remote.lobby import BOT
from arena.league import tokens
from arena.reports.numbers import count
from arena.roster.finder import find
from arena.runs import named_parts
from arena.runs.confined_reading import confined_reader
from arena.runs.logs import log_nowhere
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
        Path | None,
        typer.Option(metavar="FILE", help="Sign its answers with the key in this file; FILE.played has what was signed."),
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
        from arena.extras.remote.client import BotAnswers, Joining, JoinRequest, server_url  # noqa: PLC0415 - the extra, which may not be installed
        from arena.extras.remote.played import SignedGames  # noqa: PLC0415 - likewise
        from arena.extras.remote.signing import SigningKey  # noqa: PLC0415 - likewise

    log_nowhere()
    address, signed = server_url(url), None if key is None else SignedGames(SigningKey(key), key.with_name(f"{key.name}.played"))
    # under the plain sandbox: what the launch asks for is not known before the bot is read
    with confined_reader(named_parts.sandbox(sandbox, [])) as reader:
        entrant = find(bot, folder=Path(), reader=reader)
    launch = named_parts.sandbox(sandbox, [entrant.launch]).wrap(entrant.launch)
    called = name or entrant.name[:24]
    request = JoinRequest(url=address, token=token, name=called, answers=BotAnswers(called, launch), games=games, until=end)
    played = Joining(request, signed, lambda text: print_lines([text])).play()
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
