"""Plays a league in the background: the command `arena league run` in a process of its own, again and again.

The process takes the same lock as a command that is typed, so a league is never played twice at once. When play has to pause, the
process is ended by SIGTERM: its results are stored, and the round continues later. After this server is killed it stops likewise.
"""

import logging
import re
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.json import Decoder

from arena.errors import InputError
from arena.league.play import PlayedLeague
from arena.league.rules.events import NO_REASON, Reason
from arena.runs.background import BackgroundThread, EndedCommand

log = logging.getLogger(__name__)

WAITS = 3  # the exit code of a command that could not play now
FAILED = "play has failed; it is tried again"
SLICE = "10m"  # that a process plays
PAUSE = 1.0  # seconds between two looks
RETRY_AFTER = 20.0  # seconds after a process that could not play or had nothing to play, and after the first failure
DOUBLINGS = 4  # of RETRY_AFTER at most, one for each further failure in a row
GRACE = 20.0  # seconds from SIGTERM to SIGKILL: a match that is being played may have to be stored


class Hours(Struct, frozen=True):
    """Hours of the day in local time, with the first minute and without the last; they may pass midnight, as 22:00-06:00."""

    first: int  # minutes after midnight
    last: int  # minutes after midnight

    def contain(self, minute: int) -> bool:
        """Tell whether the hours contain a minute of the day."""
        if self.first <= self.last:
            return self.first <= minute < self.last
        return minute >= self.first or minute < self.last

    def __str__(self) -> str:
        return f"{self.first // 60:02}:{self.first % 60:02}-{self.last // 60:02}:{self.last % 60:02}"


class PlayTerms(Struct, frozen=True, kw_only=True):
    """What a server may use to play."""

    workers: int | None = None  # None: one for each core, or as many as the executor takes
    hours: Hours | None = None  # None: all day
    executor: str = "local"  # where the matches are played: a name, or one with options

    def options(self) -> list[str]:
        """Return the options of the command that plays."""
        given = {"--workers": self.workers, "--executor": self.executor if self.executor != "local" else ""}
        return [word for option, value in given.items() if value for word in (option, str(value))]


def parse_hours(text: str) -> Hours:
    """Return the hours in a text, as 22:00-06:00. Raises: InputError."""
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)", text, re.ASCII)
    if not found:
        raise InputError(f"--hours: found {text!r}; expected two times, as 22:00-06:00")
    first, last = int(found[1]) * 60 + int(found[2]), int(found[3]) * 60 + int(found[4])
    if first == last:
        raise InputError(f"--hours: found {text!r}; expected two different times")
    return Hours(first, last)


class Hosting(BackgroundThread):
    """A thread that keeps a league playing."""

    def __init__(
        self, league: Path, terms: PlayTerms, why_not_now: Callable[[], Reason], clock: Callable[[], datetime] = datetime.now
    ) -> None:
        """``why_not_now`` returns why nothing may be played now; empty: it may. ``clock`` returns the local time."""
        super().__init__("hosting", GRACE)
        self._league = league
        self._terms = terms
        self._why_not_now = why_not_now
        self._clock = clock
        self.paused = Reason("play has not begun yet")  # why nothing is played; empty: it is being played
        self.failures = 0  # since a process last ended well
        self._asked = 0.0  # when the reasons to pause were last checked, by the monotonic clock

    def poll(self) -> float:
        """Play for a while, if nothing is in the way; return the seconds until the next look."""
        try:
            self.paused = self._reason()
            return PAUSE if self.paused else self._play()
        except OSError as error:
            self.paused = Reason(FAILED, str(error))
            log.warning("playing %s: %s", self._league, error)
            return RETRY_AFTER

    def _reason(self) -> Reason:
        """Return why nothing may be played now; empty: it may."""
        allowed = self._terms.hours
        at = self._clock()
        if allowed and not allowed.contain(60 * at.hour + at.minute):
            return Reason(f"play is paused: it is played from {allowed}, local time")
        problem = self._why_not_now()
        return Reason(f"play is paused: {problem.public}", problem.detail) if problem else NO_REASON

    def _play(self) -> float:
        """Play for a while, and return the seconds until the next attempt."""
        playing = ("league", "run", str(self._league), "--for", SLICE, "--quiet", "--json", *self._terms.options())
        ended = self.run_command(*playing, give_up=self._has_to_pause)
        return self._on_end(ended)

    def _has_to_pause(self) -> bool:
        """Tell whether play has to pause now, and keep why; it is checked at most once in ``PAUSE`` seconds."""
        if time.monotonic() < self._asked + PAUSE:
            return False
        self._asked = time.monotonic()
        self.paused = self._reason()
        return bool(self.paused)

    def _on_end(self, ended: EndedCommand) -> float:
        """Return the seconds until the next attempt, after a process has ended."""
        if self._stopped.is_set() or self.paused:
            return 0.0
        if ended.code == 0:
            self.failures = 0
            begin = ended.output.rfind(b"\n{\n") + 1  # of the document: a plugin may have printed lines before
            self.paused = _waiting_reason(_PLAYED.decode(ended.output[begin:]))
            return RETRY_AFTER if self.paused else 0.0
        if ended.code == WAITS:
            self.paused = Reason("play waits: another process plays the league, or its results could not be stored", ended.reason)
            return RETRY_AFTER
        self.failures += 1
        self.paused = Reason(FAILED, ended.reason)
        log.error("playing %s failed with code %d: %s", self._league, ended.code, ended.reason)
        return RETRY_AFTER * 2.0 ** min(self.failures - 1, DOUBLINGS)


_PLAYED = Decoder(PlayedLeague)


def _waiting_reason(played: PlayedLeague) -> Reason:
    """Return why the command that plays has ended early; empty: it has played."""
    if played.alone:
        return Reason("play waits: fewer than two bots are active")
    return Reason(f"play waits: the league opens at {played.opens}") if played.opens else NO_REASON
