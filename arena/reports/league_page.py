"""The page of a league's table: one file that works offline."""

from collections.abc import Sequence

from arena.reports.tables import TextTable


def league_page(
    table: TextTable,
    progress: str,
    at: str,
    since: str,
    changes: Sequence[str],
    notes: Sequence[str],
    reports: Sequence[str],
    link: str,
) -> str:
    """Return the page; ``at`` and ``since`` are the moments of the table and of the one that it is compared with.

    ``reports`` are the files of reports to which it links; it links to ``bots/NAME.html`` too. ``link`` is the last of the chain.
    """
    from arena.reports.page import assets

    values = {
        "table": table,
        "progress": progress,
        "at": at,
        "since": since,
        "changes": changes,
        "notes": notes,
        "reports": reports,
        "link": link,
    }
    return assets.environment().get_template("league.html").render(values)
