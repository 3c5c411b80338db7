"""A report of a run. In a spec: ``reports: [console, my-part]``."""

from typing import ClassVar

from arena.plugins.hookspecs import hookimpl
from arena.reports.base import Renderer
from arena.reports.report import Report


class MyPart(Renderer, frozen=True, kw_only=True, tag="my-part"):
    """The entrants by rank, in ``my-part.txt``."""

    file: ClassVar[str | None] = "my-part.txt"  # None: it is printed

    def render(self, report: Report) -> str:
        """Return a line for each entrant."""
        return "".join(f"{row.rank} {row.entrant}\n" for row in report.standings)


@hookimpl
def arena_reports() -> list[type[Renderer]]:
    """Return the renderer."""
    return [MyPart]
