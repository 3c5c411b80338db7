"""The static site of a league: what `arena league export` writes beside the table, for any web server.

A page for each bot, with its versions, rating curve, opponents and endings, and the reports that the specs of the league and
its events name: ``report.html`` has the matches with replays of their hands. All of it is made from the exported databases,
which have nothing secret.
"""

from collections.abc import Callable
from pathlib import Path

from arena.disk import make_folder
from arena.league.exported import BOTS
from arena.plugins.manager import installed_kinds
from arena.reports.html_page import render, turn_link
from arena.results.publish import publish
from arena.review.summary import ListedDecision
from arena.runs.stored_kinds import stored_run
from arena.store.folder import Folder
from arena.store.store import Store
from arena.web.club import shown_reviews, views
from arena.web.club.watch import LeagueSnapshot, LeagueWatch


def write(out: Path) -> int:
    """Write the pages for an exported league, and return how many bots have one. Raises: StoreError, SpecError."""
    folder = Folder(out)
    for run in (folder, *map(Folder, sorted((out / "events").glob("*")))):
        with Store(run.database) as store:
            publish(run, store, stored_run(run, store, installed_kinds()))
    link = _report_link if (out / "report.html").exists() else None
    snapshot, pages = LeagueWatch(out, lambda _: None).read_once(), Folder(out / BOTS)
    make_folder(out, BOTS)
    names = dict.fromkeys(version.name for version in snapshot.field.versions)
    for name in names:
        pages.write(f"{name}.html", _page(snapshot, out, name, link))
    return len(names)


def _report_link(one: ListedDecision) -> str:
    return f"../report.html{turn_link(one)}"


def _page(snapshot: LeagueSnapshot, out: Path, name: str, link: Callable[[ListedDecision], str] | None) -> str:
    values = views.bot_values(snapshot, name, own=False)
    shown = {"frame": "static_frame.html", "home": "../index.html", "linked": False, "title": snapshot.spec.title}
    shown |= {"review": shown_reviews.review_section(out, snapshot, name), "turn_link": link}
    return render("club_bot.html", **values, **shown)
