"""The static site of a league: what `arena league export` writes beside the table, for any web server.

A page for each bot, with its versions, rating curve, opponents and endings, and the reports that the spec names: ``report.html``
has the matches with replays of their hands. All of it is made from the exported database, which has nothing secret.
"""

from collections.abc import Callable
from pathlib import Path

from arena.league.show import BOTS
from arena.reports.html_page import turn_link
from arena.reports.page import assets
from arena.reports.reviewed import ShownDecision
from arena.results.publish import publish
from arena.results.stored import stored_run
from arena.runs.plans import kinds
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web.club import public, views
from arena.web.club.watch import LeagueSnapshot, LeagueWatch


def write(out: Path) -> int:
    """Write the pages for an exported league, and return how many bots have one. Raises: StoreError, SpecError."""
    folder = Folder(out)
    with Store(folder.database) as store:
        publish(folder, store, stored_run(folder, store, kinds()))
    return _write_bots(out, out / BOTS, has_report=(out / "report.html").exists())


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
    shown |= {"review": public.section(watch.path, snapshot, name), "turn_link": link}
    return assets.environment().get_template("club_bot.html").render(values, **shown)
