"""``arena serve``: runs in a browser, while they are played and afterwards; and a league with submissions and play."""

import re
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from arena.cli.options import RulesName, Scheduler, needs_extra, runner_of
from arena.errors import InputError
from arena.league.folder import holds_league
from arena.league.uploads import UploadLimits
from arena.remote.session import HallTerms
from arena.runs import needs
from arena.runs.plans import kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.applications import Starlette

    from arena.web.club.context import ClubTerms
    from arena.web.crowd import Crowd
    from arena.web.server import Sockets

MIB = 1 << 20
MOST_MIB = 1 << 30  # a pebibyte


def serve(
    results_dir: Annotated[Path, typer.Argument(help="A folder of runs, or the folder of one run or league.")] = Path("results"),
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes any that is free.")] = 8000,
    submit: Annotated[bool, typer.Option("--submit", help="Let authors with a token submit bots to this league.")] = False,
    play: Annotated[bool, typer.Option("--play", help="Play this league in the background.")] = False,
    gallery: Annotated[
        bool, typer.Option("--gallery", help="Show the components of pages in all their states, and no run.")
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="With --play: matches played at a time.")] = None,
    hours: Annotated[str | None, typer.Option(metavar="HOURS", help="With --play: when, as 22:00-06:00 in local time.")] = None,
    executor: Annotated[
        str, typer.Option(help="With --play: where matches are played: local, serial, dask, or a plugin's name.")
    ] = "local",
    scheduler: Scheduler = None,
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
    if gallery:
        _serve_gallery(port)
        return
    terms = HallTerms(house=tuple(house or ()), hands=hands, wait=wait, rules=rules)
    _check_folder(results_dir, terms, remote=remote, hosts=submit or play)
    if not play and (any(given is not None for given in (workers, hours, scheduler)) or executor != "local"):
        raise InputError("--workers, --hours, --executor and --scheduler say how a league is played; expected --play with them")
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
        runner_of(executor, workers, scheduler)  # raises an error for what is not there
    with needs_extra("web"):
        if not (submit or play or holds_league(results_dir)):
            _serve_runs(results_dir, port, origin)
            return
        from arena.web.club.context import ClubTerms  # noqa: PLC0415 - the extra `web`, which may not be installed
        from arena.web.club.hosting import PlayTerms, parse_hours  # noqa: PLC0415 - likewise

        when = None if hours is None else parse_hours(hours)
        play_terms = PlayTerms(workers=workers, hours=when, executor=executor, scheduler=scheduler or "")
        club_terms = ClubTerms(submit=submit, public=origin, limits=limits, play=play_terms if play else None)
        _serve_league(results_dir, port, club_terms)


def _check_folder(folder: Path, terms: HallTerms, *, remote: bool, hosts: bool) -> None:
    """Raise InputError for a missing folder, and for options that need --remote or exclude it."""
    if remote and hosts:
        raise InputError("--remote: found --submit or --play; expected a folder of its own, without them")
    if not remote and terms != HallTerms():
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

    site = Site(folder, kinds())
    _run(port, folder, partial(site.app, public=public), site.crowd, proxied=bool(public))


def _serve_gallery(port: int) -> None:
    """Serve the components of pages until the user ends it."""
    with needs_extra("web"):
        from arena.web import gallery  # noqa: PLC0415 - the extra `web`, which may not be installed
        from arena.web.crowd import Crowd  # noqa: PLC0415 - likewise

        crowd = Crowd()
        _run(port, "the components of pages", partial(gallery.app, crowd=crowd), crowd)


def _serve_league(folder: Path, port: int, terms: "ClubTerms") -> None:
    """Serve a league until the user ends it."""
    from arena.web.club.site import open_club  # noqa: PLC0415 - the extra `web`, which may not be installed

    with open_club(folder, terms) as club:
        _run(port, folder, club.app, club.context.crowd, proxied=bool(terms.public))


def _serve_seats(folder: Path, port: int, terms: HallTerms, public: str, free: int) -> None:
    """Serve the tables of bots that play from elsewhere, until the user ends it."""
    with needs_extra("remote"):
        import websockets  # noqa: F401, PLC0415 - the extra `remote`, which may not be installed

        from arena.remote.hall import Hall  # noqa: PLC0415 - likewise
        from arena.web.app import Site  # noqa: PLC0415 - likewise
        from arena.web.remote_seats import RemoteSeats  # noqa: PLC0415 - likewise

    hall = Hall(folder, terms, time.monotonic, free)
    with hall.open():
        site = Site(folder, kinds(), RemoteSeats(hall))
        make_app = partial(site.app, public=public)
        _run(port, folder, make_app, site.crowd, proxied=bool(public), sockets="websockets-sansio")


def _run(
    port: int,
    shown: Path | str,
    make_app: "Callable[[frozenset[str]], Starlette]",
    crowd: "Crowd",
    *,
    proxied: bool = False,
    sockets: "Sockets" = "none",
) -> None:
    """Run the application that ``make_app`` makes for the hosts allowed at the port that was bound.

    ``proxied``: it is reached through a reverse proxy; ``sockets``: what speaks WebSocket.
    """
    from arena.web.server import graceful_server, hosts, listen  # noqa: PLC0415 - the extra `web`, which may not be installed

    with listen(port) as listening:
        port = listening.getsockname()[1]
        with graceful_server(make_app(hosts(port)), crowd, proxied=proxied, sockets=sockets) as server:
            typer.echo(f"http://127.0.0.1:{port}/ shows {shown}; Ctrl-C ends it", err=True)
            server.run(sockets=[listening])
