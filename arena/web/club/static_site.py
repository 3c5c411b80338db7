"""The static site of a league: what `arena league export` writes beside the table, for any web server.

A page for each bot, with its versions, rating curve, opponents and endings, and the reports that the spec names: ``report.html``
has the matches with replays of their hands. All of it is made from the exported database, which has nothing secret.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.errors import StoreError
from arena.reports.html_page import turn_link
from arena.reports.page import assets
from arena.reports.reviewed import ShownDecision
from arena.runs.parts import kinds
from arena.runs.publish import publish
from arena.runs.reviews import kept
from arena.runs.stored import stored_run
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store
from arena.web.club import reviewing, views
from arena.web.club.watch import LeagueSnapshot, LeagueWatch

BOTS = "bots"  # the folder of the bots' pages


def write(out: Path) -> int:
    """Write the pages for an exported league, and return how many bots have one. Raises: StoreError, SpecError."""
    try:
        with TemporaryDirectory(prefix="arena-site-") as scratch:  # reading a database leaves files beside it
            copy = Folder(Path(scratch))
            shutil.copyfile(out / DATABASE, copy.database)
            kept.copy(Folder(out), copy, lambda _: True)
            _copy_reports(copy, Folder(out))
            return _write_bots(copy.path, out / BOTS, has_report=(out / "report.html").exists())
    except OSError as error:
        raise StoreError(f"{error.filename or out}: cannot be written: {error.strerror}") from None


def _copy_reports(copy: Folder, out: Folder) -> None:
    """Write the reports that the spec names beside the copy of a database, and copy those that are files."""
    with Store(copy.database) as store:
        run = stored_run(copy, store, kinds())
        publish(copy, store, run)
    for name in filter(None, (renderer.file for renderer in run.spec.reports)):
        shutil.copyfile(copy.path / name, out.path / name)


def _write_bots(league: Path, pages: Path, *, has_report: bool) -> int:
    """Write a page for each bot, which links to turns in the report if there is one, and return how many there are."""
    watch = LeagueWatch(league, lambda _: None)
    snapshot = watch.read_once()
    pages.mkdir(exist_ok=True)
    names = dict.fromkeys(version.name for version in snapshot.field.versions)
    for name in names:
        Folder(pages).write(f"{name}.html", _page(snapshot, watch, name, _report_link if has_report else None))
    return len(names)


def _report_link(one: ShownDecision) -> str:
    return f"../report.html{turn_link(one)}"


def _page(snapshot: LeagueSnapshot, watch: LeagueWatch, name: str, link: Callable[[ShownDecision], str] | None) -> str:
    values = views.bot_values(snapshot, watch.tally(), watch.endings, name, own=False)
    shown = {"frame": "static_frame.html", "home": "../index.html", "linked": False, "title": snapshot.spec.title}
    shown |= {"review": reviewing.section(watch.path, snapshot, name), "turn_link": link}
    return assets.environment().get_template("club_bot.html").render(values, **shown)
