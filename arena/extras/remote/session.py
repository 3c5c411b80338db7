"""A session: the numbered frames between the server and a bot elsewhere, over any number of connections that come and go.

A frame is ``NUMBER LINE``. A client may also sign an answer, ``NUMBER:SIGNATURE LINE``, for which its question names the digest of
the answers before it, ``NUMBER:DIGEST LINE``, and acknowledge a frame, ``NUMBER``. The server's frames count from 1, and are kept
until the client is known to have received them, so that a reconnect loses nothing. An answer of the client has the number of its
question, so that none counts twice: a duplicate, a replay and a late answer have another number than the open question. Frames with
the number 0 are about the connection (*control frames*).

The clock of a seat is wall time with an increment, less the lag of the connection and time away.

Pure: its caller passes the time and the frames that have arrived.
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.json import decode, encode
from msgspec.structs import replace

from arena.errors import MALFORMED
from arena.roster.entrant import Name

LONGEST_FRAME = 4096  # characters, from a client
FRAMES_A_SECOND = 200.0
FRAMES_AT_ONCE = 400.0
MOST_KEPT = 1000  # frames; a seat is sent only a few between two of its answers, so none of them is lost
_FRAME = re.compile(r"(\d{1,9})(?::([\w-]{86}))?(?: (.*))?", re.ASCII | re.DOTALL)


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


class GivenAnswer(Struct, frozen=True):
    """A client's answer to the open question."""

    line: str
    signature: str  # base64url; empty: it is not signed
    elapsed: Elapsed


class WelcomeMessage(Struct, frozen=True, tag_field="type", tag="welcome"):
    """The first frame of a connection."""

    session: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]
    bot: Name


class WaitingMessage(Struct, frozen=True, tag_field="type", tag="waiting"):
    """The bot is in the lobby."""


class SeekGame(Struct, frozen=True):
    """The client asks for a game."""

    type: Literal["seek"]  # a field, which is required; a message without the tag of the only type would be accepted


class Dropped(Struct, frozen=True, tag_field="type", tag="dropped"):
    """A frame that does not count."""

    number: int
    why: str


class FloodError(Exception):
    """The other end sends too much: its connection is closed."""


class FrameRate:
    """Counts the frames of the other end, which may send a few at once and then no more than some a second."""

    def __init__(self, now: float) -> None:
        """Begin at a time, in seconds of a monotonic clock."""
        self._allowance = FRAMES_AT_ONCE
        self._last = now

    def count(self, now: float) -> None:
        """Count a frame. Raises: FloodError."""
        self._allowance = min(FRAMES_AT_ONCE, self._allowance + FRAMES_A_SECOND * (now - self._last)) - 1
        self._last = now
        if self._allowance < 0:
            raise FloodError(f"more than {FRAMES_A_SECOND:.0f} frames a second")


class Session:
    """The state of one bot's session. Times are seconds of a monotonic clock."""

    def __init__(self, bot: str, author: str, now: float) -> None:
        self.bot = bot
        self.author = author
        self.question: int | None = None  # the number of the open one
        self._sent = 0  # number of the last frame
        self._kept: deque[tuple[int, str]] = deque(maxlen=MOST_KEPT)  # frames that the client may not have received
        self._asked = now  # the time of the last question
        self._acknowledged: float | None = None  # the time at which the client acknowledged it
        self._away_since: float | None = now  # None: it is connected
        self._away = 0.0  # seconds without a connection since the open question was asked
        self._rate = FrameRate(now)

    @property
    def is_connected(self) -> bool:
        """Tell whether there is a connection."""
        return self._away_since is None

    def connect(self, received: int, now: float) -> None:
        """Note a connection of a client that has received the frames up to a number."""
        if self._away_since is not None:
            self._away += now - max(self._away_since, self._asked)
        self._away_since = None
        self._forget(received)

    def disconnect(self, now: float) -> None:
        """Note that the connection was lost."""
        if self._away_since is None:
            self._away_since = now

    def away(self, now: float) -> float:
        """Return the seconds since the connection was lost; 0: there is one."""
        return 0.0 if self._away_since is None else now - self._away_since

    def send(self, line: str, before: str = "") -> None:
        """Append a frame; ``before`` is the digest that it names, empty: none."""
        self._sent += 1
        self._kept.append((self._sent, f"{self._sent}{':' if before else ''}{before} {line}"))

    def ask(self, line: str, now: float, before: str = "") -> None:
        """Append a frame that is a question."""
        self.send(line, before)
        self.question, self._asked, self._acknowledged, self._away = self._sent, now, None, 0.0

    def withdraw(self) -> None:
        """Close the open question, if there is one, without an answer."""
        self.question = None

    def frames(self, after: int) -> Iterator[tuple[int, str]]:
        """Yield the frames after a number."""
        return ((number, text) for number, text in self._kept if number > after)

    def elapsed(self, now: float) -> Elapsed:
        """Return the time since the open question was asked."""
        away = self._away + (0.0 if self._away_since is None else now - max(self._away_since, self._asked))
        lag = 0.0 if self._acknowledged is None else self._acknowledged - self._asked
        return Elapsed(wall=now - self._asked, away=away, lag=lag)

    def receive(self, text: str, now: float) -> GivenAnswer | SeekGame | Dropped | None:
        """Return the meaning of a frame; None: the client has received a frame of the server. Raises: FloodError."""
        self._rate.count(now)
        if len(text) > LONGEST_FRAME:
            raise FloodError(f"a frame of more than {LONGEST_FRAME} characters")
        found = _FRAME.fullmatch(text)
        if found is None:
            return Dropped(0, "expected NUMBER LINE, NUMBER:SIGNATURE LINE or NUMBER")
        number, signature, line = int(found[1]), found[2] or "", found[3]
        if number == 0:
            return _read_control(line or "")
        if line is None:
            return self._acknowledge(number, now)
        if number != self.question:
            return Dropped(number, f"question {self.question} is open" if self.question else "no question is open")
        answer = GivenAnswer(line, signature, self.elapsed(now))
        self.question = None
        self._forget(number)
        return answer

    def _acknowledge(self, number: int, now: float) -> Dropped | None:
        if number > self._sent:
            return Dropped(number, f"the last frame was {self._sent}")
        if number == self.question and self._acknowledged is None:
            self._acknowledged = now
        self._forget(number)
        return None

    def _forget(self, received: int) -> None:
        while self._kept and self._kept[0][0] <= received:
            self._kept.popleft()


def _read_control(line: str) -> SeekGame | Dropped:
    try:
        return decode(line, type=SeekGame)
    except MALFORMED:
        return Dropped(0, 'expected {"type":"seek"}')


def control_frame(message: Struct) -> str:
    """Return a message about the connection as a frame."""
    return f"0 {encode(message).decode()}"
