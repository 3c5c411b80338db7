"""The runs that the command makes."""

from collections.abc import Generator, Sequence

from arena.runs.stored import RecordedRun
from arena.tournament.completeness import Completeness


class MyPart(RecordedRun, frozen=True, kw_only=True):
    """A bot that played against itself. What is not overridden is as in a run that arena did not arrange."""

    def differences(self, complete: Completeness) -> Generator[str, None, Sequence[str]]:
        """Yield the differences of every run; return its remarks, which ``arena verify`` prints, with one more."""
        remarks = yield from super().differences(complete)
        return [*remarks, f"my-part: {' and '.join(self.names)} are one bot"]
