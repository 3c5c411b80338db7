"""The clock of a seat that plays from elsewhere: wall time with an increment, less the lag of the connection and time away.

Pure: it reads no clock; its caller measures how long everything took.
"""

from msgspec import Struct
from msgspec.structs import replace


class ClockTerms(Struct, frozen=True, kw_only=True):
    """The time of a seat in a game, in seconds."""

    seconds: float = 60.0  # to think, at the beginning
    increment: float = 2.0  # added after each answer
    lag: float = 1.0  # the most of the connection's lag that is subtracted from the time of an answer
    away: float = 60.0  # that a seat may be without a connection while questions are open, in all


class Elapsed(Struct, frozen=True, kw_only=True):
    """The time since a question was asked, in seconds."""

    wall: float
    away: float = 0.0  # of ``wall``, without a connection
    lag: float = 0.0  # from the question to its acknowledgement; 0: it was not acknowledged


class SeatClock(Struct, frozen=True):
    """The time that a seat has left."""

    terms: ClockTerms
    left: float  # seconds to think
    away: float  # seconds that it may be without a connection

    @staticmethod
    def start(terms: ClockTerms) -> "SeatClock":
        """Return the clock at the beginning of a game."""
        return SeatClock(terms, terms.seconds, terms.away)

    def thinking_time(self, elapsed: Elapsed) -> float:
        """Return the seconds that are charged for an answer."""
        return max(0.0, elapsed.wall - elapsed.away - min(elapsed.lag, self.terms.lag))

    def remaining(self, elapsed: Elapsed, *, connected: bool) -> float:
        """Return the seconds until the open question is lost, if the connection stays as it is; 0 or less: it is lost."""
        return self.left - self.thinking_time(elapsed) if connected else self.away - elapsed.away

    def after_answer(self, elapsed: Elapsed) -> "SeatClock":
        """Return the clock after an answer."""
        left = max(0.0, self.left - self.thinking_time(elapsed))
        return replace(self, left=left + self.terms.increment, away=max(0.0, self.away - elapsed.away))

    def after_fault(self, elapsed: Elapsed) -> "SeatClock":
        """Return the clock after a question without an answer, with enough time to begin the next hand."""
        left = max(self.left - self.thinking_time(elapsed), self.terms.increment, 1.0)
        return replace(self, left=left, away=max(0.0, self.away - elapsed.away))
