"""``arena cite``: a result, and what it takes to check it."""

from arena.cli.lines import print_json
from arena.cli.options import RunDir
from arena.errors import StoreError
from arena.league.folder import holds_league
from arena.reports.citation import cite as citation
from arena.results.publish import report_of
from arena.results.stored import stored_run
from arena.runs.plans import kinds
from arena.store.folder import existing
from arena.store.store import Store


def cite(run_dir: RunDir) -> None:
    """Print the result of a run as one small JSON document: the verdict, the bots by digest, the rules, the seed and the link.

    Example: arena cite results/quickstart-2026-01-31 > result.json

    `arena verify RUN --expect FILE` checks a run against it, and with --replay has the bots play every match again. The link covers
    every record, so a run in which anything else happened has another one.
    """
    folder = existing(run_dir)
    if holds_league(folder.path):
        raise StoreError(f"{folder.path}: holds a league; expected a run; `arena league export` publishes a league")
    with Store(folder.database) as store:
        field = stored_run(folder, store, kinds()).field
    print_json("citation", citation(report_of(folder), field, str(folder.path)))
