"""``arena serve``, ``join``, ``invite`` and ``close``: runs and leagues in a browser, and tables for bots that run elsewhere."""

import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from arena.cli.needed_extras import needs_extra
from arena.cli.option_groups import RulesName, SandboxName, runner_of
from arena.cli.options import Bot
from arena.cli.terminal import print_lines
from arena.errors import InputError, StoreError
from arena.league import tokens
from arena.league.leagues import holds_league
from arena.league.uploads import UploadLimits
from arena.moments import duration
from arena.plugins.manager import installed_kinds
from arena.remote import record
from arena.remote.session import AUTHOR, BOT, GameTerms
from arena.reports.numbers import count
from arena.results.publish import rewrite_reports
from arena.roster.finder import find
from arena.runs import needs, plans
from arena.runs.confined_reading import confined_reader
from arena.runs.logs import log_nowhere, log_warnings
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store
from arena.text import printable

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from arena.web.club.context import ClubTerms
    from arena.web.connection_limits import ConnectionLimits
    from arena.web.server import Sockets

MIB = 1 << 20
MOST_MIB = 1 << 30  # a pebibyte


def serve(
    results_dir: Annotated[Path, typer.Argument(help="A folder of runs, or the folder of one run or league.")] = Path("results"),
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes any that is free.")] = 8000,
    submit: Annotated[bool, typer.Option("--submit", help="Let authors with a token submit bots to this league.")] = False,
    play: Annotated[bool, typer.Option("--play", help="Play this league in the background.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="With --play: matches played at a time.")] = None,
    hours: Annotated[str | None, typer.Option(metavar="HOURS", help="With --play: when, as 22:00-06:00 in local time.")] = None,
    executor: Annotated[str, typer.Option(help="With --play: where matches are played, as `arena league run` takes it.")] = "local",
    public: Annotated[
        str, typer.Option(metavar="ORIGIN", help="The address of a reverse proxy before it, as https://club.example.org.")
    ] = "",
    upload_mib: Annotated[int, typer.Option(min=1, max=1024, help="With --submit: the largest file.")] = 8,
    an_hour: Annotated[int, typer.Option(min=1, max=1000, help="With --submit: files of an author in an hour.")] = 12,
    waiting: Annotated[int, typer.Option(min=1, max=100, help="With --submit: files of an author in the queue.")] = 3,
    disk_mib: Annotated[int, typer.Option(min=1, max=MOST_MIB, help="With --submit: what all bots may take on the disk.")] = 2048,
    remote: Annotated[
        bool, typer.Option("--remote", help="Let bots play here that run elsewhere: unconfined games, in this folder.")
    ] = False,
    house: Annotated[
        list[str] | None, typer.Option(help="With --remote: a bot for those that are alone; may be repeated.", metavar="BOT")
    ] = None,
    hands: Annotated[int, typer.Option(min=1, max=20, help="With --remote: hands of a game.")] = 6,
    wait: Annotated[float, typer.Option(min=0, max=3600, help="With --remote: seconds until one alone meets --house.")] = 10.0,
    rules: RulesName = "standard",
    free_mib: Annotated[
        int, typer.Option(min=0, max=MOST_MIB, help="Play and submissions pause while less is free on disk.")
    ] = 256,
) -> None:
    """Show runs or a league in a browser on this machine, live: standings, matches, every hand. Ctrl-C ends it.

    Example: arena serve results --port 8000

    It only shows them, unless --submit or --play make it the host of a league: arena serve friday --submit --play.
    With --remote, bots that run elsewhere play here. `arena docs hosting` says how.
    """
    terms = GameTerms(house=tuple(house or ()), hands=hands, wait=wait, rules=rules)
    _check_folder(results_dir, terms, remote=remote, hosts=submit or play)
    if not play and (any(given is not None for given in (workers, hours)) or executor != "local"):
        raise InputError("--workers, --hours and --executor say how a league is played; expected --play with them")
    limits = UploadLimits(size=upload_mib * MIB, an_hour=an_hour, waiting=waiting, stored=disk_mib * MIB, free=free_mib * MIB)
    if not submit and replace(limits, free=UploadLimits().free) != UploadLimits():
        raise InputError("--upload-mib, --an-hour, --waiting and --disk-mib limit what authors send; expected --submit with them")
    origin = _origin(public)
    if remote:
        _serve_seats(results_dir, port, terms, origin, limits.free)
        return
    if submit:
        needs.check(1)  # uploads are tested here
    if play:
        runner_of(executor, workers)  # raises an error for what is not there
    with needs_extra("web"):
        if not (submit or play or holds_league(results_dir)):
            _serve_runs(results_dir, port, origin)
            return
        from arena.web.club.context import ClubTerms  # noqa: PLC0415 - the extra `web`, which may not be installed
        from arena.web.club.hosting import PlayTerms, parse_hours  # noqa: PLC0415 - likewise

        when = None if hours is None else parse_hours(hours)
        play_terms = PlayTerms(workers=workers, hours=when, executor=executor)
        club_terms = ClubTerms(submit=submit, public=origin, limits=limits, play=play_terms if play else None)
        _serve_league(results_dir, port, club_terms)


def _check_folder(folder: Path, terms: GameTerms, *, remote: bool, hosts: bool) -> None:
    """Raise InputError for a missing folder, and for options that need --remote or exclude it."""
    if remote and hosts:
        raise InputError("--remote: found --submit or --play; expected a folder of its own, without them")
    if not remote and terms != GameTerms():
        raise InputError("--house, --hands, --wait and --rules say how remote bots play; expected --remote with them")
    if not remote and not folder.is_dir():
        found = "not a folder" if folder.exists() else "no such folder"
        raise InputError(f"{folder}: {found}; expected one that holds runs, as results")


def _origin(public: str) -> str:
    """Return the origin of a reverse proxy. Raises: InputError."""
    if public and not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?", public):
        raise InputError(f"--public: found {public!r}; expected an address without a path, as https://club.example.org")
    return public


def _serve_runs(folder: Path, port: int, public: str) -> None:
    """Serve a folder of runs until the user ends it."""
    from arena.web.app import Site  # noqa: PLC0415 - the extra `web`, which may not be installed

    site = Site(folder, installed_kinds())
    run_server(port, folder, partial(site.app, public=public), site.limits, proxied=bool(public))


def _serve_league(folder: Path, port: int, terms: "ClubTerms") -> None:
    """Serve a league until the user ends it."""
    from arena.web.club.site import open_club  # noqa: PLC0415 - the extra `web`, which may not be installed

    with open_club(folder, terms) as club:
        run_server(port, folder, club.app, club.context.limits, proxied=bool(terms.public))


def _serve_seats(folder: Path, port: int, terms: GameTerms, public: str, free: int) -> None:
    """Serve the tables of bots that play from elsewhere, until the user ends it."""
    with needs_extra("remote"):
        import websockets  # noqa: F401, PLC0415 - the extra `remote`, which may not be installed

        from arena.remote.game_server import GameServer  # noqa: PLC0415 - likewise
        from arena.web.app import Site  # noqa: PLC0415 - likewise
        from arena.web.remote_seats import RemoteSeats  # noqa: PLC0415 - likewise

    games = GameServer(folder, terms, time.monotonic, free)
    with games.open():
        site = Site(folder, installed_kinds(), RemoteSeats(games))
        make_app = partial(site.app, public=public)
        run_server(port, folder, make_app, site.limits, proxied=bool(public), sockets="websockets-sansio")


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


# Bots that run here at the tables of a server elsewhere, and what its owner does for their authors.


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
        from arena.remote.client import BotAnswers, Joining, JoinRequest, server_url  # noqa: PLC0415 - the extra, which may not be installed
        from arena.remote.played import SignedGames  # noqa: PLC0415 - likewise
        from arena.remote.signing import SigningKey  # noqa: PLC0415 - likewise

    log_nowhere()
    address, signed = server_url(url), None if key is None else SignedGames(SigningKey(key), key.with_name(f"{key.name}.played"))
    with confined_reader(plans.sandbox(sandbox, [])) as reader:  # the launch, for which the next sandbox is made, is not known yet
        entrant = find(bot, folder=Path(), reader=reader)
    launch = plans.sandbox(sandbox, [entrant.launch]).wrap(entrant.launch)
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
