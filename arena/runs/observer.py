"""What a run reports while it is played. A command shows it, a test keeps it, and most of it may be ignored."""

from collections.abc import Sequence

from arena.records import MatchRecord, Result
from arena.store.folder import Folder
from arena.tournament.plan import Plan


class Observer:
    """Receives what happens in a run; every method may be overridden, and does nothing by default."""

    def warning(self, text: str) -> None:
        """Receive what the user should know before trusting the results."""

    def begun(self, plan: Plan, folder: Folder) -> None:
        """Receive the plan with its seed, and where the run is stored, before the first bot starts."""

    def playing(self, workers: str, used_by_others: float) -> None:
        """Receive how many workers play and why, and how many cores other programs use, before the first match."""

    def already_over(self, played: int) -> None:
        """Receive the number of matches of a run that was played before: only its results are made again."""

    def asked(self, results: Sequence[Result]) -> None:
        """Receive all results whenever the format is asked for more fixtures."""

    def recorded(self, record: MatchRecord) -> None:
        """Receive a record that has just been stored."""

    def enough(self) -> bool:
        """Return whether to stop between two records; the run stays unfinished."""
        return False
