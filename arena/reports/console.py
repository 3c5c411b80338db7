"""The report in a terminal."""

from io import StringIO
from typing import TYPE_CHECKING

from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.reports.tables import Table, caveats, heading, tables, walls

if TYPE_CHECKING:
    from rich.table import Table as Drawn


class ConsoleText(Renderer, frozen=True, kw_only=True, tag="console"):
    """Tables as wide as the terminal; 80 columns are enough for most."""

    def render(self, report: Report) -> str:
        """Return the text, without colour."""
        from rich.console import Console

        out = StringIO()
        console = Console(file=out, color_system=None, highlight=False, emoji=False, markup=False)
        for table in tables(report):
            console.print(_drawn(table))
        for line in caveats(report):
            console.print(line, soft_wrap=True)
        console.print(heading(report))
        console.print(f"seed {report.provenance.get('seed', '')}; {walls(report)}", soft_wrap=True)
        return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _drawn(table: Table) -> "Drawn":
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(title=table.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, padding=0)
    for number, name in enumerate(table.headings):
        drawn.add_column(Text(name), justify="left" if number in table.words else "right", overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(cell) for cell in row))
    return drawn
