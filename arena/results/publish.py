"""Writes the reports of a run."""

import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from arena import publishing
from arena.errors import InputError
from arena.records import MatchRecord
from arena.reports.picture import png, svg
from arena.reports.report import Report, about, make
from arena.reports.second_legs import flags
from arena.reports.text import JsonFile
from arena.reports.verdict import describe
from arena.results import evidence
from arena.results.stored import StoredRun, played_by, stored_run
from arena.runs import review_cache
from arena.runs.plans import kinds
from arena.runs.play import OpenRun
from arena.runs.session import earlier_of_run
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.formats.base import details, plays_batches
from arena.tournament.spec import Spec


def publish(folder: Folder, store: Store, run: StoredRun, *, as_json: bool = False) -> str:
    """Write the report files that the spec names; return the reports for the terminal, or the JSON document. Raises: StoreError."""
    report = _report(folder, store, run)
    shown = _write(folder, report, run.spec)
    if as_json:
        return JsonFile().render(report).removesuffix("\n")
    return "\n".join([*shown, "", _last_line(folder, run.spec)])


def publish_comparison(folder: Folder) -> list[str]:
    """Write the report files of a duel or gauntlet, and return a few lines for the terminal. Raises: StoreError."""
    with Store(folder.database) as store:
        run = stored_run(folder, store, kinds())
        report = _report(folder, store, run)
    _write(folder, report, run.spec)
    found = describe(report.comparison) if report.comparison else ()
    return [*found, *flags(report.second_legs), *filter(None, [report.answer.advice]), _last_line(folder, run.spec)]


def rewritten(folder: Folder) -> str:
    """Write the report files of a run again, and return a line that names them. Raises: StoreError."""
    with Store(folder.database) as store:
        run = stored_run(folder, store, kinds())
        _write(folder, _report(folder, store, run), run.spec)
    return _last_line(folder, run.spec)


def _last_line(folder: Folder, spec: Spec) -> str:
    """Return which files were written, and the command that shows what was played."""
    files = [renderer.file for renderer in spec.reports if renderer.file]
    written = f"Written to {folder.path}: {', '.join(files)}. " if files else ""
    return f"{written}Every hand: arena replay {shlex.quote(str(folder.path))}"


def _write(folder: Folder, report: Report, spec: Spec) -> list[str]:
    """Write the reports of a spec that are files, and return the others, for the terminal. Raises: StoreError."""
    texts = [(renderer.file, renderer.render(report)) for renderer in spec.reports]
    publishing.write_together(folder.path, {file: text for file, text in texts if file})
    return [text for file, text in texts if file is None]


def write_reports(run: OpenRun, *, as_json: bool = False) -> str:
    """Write the report files of a run that was played; return as ``publish``. Raises: StoreError."""
    return publish(run.folder, run.store, played_by(run.plan.spec, run.store), as_json=as_json)


def draw(folder: Folder, to: Path) -> None:
    """Write the answer of a run as a picture, SVG or PNG by the name of the file. Raises: InputError, StoreError."""
    if to.suffix not in (".svg", ".png"):
        raise InputError(f"{to}: expected a name that ends in .svg or .png")
    report = report_of(folder)
    picture = svg(report.title, report.answer)
    publishing.write(to, png(picture) if to.suffix == ".png" else picture.encode())


def report_of(folder: Folder) -> Report:
    """Return the report of a stored run. Raises: StoreError."""
    with Store(folder.database) as store:
        return _report(folder, store, stored_run(folder, store, kinds()))


def _report(folder: Folder, store: Store, run: StoredRun) -> Report:
    spec, results = run.spec, cache(store.results)
    ranked, shown = run.places(results), details(spec.format, run.names, results)
    compared = evidence.report(spec, run.names, lambda: [*earlier_of_run(folder, run.facts).results, *results()])
    on_file = review_cache.read_kept(folder, run.facts["commitment"])
    known = about(
        store,
        run.facts,
        run.shown,
        spec.rules,
        spec.rating,
        spec.sandbox,
        plays_batches(spec.format, run.names),
        run.coin_decides,
        ranked,
        shown,
        compared,
        on_file,
    )
    return make(_shown_records(store, run), store.record, known, spec.rating, run.seed_of)


def _shown_records(store: Store, run: StoredRun) -> Iterator[tuple[int, MatchRecord]]:
    """Yield the records between entrants that the report shows, with their places in the order of play."""
    names = {entrant.name for entrant in run.shown}
    return ((place, record) for place, record in store.in_order() if names.issuperset(record.fixture.seats))
