"""Writes the reports of a run or a comparison, and pictures of its answer."""

import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from arena import publishing
from arena.errors import InputError
from arena.records import MatchRecord
from arena.reports.answer_pictures import png, svg
from arena.reports.json_file import JsonFile
from arena.reports.report import About, Report
from arena.reports.report_builder import ReplayEach, make
from arena.reports.second_legs import second_leg_flags
from arena.reports.strip_lines import strip_lines
from arena.reports.text import ConsoleText, first_screen
from arena.reports.verdict import describe
from arena.results.comparison_evidence import comparison_report
from arena.results.headline import about
from arena.runs.compared_parts import earlier_of_run
from arena.runs.open_run import OpenRun
from arena.runs.stored import StoredRun
from arena.runs.stored_kinds import open_stored
from arena.store.folder import Folder
from arena.store.spec_revisions import in_force
from arena.store.store import Store
from arena.tournament.formats.base import details
from arena.tournament.spec import Spec


def publish(folder: Folder, store: Store, run: StoredRun, *, as_json: bool = False, brief: bool = False) -> str:
    """Write the report files that the spec names; return the other reports as text, or the JSON document. Raises: StoreError.

    ``brief``: of the report for a terminal the first screen alone.
    """
    report = _report(folder, store, run)
    shown = _write(folder, report, run.spec)
    if as_json:
        return JsonFile().render(report).removesuffix("\n")
    if brief and ConsoleText() in run.spec.reports:
        more = f"More: arena report {shlex.quote(str(folder.path))} --full"
        return "\n".join([first_screen(report), "", _last_line(folder, run.spec).replace(". Every hand:", "\nEvery hand:"), more])
    return "\n".join([*shown, "", _last_line(folder, run.spec)])


def publish_comparison(folder: Folder, width: int = 80) -> list[str]:
    """Write the report files of a duel or gauntlet, and return lines for a terminal of some ``width``. Raises: StoreError.

    They are the verdict, the difference on its axis, what would make it surer, and the numbers behind it.
    """
    with open_stored(folder) as (store, run):
        report = _report(folder, store, run)
    _write(folder, report, run.spec)
    found = [*describe(report.comparison)] if report.comparison else []
    said = [*found[:1], *([f"{report.answer.grown}."] if report.answer.grown else [])]
    advice = [*filter(None, [report.answer.advice])]
    drawn = ["", *strip_lines(report.answer, width), "", *advice, *[""] * len(advice)] if report.answer.strips else advice
    return [*said, *drawn, *found[1:], *second_leg_flags(report.second_legs), _last_line(folder, run.spec)]


def rewrite_reports(folder: Folder, each: ReplayEach = map) -> str:
    """Write the report files of a run again, and return a line that names them; ``each`` replays matches. Raises: StoreError."""
    with open_stored(folder) as (store, run):
        _write(folder, _report(folder, store, run, each), run.spec)
    return _last_line(folder, run.spec)


def _last_line(folder: Folder, spec: Spec) -> str:
    """Return the line that names the files written, and the command that shows every hand."""
    files = [renderer.file for renderer in spec.reports if renderer.file]
    written = f"Written to {folder.path}: {', '.join(files)}. " if files else ""
    return f"{written}Every hand: arena replay {shlex.quote(str(folder.path))}"


def _write(folder: Folder, report: Report, spec: Spec) -> list[str]:
    """Write the reports of a spec that are files, and return the others, for the terminal. Raises: StoreError."""
    texts = [(renderer.file, renderer.render(report)) for renderer in spec.reports]
    publishing.write_together(folder.path, {file: text for file, text in texts if file})
    return [text for file, text in texts if file is None]


def write_reports(run: OpenRun, *, as_json: bool = False, brief: bool = False) -> str:
    """Write the report files of a run that this process played; return as ``publish``. Raises: StoreError."""
    stored = StoredRun.of_terms(run.folder, run.store, in_force(run.store, run.store.begun_facts()), run.plan.spec)
    return publish(run.folder, run.store, stored, as_json=as_json, brief=brief)


def draw(folder: Folder, to: Path) -> None:
    """Write the answer of a run as a picture, SVG or PNG by the name of the file. Raises: InputError, StoreError."""
    if to.suffix not in (".svg", ".png"):
        raise InputError(f"{to}: expected a name that ends in .svg or .png")
    report = report_of(folder)
    picture = svg(report.title, report.answer)
    publishing.write(to, png(picture) if to.suffix == ".png" else picture.encode())


def report_of(folder: Folder) -> Report:
    """Return the report of a stored run. Raises: StoreError."""
    with open_stored(folder) as (store, run):
        return _report(folder, store, run)


def _report(folder: Folder, store: Store, run: StoredRun, each: ReplayEach = map) -> Report:
    known = about_of(folder, store, run)
    return make(shown_records(store, run), store.record, known, run.spec.rating, run.seed_of, each)


def about_of(folder: Folder, store: Store, run: StoredRun) -> About:
    """Return what the report of a run shows besides the records. Raises: StoreError."""
    spec, results = run.spec, cache(store.results)
    compared = comparison_report(spec, run.names, lambda: [*earlier_of_run(folder, run.facts).results, *results()])
    shown = details(spec.format, run.names, results)
    return about(folder, store, run, run.shown, run.places(results), shown, compared)


def shown_records(store: Store, run: StoredRun) -> Iterator[tuple[int, MatchRecord]]:
    """Yield the records between entrants that the report shows, with their places in the order of play."""
    names = {entrant.name for entrant in run.shown}
    return ((place, record) for place, record in store.in_order() if names.issuperset(record.fixture.seats))
