"""What a league reports while it is played."""

from arena.league.events import RoundOpened, SeasonOpened, Suspended
from arena.records import MatchRecord


class LeagueObserver:
    """Receives what happens in a league; every method may be overridden, and does nothing by default."""

    def warning(self, text: str) -> None:
        """Receive what the user should know before trusting the results."""

    def season(self, opened: SeasonOpened) -> None:
        """Receive a season that has just been opened."""

    def round(self, opened: RoundOpened, left: int) -> None:
        """Receive a round that is going to be played, and how many of its matches are left."""

    def recorded(self, record: MatchRecord) -> None:
        """Receive a record that has just been stored."""

    def suspended(self, event: Suspended) -> None:
        """Receive a bot that has just been suspended."""
