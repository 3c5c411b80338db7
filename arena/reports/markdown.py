"""The report as Markdown, to be kept beside code or pasted into a page."""

from typing import ClassVar

from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.reports.tables import Table, caveats, footing, heading, tables, walls


class Markdown(Renderer, frozen=True, kw_only=True, tag="markdown"):
    """``report.md``: the tables of the console."""

    file: ClassVar[str | None] = "report.md"

    def render(self, report: Report) -> str:
        """Return the Markdown."""
        parts = [f"# {_escaped(report.title)}", f"{_escaped(heading(report))}; {_escaped(walls(report))}."]
        parts += [f"## {table.title}\n\n{_drawn(table)}" for table in tables(report)]
        if said := caveats(report):
            parts.append("\n".join(f"- {_escaped(line)}" for line in said))
        parts.append("## Provenance\n\n" + "\n".join(f"- {_escaped(line)}" for line in footing(report)))
        return "\n\n".join(parts) + "\n"


def _drawn(table: Table) -> str:
    rule = [":--" if number in table.words else "--:" for number in range(len(table.headings))]
    rows = [table.headings, rule, *table.rows]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows)


def _escaped(text: str) -> str:
    """Return text in which nothing is taken for Markdown's own signs, and nothing for HTML."""
    for sign in "\\|`*_[]<>":
        text = text.replace(sign, f"\\{sign}" if sign not in "<>" else {"<": "&lt;", ">": "&gt;"}[sign])
    return text
