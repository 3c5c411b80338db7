"""A report as text: for a terminal, and as Markdown, CSV and JSON."""

from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING

from msgspec.structs import replace

from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.reports.sections import sections
from arena.reports.tables import heading, isolation_line, numbers_behind, opening, remarks
from arena.reports.text_table import Drawing, TextTable
from arena.text import in_one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable


class ConsoleText(Renderer, frozen=True, kw_only=True, tag="console"):
    """Tables in the width of the terminal; one that is wider continues in blocks below."""

    def render(self, report: Report) -> str:
        """Return the text, without colour."""
        out, console = _plain_console()
        _print_answer(console, report)
        behind = numbers_behind(report)
        for line in (*behind, "") if behind else ():
            console.print(in_one_line(line))
        for section in sections(report, console.width):
            _print(console, section)
        for line in remarks(report):
            console.print(in_one_line(line))
        console.print(in_one_line(heading(report)))
        console.print(in_one_line(isolation_line(report)))
        console.print(in_one_line(f"seed {report.provenance.get('seed', '')}"), soft_wrap=True)
        console.print(in_one_line(f"link {report.provenance.get('link', '')}"), soft_wrap=True)
        return "\n".join(_lines(out))


def first_screen(report: Report) -> str:
    """Return what a person needs first: the answer, and the first drawing and table, without explanations."""
    out, console = _plain_console()
    _print_answer(console, report)
    shown = sections(report, console.width)
    if isinstance(shown[0], Drawing):
        _print(console, shown[0])
    for table in [one for one in shown if isinstance(one, TextTable)][:1]:
        _print(console, replace(table, note=""))
    console.print(in_one_line(heading(report)))
    if not report.isolation.isolated:
        console.print(in_one_line(isolation_line(report)))
    return "\n".join(_lines(out))


def _print_answer(console: "Console", report: Report) -> None:
    for part in opening(report, console.width):
        _print_opening(console, part, report.answer.command)
    console.print()


def table_lines(table: TextTable) -> list[str]:
    """Return a table as lines, as wide as the terminal."""
    out, console = _plain_console()
    _print(console, table)
    return _lines(out)


def _plain_console() -> tuple[StringIO, "Console"]:
    """Return a buffer, and a console without colour that writes to it."""
    from rich.console import Console

    out = StringIO()
    # in a notebook rich would show the text there and leave ``out`` empty
    return out, Console(file=out, color_system=None, highlight=False, emoji=False, markup=False, force_jupyter=False)


def _lines(out: StringIO) -> list[str]:
    return [line.rstrip() for line in out.getvalue().splitlines()]


def _print_opening(console: "Console", part: str | Drawing, command: str) -> None:
    """Print a part; a ``command`` at its end has a line of its own if both do not fit one, so that it can be copied."""
    if isinstance(part, Drawing):
        console.print("\n".join(["", *map(in_one_line, part.lines), ""]), soft_wrap=True)
    elif command and part.endswith(f": {command}") and len(part) > console.width:
        console.print(in_one_line(part.removesuffix(f" {command}")))
        console.print(in_one_line(f"  {command}"), soft_wrap=True)
    else:
        console.print(in_one_line(part))


def _print(console: "Console", section: TextTable | Drawing) -> None:
    if isinstance(section, Drawing):
        lines = [section.title, "", *section.lines, ""]
        console.print("\n".join(map(in_one_line, lines)), soft_wrap=True)
        return
    table = _printable(section)
    for number, columns in enumerate(_blocks(table, console.width)):
        title = f"{section.title}, continued".removeprefix(", ") if number else section.title
        console.print(_rich_table(table, columns, title, console.width))
    if section.note:
        console.print(in_one_line(section.note))
        console.print()


def _printable(table: TextTable) -> TextTable:
    """Return a table with each heading and cell safe and in one line."""
    rows = [tuple(map(in_one_line, row)) for row in table.rows]
    return TextTable(table.title, tuple(map(in_one_line, table.headings)), rows, table.left)


LEAST_TEXT = 8  # characters in a line of a text column
LEAST_BESIDE = 28  # characters beside long names: three text columns of LEAST_TEXT; in a narrow table half of its width


def _blocks(table: TextTable, width: int) -> list[list[int]]:
    """Return the numbers of the columns in blocks that fit ``width``; each block begins with the columns up to the names.

    The names are the first column that is aligned left. Later columns that are aligned left hold text, whose cells may be broken
    anywhere; so may names that leave too little room. Other cells are not broken; headings are, between words.
    """
    widths = [_width(table, number, width, broken=True) for number in range(len(table.headings))]
    texts = table.left[1:]
    names = list(range(table.left[0] + 1))
    blocks = [names[:]]

    def fits(columns: Sequence[int]) -> bool:
        breakable = texts if columns[-1] in texts else ()  # texts are broken to make room for another text, not for a number
        return sum((min(widths[one], LEAST_TEXT) if one in breakable else widths[one]) + 1 for one in columns) + 1 <= width

    for number in range(len(names), len(widths)):
        if not fits([*blocks[-1], number]) and len(blocks[-1]) > len(names):
            blocks.append(names[:])
        blocks[-1].append(number)
    if len(blocks) > 1 and len(blocks[-1]) == len(names) + 1 and len(blocks[-2]) > len(names) + 2:  # one column left for the last
        *_, moved = blocks[-2]
        if fits(wider := [*names, moved, blocks[-1][-1]]):
            blocks[-2:] = [blocks[-2][:-1], wider]
    return blocks


def _width(table: TextTable, number: int, most: int, *, broken: bool) -> int:
    """Return the width of a column in a table of ``most`` characters; ``broken``: its heading may be broken between words."""
    from rich.cells import cell_len

    heading = table.headings[number].split() if broken else [table.headings[number]]
    found = max(map(cell_len, [*heading, *(row[number] for row in table.rows)]))
    return min(found, max(most - LEAST_BESIDE, most // 2)) if number == table.left[0] else found


def _rich_table(table: TextTable, columns: Sequence[int], title: str, width: int) -> "RichTable":
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, padding=0)
    broken = sum(_width(table, number, width, broken=False) + 1 for number in columns) + 1 > width
    for number in columns:
        is_text = number in table.left and number != table.left[0]
        shown.add_column(
            Text(table.headings[number]),
            justify="left" if number in table.left else "right",
            overflow="fold",
            width=None if is_text else _width(table, number, width, broken=broken),
        )
    for row in table.rows:
        shown.add_row(*(Text(row[number]) for number in columns))
    return shown
