"""A report as text: for a terminal, and as Markdown, CSV and JSON."""

import csv
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from math import isfinite
from typing import TYPE_CHECKING, ClassVar

from msgspec import json
from msgspec.structs import replace

from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.reports.tables import Drawing, TextTable, heading, isolation_line, opening, provenance_lines, remarks, sections
from arena.stats.estimate import Estimate
from arena.stats.estimates import Strength, rank_interval
from arena.stats.pairs import SecondLegs
from arena.stats.standings import Column, Details, PlaceTable, Standing, ranks
from arena.stats.tally import Tally
from arena.text import document_text, in_one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable


class ConsoleText(Renderer, frozen=True, kw_only=True, tag="console"):
    """Tables in the width of the terminal; one that is wider continues in blocks below."""

    def render(self, report: Report) -> str:
        """Return the text, without colour."""
        out, console = _plain_console()
        _print_answer(console, report)
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
    for number in range(len(names), len(widths)):
        columns = [*blocks[-1], number]
        breakable = texts if number in texts else ()  # texts are broken to make room for another text, not for a number
        needed = sum((min(widths[one], LEAST_TEXT) if one in breakable else widths[one]) + 1 for one in columns) + 1
        if needed > width and len(blocks[-1]) > len(names):
            blocks.append(names[:])
        blocks[-1].append(number)
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


# The report as Markdown, for a repository or a web page.

