"""The answer of a run that was stopped, without the rest of its report."""

from arena.reports.report_builder import ReportBuilder
from arena.results.publish import about_of, shown_records
from arena.runs.stored_kinds import KIND, open_stored
from arena.store.folder import Folder

READ_AT_ONCE = 5_000  # records that are read within a second or two, as a command ends


def answer_so_far(folder: Folder) -> list[str]:
    """Return the answer of a tournament or comparison that was stopped, as sentences; none where reading it would take long.

    Raises: StoreError.
    """
    with open_stored(folder) as (store, run):
        if KIND in run.facts or store.count() > READ_AT_ONCE:
            return []
        known, builder, rating = about_of(folder, store, run), ReportBuilder(), run.spec.rating
        for place, record in shown_records(store, run):
            builder.add(record, place)
        records = store.records()
        ratings = rating.rate_scheduled(records, run.names) if known.scheduled else rating.rate(records)
        return builder.report(known, ratings).answer.statements
