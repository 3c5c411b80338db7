"""The report in a terminal."""

from io import StringIO

from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.reports.tables import Table, footing, heading, tables


class ConsoleText(Renderer, frozen=True, kw_only=True, tag="console"):
    """Tables drawn with lines, as wide as the terminal."""

    def render(self, report: Report) -> str:
        """Return the text, without colour."""
        from rich.console import Console

        out = Console(file=StringIO(), color_system=None, highlight=False, emoji=False, markup=False)
        out.print(heading(report))
        for table in tables(report):
            out.print()
            out.print(_drawn(table))
        out.print()
        for line in footing(report):
            out.print(line, style="dim")
        text = out.file.getvalue()  # type: ignore[attr-defined] - it is the StringIO above
        return str(text)


def _drawn(table: Table) -> object:
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(title=table.title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(table.headings):
        drawn.add_column(Text(name), justify="left" if number in table.words else "right", overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(cell) for cell in row))
    return drawn
