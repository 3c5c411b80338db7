"""Writes a copy of a league that a web server can publish: its table as a page and as JSON, and its records.

The copied database has no secret: it has the seeds of closed rounds only; those of later rounds follow from a file that is not
copied. It ends before the open round, whose hands a bot with network access could otherwise read before it plays their other leg.

All pages are made from that database, so they show one moment, also if the league is played meanwhile. The copy is published as a
whole (:mod:`arena.publishing`).
"""

import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.json import format
from msgspec.structs import replace

from arena import publishing
from arena.league import leagues, pair_cache
from arena.league.leagues import SPEC
from arena.league.rules.event_words import describe_to_all
from arena.league.rules.events import SIDE_KINDS, RoundOpened, decode
from arena.league.rules.rounds import calendar, round_of
from arena.league.rules.side_matches import side_matches
from arena.league.show import LeagueReport, report_on, text_table
from arena.league.side_matches import run_folder
from arena.moments import Moment
from arena.reports.html_page import render
from arena.runs import review_cache
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store
from arena.text import json_text

BOTS = "bots"  # the folder of the bots' pages
PEOPLE_FILE = "people.json"
# beside the files of reports
FILES = {"index.html", "table.json", PEOPLE_FILE, DATABASE, SPEC, review_cache.SHOWN_FILE, leagues.EXPORTED}
# files that arena leaves in such a folder: beside a database that it reads, and drafts of a killed export
ORPHANS = re.compile(rf"{re.escape(DATABASE)}-(wal|shm|journal)|{pair_cache.RESULTS_CACHE}|\..+\.new(-wal|-shm|-journal)?")


def export(path: Path, out: Path, at: Moment, since: Moment, add_pages: Callable[[Path], object] = lambda _: None) -> LeagueReport:
    """Write a league to a folder, which may hold an earlier copy, and return its report.

    ``add_pages`` writes more pages into the folder that it is given, from the database in it. Raises: StoreError, SpecError.
    """
    with leagues.open_league(path) as league:
        reports = [renderer.file for renderer in league.spec.reports if renderer.file]
        with publishing.replacing(out, "an earlier copy of the league", lambda path: _is_own(path, reports)) as draft:
            target = Folder(draft)
            _copy_database(league, target)
            reports_of_events = _copy_runs(path, target)
            with suppress(FileNotFoundError):  # so that not all records are read; it does not count if it does not fit
                shutil.copyfile(path / pair_cache.RESULTS_CACHE, draft / pair_cache.RESULTS_CACHE)
            with leagues.open_league(draft) as copy:
                report = report_on(copy, leagues.history(target, copy.store), at, since, describe_to_all)
                last = copy.store.seen_link()
                seen = last and replace(last, at=at)  # as all of the export
            review_cache.copy(league.folder, target, lambda fixture: round_of(fixture) <= len(report.calendar.closed))
            target.write(SPEC, league.spec.text)
            target.write("table.json", format(json_text(report.now.rows), indent=2) + "\n")
            target.write(PEOPLE_FILE, format(json_text(report.now.people), indent=2) + "\n")
            target.write(leagues.EXPORTED, json_text(seen) + "\n")
            files, link = [*reports, *reports_of_events], seen.link if seen else ""
            target.write("index.html", render("league.html", report=report, table=text_table(report), files=files, link=link))
            add_pages(draft)
            (draft / pair_cache.RESULTS_CACHE).unlink(missing_ok=True)
    return report


def _is_own(path: Path, reports: Sequence[str]) -> bool:
    """Tell whether a file or folder is of an earlier copy."""
    if path.name == BOTS and path.is_dir():
        return all(page.suffix == ".html" or ORPHANS.fullmatch(page.name) for page in path.iterdir())
    if path.name in SIDE_KINDS and path.is_dir():
        return all((event / DATABASE).is_file() for event in path.iterdir())
    return path.name in FILES or path.name in reports or bool(ORPHANS.fullmatch(path.name))


def _copy_database(league: leagues.OpenLeague, target: Folder) -> None:
    league.store.copy(target.database)
    with Store(target.database, write=True, witnessed=False) as copy:
        events = list(map(decode, copy.events()))
        if calendar(events).current:
            copy.cut(max(number for number, event in enumerate(events) if isinstance(event, RoundOpened)))
        copy.into_one_file()


def _copy_runs(league: Path, target: Folder) -> list[str]:
    """Copy the runs beside the rounds that are over by the copied database; return their reports, as paths in the copy."""
    with Store(target.database) as copy:
        over = [one.opened for one in side_matches(leagues.events_of(copy)).values() if one.counts]
    for opened in over:
        run = run_folder(league, opened)
        if run.database.is_file():
            place = Folder(target.path / opened.run)
            place.path.mkdir(parents=True)
            with Store(run.database) as store:
                store.copy(place.database)
    reports = (f"{opened.run}/report.html" for opened in over)
    return [report for report in reports if (league / report).is_file()]
