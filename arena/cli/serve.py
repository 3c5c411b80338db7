"""``arena serve``: runs or a league in a browser."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from arena.cli.needed_extras import needs_extra
from arena.cli.option_groups import runner_of
from arena.cli.web_server import MIB, MOST_MIB, Port, Public, run_server
from arena.errors import InputError
from arena.league.leagues import holds_league
from arena.league.uploads import UploadLimits
from arena.plugins.manager import installed_kinds
from arena.runs import needs

if TYPE_CHECKING:
    from arena.web.club.context import ClubTerms


def serve(
    results_dir: Annotated[Path, typer.Argument(help="A folder of runs, or the folder of one run or league.")] = Path("results"),
    *,
    port: Port = 8000,
    submit: Annotated[bool, typer.Option("--submit", help="Let authors with a token submit bots to this league.")] = False,
    play: Annotated[bool, typer.Option("--play", help="Play this league in the background.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="With --play: matches played at a time.")] = None,
    hours: Annotated[str | None, typer.Option(metavar="HOURS", help="With --play: when, as 22:00-06:00 in local time.")] = None,
    executor: Annotated[str, typer.Option(help="With --play: where matches are played, as `arena league run` takes it.")] = "local",
    public: Public = "",
    upload_mib: Annotated[int, typer.Option(min=1, max=1024, help="With --submit: the largest file.")] = 8,
    an_hour: Annotated[int, typer.Option(min=1, max=1000, help="With --submit: files of an author in an hour.")] = 12,
    waiting: Annotated[int, typer.Option(min=1, max=100, help="With --submit: files of an author in the queue.")] = 3,
    disk_mib: Annotated[int, typer.Option(min=1, max=MOST_MIB, help="With --submit: what all bots may take on the disk.")] = 2048,
    free_mib: Annotated[
        int, typer.Option(min=0, max=MOST_MIB, help="Play and submissions pause while less is free on disk.")
    ] = 256,
) -> None:
    """Show runs or a league in a browser on this machine, live: standings, matches, every hand. Ctrl-C ends it.

    Example: arena serve results --port 8000

    It only shows them, unless --submit or --play make it the host of a league: arena serve friday --submit --play.
    `arena docs hosting` says how.
    """
    if not results_dir.is_dir():
        found = "not a folder" if results_dir.exists() else "no such folder"
        raise InputError(f"{results_dir}: {found}; expected one that holds runs, as results")
    if not play and (any(given is not None for given in (workers, hours)) or executor != "local"):
        raise InputError("--workers, --hours and --executor say how a league is played; expected --play with them")
    limits = UploadLimits(size=upload_mib * MIB, an_hour=an_hour, waiting=waiting, stored=disk_mib * MIB, free=free_mib * MIB)
    if not submit and replace(limits, free=UploadLimits().free) != UploadLimits():
        raise InputError("--upload-mib, --an-hour, --waiting and --disk-mib limit what authors send; expected --submit with them")
    if submit:
        needs.check(1)  # uploads are tested here
    if play:
        runner_of(executor, workers)  # raises an error for what is not there
    with needs_extra("web"):
        if not (submit or play or holds_league(results_dir)):
            _serve_runs(results_dir, port, public)
            return
        from arena.web.club.context import ClubTerms  # noqa: PLC0415 - the extra `web`, which may not be installed
        from arena.web.club.hosting import PlayTerms, parse_hours  # noqa: PLC0415 - likewise

        when = None if hours is None else parse_hours(hours)
        play_terms = PlayTerms(workers=workers, hours=when, executor=executor)
        club_terms = ClubTerms(submit=submit, public=public, limits=limits, play=play_terms if play else None)
        _serve_league(results_dir, port, club_terms)


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
