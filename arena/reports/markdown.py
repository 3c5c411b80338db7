"""The report as Markdown, for a repository or a web page."""

from typing import ClassVar

from arena.printable import in_one_line
from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.reports.second_legs import describe_all
from arena.reports.sections import Drawing, sections
from arena.reports.tables import TextTable, caveats, heading, isolation_line, opening, provenance_lines

ESCAPES = str.maketrans({**{sign: f"\\{sign}" for sign in "\\|`*_[]~$"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"})


class Markdown(Renderer, frozen=True, kw_only=True, tag="markdown"):
    """``report.md``: the same tables as on the console."""

    file: ClassVar[str | None] = "report.md"

    def render(self, report: Report) -> str:
        """Return the Markdown."""
        parts = [f"# {_escaped(report.title)}", "\n".join(f"{_escaped(line)}\\" for line in opening(report)).removesuffix("\\")]
        parts += [f"{_escaped(heading(report))}; {_escaped(isolation_line(report))}."]
        parts += [f"## {_escaped(section.title)}\n\n{_text(section)}" for section in sections(report)]
        lines = [*caveats(report), describe_all(report.second_legs)]
        parts.append("\n".join(f"- {_escaped(line)}" for line in lines))
        parts.append("## Provenance\n\n" + "\n".join(f"- {_escaped(line)}" for line in provenance_lines(report)))
        return "\n\n".join(parts) + "\n"


def _text(section: TextTable | Drawing) -> str:
    """Return a section; a drawing is code by its indentation, which no line of it can end."""
    if isinstance(section, Drawing):
        return "\n".join(f"    {in_one_line(line)}".rstrip() for line in section.lines)
    return _table(section)


def _table(table: TextTable) -> str:
    rule = [":--" if number in table.left else "--:" for number in range(len(table.headings))]
    rows = [table.headings, rule, *table.rows]
    text = "\n".join("| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows)
    return f"{text}\n\n{_escaped(table.note)}" if table.note else text


def _escaped(text: str) -> str:
    """Return text in one line, with everything escaped that Markdown would read as markup, HTML or a link.

    Source: GitHub Flavored Markdown, 6.9: a bare address begins with a scheme and ``://``, or with ``www.``.
    """
    return in_one_line(text).translate(ESCAPES).replace("://", r":\//").replace("www.", r"www\.")
