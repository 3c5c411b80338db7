"""A report is a value; a renderer turns it into text, and a command writes that where it belongs."""

from typing import ClassVar

from msgspec import Struct

from arena.reports.report import Report


class Renderer(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """Its fields are its options in a spec, its docstring is its manual."""

    file: ClassVar[str | None] = None  # name in the folder of the run; None: the text is for the terminal

    def render(self, report: Report) -> str:
        """Return the text of a report."""
        raise NotImplementedError
