"""What the play of a league tells its callbacks."""

from arena.league.rules.events import RoundOpened, SeasonOpened, Suspended
from arena.records import MatchRecord


class LeagueObserver:
    """Callbacks of a league that is played; each does nothing by default."""

    def warning(self, text: str) -> None:
        """Receive a warning about the sandbox or the executor."""

    def season(self, opened: SeasonOpened) -> None:
        """Receive a season that has just been opened."""

    def round(self, opened: RoundOpened, left: int) -> None:
        """Receive a round that will be played, and the number of its matches that are left."""

    def record(self, record: MatchRecord) -> None:
        """Receive a record that has just been stored."""

    def suspension(self, event: Suspended) -> None:
        """Receive a bot that has just been suspended."""
