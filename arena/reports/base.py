"""The base class of renderers. A report is a value, a renderer turns it into text, and the caller writes that text."""

from typing import ClassVar

from msgspec import Struct

from arena.reports.report import Report


class Renderer(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Fields are the options in a spec; the docstring is shown as help."""

    file: ClassVar[str | None] = None  # its name in the run's folder; None: the text is printed on the terminal

    def render(self, report: Report) -> str:
        """Return the report as text."""
        raise NotImplementedError
