"""Writes a copy of a league that a web server can publish: its table as a page and as JSON, and its records.

The database in it has no secret: it reveals the seeds of closed rounds, and those of later rounds are in a file that is not copied.
It ends before the round that is open, whose hands a bot with network access could otherwise read before it plays their other leg.
"""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from msgspec.json import format

from arena.errors import StoreError
from arena.league.events import Auditioned, Moment, RoundOpened, Suspended, decode
from arena.league.rounds import calendar, round_of
from arena.league.table import describe_to_all
from arena.printable import json_text
from arena.reports.league_page import league_page
from arena.runs.leagues import folder as leagues
from arena.runs.leagues import shown
from arena.runs.leagues.folder import SPEC
from arena.runs.leagues.places import without_places
from arena.runs.leagues.shown import LeagueReport
from arena.runs.reviews import kept
from arena.store.folder import DATABASE, Folder
from arena.store.store import Store

FILES = {"index.html", "table.json", "bots", DATABASE, SPEC, kept.NAME}  # beside the files of reports


def export(path: Path, out: Path, at: Moment, since: Moment) -> LeagueReport:
    """Write a league to a folder, which may hold an earlier copy, and return its report. Raises: StoreError, SpecError."""
    with leagues.opened(path) as league:
        reports = [renderer.file for renderer in league.spec.reports if renderer.file]
        target = _target(out, FILES | set(reports))
        history = leagues.history(league.folder, league.store).closed()
        report = shown.report_on(league, history, at, since, describe_to_all)
        _copy_database(league, target)
        kept.copy(league.folder, target, lambda fixture: round_of(fixture) <= report.rounds)
        target.write(SPEC, league.spec.text)
        target.write("table.json", format(json_text(report.now.rows), indent=2) + "\n")
        target.write("index.html", _page(report, reports))
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


def _target(out: Path, files: Collection[str]) -> Folder:
    """Return the folder to write to. Raises: StoreError, if it holds anything but an earlier copy."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        foreign = sorted(path.name for path in out.iterdir() if path.name not in files)
    except OSError as error:
        raise StoreError(f"{out}: cannot be written: {error.strerror}") from None
    if foreign:
        raise StoreError(f"{out}: holds {foreign[0]!r}; expected a new or empty folder, or an earlier copy of the league")
    return Folder(out)


def _copy_database(league: leagues.League, target: Folder) -> None:
    draft = target.path / f".{DATABASE}.new"
    draft.unlink(missing_ok=True)
    league.store.copy(draft)
    with Store(draft, write=True) as copy:
        events = list(map(decode, copy.events()))
        if calendar(events).current:
            copy.cut(max(number for number, event in enumerate(events) if isinstance(event, RoundOpened)))
    draft.replace(target.database)


def _page(report: LeagueReport, files: Sequence[str]) -> str:
    progress = report.progress + (f". {report.now.leader}" if report.now.leader else "")
    return league_page(shown.text_table(report), progress, report.at, report.since, report.changes, report.now.notes, files)