ESCAPES = str.maketrans({**{sign: f"\\{sign}" for sign in "\\|`*_[]~$"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"})


class Markdown(Renderer, frozen=True, kw_only=True, tag="markdown"):
    """``report.md``: the same tables as on the console."""

    file: ClassVar[str | None] = "report.md"

    def render(self, report: Report) -> str:
        """Return the Markdown."""
        parts = [f"# {_escape(report.title)}", *map(_part, opening(report))]
        parts += [f"{_escape(heading(report))}; {_escape(isolation_line(report))}."]
        parts += [f"## {_escape(section.title)}\n\n{_part(section)}" for section in sections(report)]
        if lines := remarks(report):
            parts.append("\n".join(f"- {_escape(line)}" for line in lines))
        parts.append("## Provenance\n\n" + "\n".join(f"- {_escape(line)}" for line in provenance_lines(report)))
        return "\n\n".join(parts) + "\n"


def _part(part: str | TextTable | Drawing) -> str:
    """Return a line or section; a drawing is an indented code block, which none of its lines can end."""
    match part:
        case str():
            return _escape(part)
        case Drawing():
            return "\n".join(f"    {in_one_line(line)}".rstrip() for line in part.lines)
    rule = [":--" if number in part.left else "--:" for number in range(len(part.headings))]
    rows = [part.headings, rule, *part.rows]
    text = "\n".join("| " + " | ".join(_escape(cell) for cell in row) + " |" for row in rows)
    return f"{text}\n\n{_escape(part.note)}" if part.note else text


def _escape(text: str) -> str:
    """Return text in one line, with everything escaped that Markdown would read as markup, HTML or a link to a page.

    Source: GitHub Flavored Markdown, 6.9: a bare address begins with a scheme and ``://``, or with ``www.``. E-mail
    addresses, which it links too, are left.
    """
    return in_one_line(text).translate(ESCAPES).replace("://", r":\//").replace("www.", r"www\.")


# The standings as CSV, for a spreadsheet.

Cell = str | int | float | None

FORMULA_STARTS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four are full-width forms of the first

COLUMNS: dict[str, Callable[[Standing], Cell]] = {
    "rank": lambda row: row.rank,
    "bot": lambda row: row.entrant,
    "matches_won": lambda row: row.counts.matches_won,
    "matches_lost": lambda row: row.counts.matches_lost,
    "matches_drawn": lambda row: row.counts.matches_drawn,
    "pairs_won": lambda row: row.counts.pairs_won,
    "pairs_drawn": lambda row: row.counts.pairs_drawn,
    "pairs_lost": lambda row: row.counts.pairs_lost,
    "games_won": lambda row: row.counts.games_won,
    "games_lost": lambda row: row.counts.games_lost,
    "points_for": lambda row: row.counts.points_for,
    "points_against": lambda row: row.counts.points_against,
    "points_a_hand": lambda row: row.counts.points_a_hand,
    "hands": lambda row: row.counts.hands,
    "gins": lambda row: row.counts.gins,
    "big_gins": lambda row: row.counts.big_gins,
    "knocks": lambda row: row.counts.knocks,
    "undercuts": lambda row: row.counts.undercuts,
    "dead": lambda row: row.counts.dead,
    "faults": lambda row: row.counts.faults.total,
    "forfeits": lambda row: row.counts.forfeits,
    "decisions": lambda row: row.counts.decisions,
    "cpu_a_decision": lambda row: row.counts.cpu_a_decision,
    "rating": lambda row: None if row.rating is None or row.rating.one_sided else row.rating.value,
    "rating_low": lambda row: _finite(row.rating.low if row.rating else None),
    "rating_high": lambda row: _finite(row.rating.high if row.rating else None),
}

STRENGTH_COLUMNS: dict[str, Callable[[Standing, Strength | None], Cell]] = {
    "points_rating": lambda _, known: None if known is None else known.points.value,
    "points_rating_low": lambda _, known: None if known is None else known.points.low,
    "points_rating_high": lambda _, known: None if known is None else known.points.high,
    "chance_of_first": lambda row, _: row.rating.ranks[0] if row.rating and row.rating.ranks else None,
    "chance_of_first_from": lambda row, _: row.rating.first[0] if row.rating and row.rating.first else None,
    "chance_of_first_to": lambda row, _: row.rating.first[1] if row.rating and row.rating.first else None,
    "rank_from": lambda row, _: None if (ranks := _ranks(row)) is None else ranks[0],
    "rank_to": lambda row, _: None if (ranks := _ranks(row)) is None else ranks[1],
    "note": lambda row, _: None if row.rating is None else row.rating.note or None,
}

SECOND_LEGS_COLUMNS: dict[str, Callable[[SecondLegs], Cell]] = {
    "second_legs_gain": lambda found: found.gain,
    "second_legs_evidence": lambda found: found.evidence,
}


class CsvFile(Renderer, frozen=True, kw_only=True, tag="csv"):
    """``standings.csv``: a line of headings and a row for each entrant; times in seconds."""

    file: ClassVar[str | None] = "standings.csv"

    def render(self, report: Report) -> str:
        """Return the rows in the order of rank."""
        out = StringIO()
        rows = csv.writer(out, lineterminator="\n")
        if report.is_unconfined:
            rows.writerows(_unconfined_rows(report))
            return out.getvalue()
        rows.writerow([*COLUMNS, *STRENGTH_COLUMNS, *SECOND_LEGS_COLUMNS])
        known = report.strengths.entrants if report.strengths else {}
        for row in report.standings:
            counts = [value(row) for value in COLUMNS.values()]
            strength = [value(row, known.get(row.entrant)) for value in STRENGTH_COLUMNS.values()]
            gained = report.second_legs.get(row.entrant)
            found = [None if gained is None else value(gained) for value in SECOND_LEGS_COLUMNS.values()]
            rows.writerow(map(safe_cell, [*counts, *strength, *found]))
        return out.getvalue()


def _finite(number: float | None) -> float | None:
    return number if number is not None and isfinite(number) else None


def _ranks(row: Standing) -> tuple[int, int] | None:
    return rank_interval(row.rating.ranks) if row.rating else None


def _unconfined_rows(report: Report) -> Iterator[Sequence[Cell]]:
    """Yield headings and rows for bots that play from elsewhere; before the first game, only the headings that never change."""
    (table,) = (report.details or Details()).tables or [PlaceTable(title="", places=[], columns=[])]
    faults = {row.entrant: row.counts.faults.total for row in report.standings}
    yield ["#", "bot", *(column.name for column in table.columns), "faults"]
    for rank, name in ranks(table.places):
        yield [rank, safe_cell(name), *(_cell(column, name) for column in table.columns), faults[name]]


def _cell(column: Column, name: str) -> Cell:
    return column.numbers.get(name, safe_cell(column.cells[name]))


def safe_cell(cell: Cell) -> Cell:
    """Return a cell with text made printable, in one line, and not executable as a formula.

    Source: OWASP, CSV Injection. It also names tabs and carriage returns; ``in_one_line`` has escaped them.
    """
    if not isinstance(cell, str):
        return cell
    text = in_one_line(cell)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


# The report as JSON, for programs.


class JsonFile(Renderer, frozen=True, kw_only=True, tag="json"):
    """``results.json``: every number of the report in one JSON document; matches and hands are in the database.

    Its schema is that of ``arena report --json``: ``arena schema report``.
    For more than 250 entrants it leaves out what grows with their square: the numbers of each pair, and the chance of each rank.
    """

    file: ClassVar[str | None] = "results.json"

    def render(self, report: Report) -> str:
        """Return the document; NaN and infinity become null."""
        shown = report if report.has_cross_table else _without_pairs(report)
        return json.format(document_text("report", replace(shown, results=[], played=[])), indent=2) + "\n"


def _without_pairs(report: Report) -> Report:
    """Return a report without the numbers that grow with the square of the field."""

    def short(estimate: Estimate) -> Estimate:
        return replace(estimate, ranks=())

    rows = [row if row.rating is None else replace(row, rating=short(row.rating)) for row in report.standings]
    known = report.strengths
    if known:
        known = replace(known, entrants={name: replace(one, points=short(one.points)) for name, one in known.entrants.items()})
    return replace(report, standings=rows, strengths=known, tally=Tally({}))
