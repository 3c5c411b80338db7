"""The report as JSON, for programs."""

from typing import ClassVar

from arena.printable import json_text
from arena.reports.base import Renderer
from arena.reports.report import Report


class JsonFile(Renderer, frozen=True, kw_only=True, tag="json"):
    """``results.json``: every number of the report in one JSON document; matches and hands are in the database."""

    file: ClassVar[str | None] = "results.json"

    def render(self, report: Report) -> str:
        """Return the document; NaN and infinity become null."""
        from msgspec.json import format
        from msgspec.structs import replace

        return format(json_text(replace(report, results=[], played=[])), indent=2) + "\n"
