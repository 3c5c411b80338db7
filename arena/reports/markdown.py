"""The report as Markdown, for a repository or a web page."""

from typing import ClassVar

from arena.reports.base import Renderer
from arena.reports.report import Report
from arena.reports.sections import sections
from arena.reports.tables import heading, isolation_line, numbers_behind, opening, provenance_lines, remarks
from arena.reports.text_table import Drawing, TextTable
from arena.text import in_one_line

ESCAPES = str.maketrans({**{sign: f"\\{sign}" for sign in "\\|`*_[]~$"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"})


class Markdown(Renderer, frozen=True, kw_only=True, tag="markdown"):
    """``report.md``: the same tables as on the console."""

    file: ClassVar[str | None] = "report.md"

    def render(self, report: Report) -> str:
        """Return the Markdown."""
        parts = [f"# {_escape(report.title)}", *map(_part, [*opening(report), *numbers_behind(report)])]
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
