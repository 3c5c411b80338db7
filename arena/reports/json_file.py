"""The report for programs."""

from typing import ClassVar

from arena.reports.base import Renderer
from arena.reports.report import Report


class JsonFile(Renderer, frozen=True, kw_only=True, tag="json"):
    """``results.json``: every number of the report, as one JSON document; matches and hands are in the database."""

    file: ClassVar[str | None] = "results.json"

    def render(self, report: Report) -> str:
        """Return the document; a number that does not exist is null."""
        from msgspec.json import encode, format
        from msgspec.structs import replace

        return format(encode(replace(report, results=[], played=[])), indent=2).decode() + "\n"
