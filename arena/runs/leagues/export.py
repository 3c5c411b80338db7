"""Writes a copy of a league that a web server can publish: its table as a page and as JSON, and its records.

The database in it has no secret: it reveals the seeds of closed rounds, and those of later rounds are in a file that is not copied.
It ends before the round that is open, whose hands a bot with network access could otherwise read before it plays their other leg.

All pages are made from that database, so they show one moment, also if the league is played meanwhile. The copy is published as a
whole (:mod:`arena.publishing`).
"""

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.json import format

from arena import publishing
from arena.league.events import Auditioned, RoundOpened, Suspended, decode
from arena.league.rounds import calendar, round_of
from arena.league.table import describe_to_all
from arena.printable import json_text
from arena.reports.league_page import league_page
from arena.runs.leagues import folder as leagues
from arena.runs.leagues import results, shown
from arena.runs.leagues.folder import SPEC
from arena.runs.leagues.moments import Moment
from arena.runs.leagues.places import without_places
from arena.runs.leagues.shown import LeagueReport
from arena.runs.reviews import kept
from arena.runs.witnesses import EXPORTED
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store

BOTS = "bots"  # the folder of the bots' pages
FILES = {"index.html", "table.json", DATABASE, SPEC, kept.NAME, EXPORTED}  # beside the files of reports
# what arena itself leaves in such a folder: beside a database that it reads, and drafts of an export that was killed
LEFT = re.compile(rf"{re.escape(DATABASE)}-(wal|shm|journal)|{results.FILE}|\..+\.new(-wal|-shm|-journal)?")


def export(path: Path, out: Path, at: Moment, since: Moment, add_pages: Callable[[Path], object] = lambda _: None) -> LeagueReport:
    """Write a league to a folder, which may hold an earlier copy, and return its report.

    ``add_pages`` writes more pages into the folder that it is given, from the database in it. Raises: StoreError, SpecError.
    """
    with leagues.opened(path) as league:
        reports = [renderer.file for renderer in league.spec.reports if renderer.file]
        with publishing.replacing(out, "an earlier copy of the league", lambda path: _is_own(path, reports)) as draft:
            target = Folder(draft)
            _copy_database(league, target)
            with suppress(FileNotFoundError):  # so that not all records are read; it does not count if it does not fit
                shutil.copyfile(path / results.FILE, draft / results.FILE)
            with leagues.opened(draft) as copy:
                report = shown.report_on(copy, leagues.history(target, copy.store), at, since, describe_to_all)
                seen = copy.store.seen()
            kept.copy(league.folder, target, lambda fixture: round_of(fixture) <= report.rounds)
            target.write(SPEC, league.spec.text)
            target.write("table.json", format(json_text(report.now.rows), indent=2) + "\n")
            target.write(EXPORTED, json_text(seen) + "\n")
            target.write("index.html", _page(report, reports, seen.link if seen else ""))
            add_pages(draft)
            (draft / results.FILE).unlink(missing_ok=True)
    return report


def exposed(path: Path) -> Iterator[str]:
    """Yield which events name a folder of this machine in the database, whose chain does not let them be changed any more.

    Only events that were stored before reasons had two parts can. Raises: StoreError, SpecError.
    """
    with leagues.opened(path) as league:
        for event in leagues.events_of(league.store):
            if not isinstance(event, Suspended | Auditioned) or not isinstance(event.reason, str):
                continue
            if without_places(path, event.reason) != event.reason:
                yield f"{DATABASE}: an older arena has stored a reason of {event.version}, {event.at}, that names a folder of yours"


def _is_own(path: Path, reports: Sequence[str]) -> bool:
    """Return whether a file or folder is of an earlier copy."""
    if path.name == BOTS and path.is_dir():
        return all(page.suffix == ".html" or LEFT.fullmatch(page.name) for page in path.iterdir())
    return path.name in FILES or path.name in reports or bool(LEFT.fullmatch(path.name))


def _copy_database(league: leagues.League, target: Folder) -> None:
    league.store.copy(target.database)
    with Store(target.database, write=True, witnessed=False) as copy:
        events = list(map(decode, copy.events()))
        if calendar(events).current:
            copy.cut(max(number for number, event in enumerate(events) if isinstance(event, RoundOpened)))
        copy.into_one_file()


def _page(report: LeagueReport, files: Sequence[str], link: str) -> str:
    progress = report.progress + (f". {report.now.leader}" if report.now.leader else "")
    return league_page(shown.text_table(report), progress, report.at, report.since, report.changes, report.now.notes, files, link)
