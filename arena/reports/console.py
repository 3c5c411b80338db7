"""The report for a terminal."""

from io import StringIO
from typing import TYPE_CHECKING

from arena.printable import in_one_line
from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.reports.second_legs import describe_all
from arena.reports.sections import Drawing, sections
from arena.reports.tables import TextTable, caveats, heading, isolation_line, opening

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable


class ConsoleText(Renderer, frozen=True, kw_only=True, tag="console"):
    """Tables as wide as the terminal; 80 columns are enough for most."""

    def render(self, report: Report) -> str:
        """Return the text, without colour."""
        from rich.console import Console

        out = StringIO()
        console = Console(file=out, color_system=None, highlight=False, emoji=False, markup=False)
        for line in opening(report):
            console.print(in_one_line(line))
        console.print()
        for section in sections(report):
            _print(console, section)
        for line in caveats(report):
            console.print(in_one_line(line), soft_wrap=True)
        console.print(in_one_line(describe_all(report.second_legs)), soft_wrap=True)
        console.print(in_one_line(heading(report)))
        console.print(in_one_line(f"seed {report.provenance.get('seed', '')}; {isolation_line(report)}"), soft_wrap=True)
        console.print(in_one_line(f"link {report.provenance.get('link', '')}"), soft_wrap=True)
        return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _print(console: "Console", section: TextTable | Drawing) -> None:
    if isinstance(section, Drawing):
        lines = [section.title, "", *section.lines, ""]
        console.print("\n".join(map(in_one_line, lines)), soft_wrap=True)
        return
    console.print(_rich_table(section))
    if section.note:
        console.print(in_one_line(section.note))
        console.print()


def _rich_table(table: TextTable) -> "RichTable":
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(title=table.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, padding=0)
    for number, name in enumerate(table.headings):
        shown.add_column(Text(in_one_line(name)), justify="left" if number in table.left else "right", overflow="fold")
    for row in table.rows:
        shown.add_row(*(Text(in_one_line(cell)) for cell in row))
    return shown
