"""Drills as stored runs."""

from collections.abc import Generator, Sequence

from arena.runs.stored import RecordedRun
from arena.tournament.completeness import Completeness


class Drill(RecordedRun, frozen=True, kw_only=True):
    """A bot that played against itself."""

    def differences(self, complete: Completeness) -> Generator[str, None, Sequence[str]]:
        """Yield those of every run; remark what a drill proves."""
        remarks = yield from super().differences(complete)
        return [*remarks, f"drill: {' and '.join(self.names)} are one bot"]
